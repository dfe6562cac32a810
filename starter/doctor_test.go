package main

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/hone-rl/hone/stack"
)

// TestExamined: each line says how a thing is, the next how to mend it; what is wrong is counted, and alone is an error.
func TestExamined(t *testing.T) {
	all := []examined{
		well("disk", "30 GB free at /data"),
		{"workers", tightState, "1 for games and workflows, 0 for models", "hone up starts one"},
		{"S3", wrongState, "nothing answers\nat all", "hone up"},
	}
	var got strings.Builder
	want := `disk     ok     30 GB free at /data
workers  look   1 for games and workflows, 0 for models
                  → hone up starts one
S3       wrong  nothing answers; at all
                  → hone up
`
	if err := writeExamined(&got, all); err != nil || got.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got.String(), want)
	}
	if err := judged(all); err == nil || err.Error() != "1 thing wrong: no run goes on before that is mended" {
		t.Errorf("got %v, want one thing wrong", err)
	}
	if err := judged(all[:2]); err != nil {
		t.Errorf("got %v for what is tight", err)
	}
}

func TestJudgeRoom(t *testing.T) {
	for free, want := range map[int64]string{
		leastRoom - 1: wrongState, leastRoom: tightState, fairRoom - 1: tightState, fairRoom: wellState,
	} {
		if got := judgeRoom("disk", "/data", free); got.State != want || (got.Mend == "") != (want == wellState) {
			t.Errorf("%d bytes: got %+v, want %s", free, got, want)
		}
	}
}

// TestNoServers: without a local stack all that depends on one is wrong, and how to start one is said; with an address that
// nobody answers at, it is the address.
func TestNoServers(t *testing.T) {
	for _, name := range []string{"TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "HONE_DATA"} {
		t.Setenv(name, "")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"": "hone up starts the local stack", nobody: "TEMPORAL_ADDRESS"} {
		a := app{Config: stack.Config{Data: t.TempDir(), Address: address}}
		all := a.servers(t.Context())
		if len(all) != 3 || all[0].State != wrongState || !strings.Contains(all[0].Mend, want) || all[0].Said == "" ||
			all[1].State != wrongState {
			t.Errorf("address %q: got %+v, want Temporal and workers wrong, mended by %q", address, all, want)
		}
		if err := judged(all); err == nil || errors.Unwrap(err) != nil {
			t.Errorf("address %q: got %v, want an error of its own", address, err)
		}
	}
}
