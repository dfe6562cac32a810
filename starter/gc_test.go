package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/retention"
)

// TestGC: a plan is only told, a removal removes what the plan said, and a second plan has nothing.
func TestGC(t *testing.T) {
	settle = 0
	t.Cleanup(func() { settle = retention.Settle })
	store := mem.New()
	store.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	for _, run := range []string{"old-1", "old-2", "going-1"} {
		storeRun(t, store, run)
		if run == "going-1" {
			continue
		}
		d, err := store.Resolve(t.Context(), activities.RunName(run, "spec"))
		if err != nil {
			t.Fatal(err)
		}
		name(t, store, activities.RunName(run, "run"), d)
	}
	if _, err := artifacts.PutBytes(t.Context(), store, "", []byte("of no name")); err != nil {
		t.Fatal(err)
	}
	store.Now = func() time.Time { return time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC) }

	collect := func(rules retention.Rules, remove bool) (string, error) {
		var out strings.Builder
		err := (&app{}).collect(t.Context(), &out, store, rules, remove)
		return out.String(), err
	}
	got, err := collect(retention.Rules{Keep: []string{"old-2"}, Drop: []string{"going-1"}}, false)
	want := `going-1  goes  last written 2026-03-01 12:00:00
old-1    goes  last written 2026-03-01 12:00:00
old-2    kept  last written 2026-03-01 12:00:00

unnamed  1  10 B
3 names and 1 object go (10 B)
nothing was removed: --remove does it
`
	if err != nil || trimmed(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
	if names, err := store.Names(t.Context(), "runs/"); err != nil || len(names) != 5 {
		t.Errorf("a plan left names %v, %v", names, err)
	}
	if got, err := collect(retention.Rules{Keep: []string{"old-2"}, Drop: []string{"going-1"}}, true); err != nil || !strings.HasSuffix(got, "removed 3 names and 1 object\n") {
		t.Errorf("%v, got %s", err, got)
	}
	if names, err := store.Names(t.Context(), "runs/"); err != nil || strings.Join(names, " ") != "runs/old-2/run runs/old-2/spec" {
		t.Errorf("left are %v, %v", names, err)
	}
	if got, err := collect(retention.Rules{}, false); err != nil || !strings.HasSuffix(got, "\nnothing goes\n") {
		t.Errorf("%v, got %s", err, got)
	}

	_, err = collect(retention.Rules{Keep: []string{"nobody-1"}}, true)
	var c coded
	if !asCoded(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), `"nobody-1": no such run in this store`) {
		t.Errorf("an unknown run: %v", err)
	}
	for _, args := range [][]string{{"--grace", "0s"}, {"--keep-last", "-1"}, {"--keep-within", "0s"}, {"--keep", "../x"}} {
		cmd := command()
		cmd.SetArgs(append([]string{"gc"}, args...))
		if err := cmd.Execute(); !asCoded(err, &c) || c.code != exitUsage {
			t.Errorf("%v: got %v, want wrong usage", args, err)
		}
	}
	raw := output(t, func() { err = (&app{json: true}).collect(t.Context(), nil, store, retention.Rules{}, false) })
	var told struct {
		Runs  []retention.Run `json:"runs"`
		Blobs int             `json:"blobs"`
	}
	if err != nil || json.Unmarshal([]byte(raw), &told) != nil || len(told.Runs) != 1 || told.Runs[0].State != retention.Kept {
		t.Errorf("%v, got %s", err, raw)
	}
}

// trimmed has no blanks at the ends of lines.
func trimmed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}
