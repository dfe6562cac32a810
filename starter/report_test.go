package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/page"
)

// TestReportPage: a page is written whole, and one that cannot be leaves no file.
func TestReportPage(t *testing.T) {
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 5)
	storeRun(t, store, "skill1")
	name(t, store, activities.RunName("skill1", "grpo"), made.Outcome(t, store))
	file := filepath.Join(t.TempDir(), "skill1.html")
	var err error
	out := output(t, func() { err = writePage(t.Context(), file, page.Config{Store: store, Runs: []string{"skill1"}}) })
	raw, read := os.ReadFile(file)
	if err != nil || read != nil || !strings.HasPrefix(out, file+": 1 run, ") || !strings.HasPrefix(string(raw), "<!doctype html>") || !strings.HasSuffix(string(raw), "</html>\n") {
		t.Errorf("%v, %v, printed %q, a page of %d bytes", err, read, out, len(raw))
	}
	none := filepath.Join(t.TempDir(), "none.html")
	var c coded
	if err := writePage(t.Context(), none, page.Config{Store: store, Runs: []string{"nobody"}}); !asCoded(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), "hone list shows the runs") {
		t.Errorf("a run that is not there: %v", err)
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("a file is there: %v", err)
	}
}

// TestReportRefuses wrong arguments before any store is asked.
func TestReportRefuses(t *testing.T) {
	const run, other = "skill1-1a2b3c4d5e", "skill1-5e4d3c2b1a"
	for want, args := range map[string][]string{
		"expected a run: see ":                   {},
		"-o run.svg: expected FILE.html":         {run, "-o", "run.svg"},
		"-o run: expected FILE.html":             {run, "-o", "run"},
		"--json and -o: expected one of them":    {run, "-o", "run.html", "--json"},
		"2 runs: expected -o FILE.html; ":        {run, other},
		"run " + run + " stands twice":           {run, run, "-o", "run.html"},
		"--episodes -1: expected 0 or more":      {run, "-o", "run.html", "--episodes", "-1"},
		`"a b": expected a run, such as demo-`:   {run, "a b", "-o", "run.html"},
		"7 runs: expected at most 6 on one page": {"a", "b", "c", "d", "e", "f", "g", "-o", "run.html"},
	} {
		if code, _, err := hone(t, append([]string{"report"}, args...)...); code != exitUsage || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: code %d, %v, want %q", args, code, err, want)
		}
	}
}
