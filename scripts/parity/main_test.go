package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/alfworld/parity"
)

func TestCheck(t *testing.T) {
	good := options{jobs: 1, family: 1, steps: 1}
	for _, asked := range []string{"", "quick"} {
		if err := good.check(asked, nil); err != nil {
			t.Errorf("HONE_PARITY=%s: %v", asked, err)
		}
	}
	for name, tt := range map[string]struct {
		o     options
		asked string
		rest  []string
		want  string
	}{
		"HONE_PARITY": {good, "fast", nil, `HONE_PARITY is "fast", expected quick`},
		"games":       {options{jobs: 1, family: -1, steps: 1}, "", nil, "-games -1: expected 1 or more"},
		"steps":       {options{jobs: 1, family: 1}, "", nil, "-steps 0: expected 1 or more"},
		"jobs":        {options{family: 1, steps: 1}, "", nil, "-jobs 0: expected 1 or more"},
		"golden":      {options{jobs: 1, family: 1, steps: 1, golden: -1}, "", nil, "-golden -1: expected 0 or more"},
		"rest":        {good, "", []string{"quick"}, `["quick"]: expected flags only`},
	} {
		if err := tt.o.check(tt.asked, tt.rest); err == nil || err.Error() != tt.want && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

// TestForget removes kept differences and nothing else.
func TestForget(t *testing.T) {
	keep := t.TempDir()
	for _, name := range []string{"difference-01234567", "notes"} {
		if err := os.MkdirAll(filepath.Join(keep, name, "inside"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{keep, "", filepath.Join(keep, "none")} {
		if err := forget(folder); err != nil {
			t.Errorf("%q: %v", folder, err)
		}
	}
	left, err := os.ReadDir(keep)
	if err != nil || len(left) != 1 || left[0].Name() != "notes" {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestTally: the last line says when not all differences are shown.
func TestTally(t *testing.T) {
	report := &parity.Report{Games: 2, Rows: 40, Found: make([]parity.Found, 1)}
	golden := alfworld.GoldenResult{Games: 3, Rows: 50, Differences: 30, First: make([]alfworld.Difference, 20)}
	line, n := tally(report, golden, parity.Recorded{Games: 4, Commands: 56})
	want := "parity: 2 games and 40 rows beside ALFWorld's engine, 3 games and 50 rows of golden transcripts, 4 games and 60 rows of recorded episodes: 31 differences, of which 21 are shown above"
	if line != want || n != 31 {
		t.Errorf("got %d, %s", n, line)
	}
	if line, n := tally(report, alfworld.GoldenResult{}, parity.Recorded{}); n != 1 || !strings.HasSuffix(line, ": 1 differences") {
		t.Errorf("got %d, %s", n, line)
	}
}
