package lineage_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
)

// TestSeeds: a run of several seeds shares games, hints and panels, reuses what a run of one of them has made, keeps
// each seed's models apart, and is audited like any other.
func TestSeeds(t *testing.T) {
	store := finished.copy(t)
	_, single := finished.get(t)
	const run = "seeds-run"
	res := runSpec(t, store, run, smallSpec+"seeds: [1, 2]\n")
	digests, reused := map[string]artifacts.Digest{}, map[string]bool{}
	var names []string
	for _, s := range res.Stages {
		digests[s.Name], reused[s.Name] = s.Digest, s.Reused
		names = append(names, s.Name)
	}
	want := []string{
		"games", "panels/unseen", "hints", "untrained/seed-1", "untrained/seed-2", "teacher/seed-1", "teacher/seed-2",
		"student/seed-1", "student/seed-2", "report",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("stages %v, want %v", names, want)
	}
	for _, s := range single.Stages { // of seed 1, the default
		name := s.Name
		if slices.Contains([]string{"untrained", "teacher", "student"}, name) {
			name += "/seed-1"
		}
		if name != "report" && (digests[name] != s.Digest || !reused[name]) {
			t.Errorf("%s: %s, reused %t, want %s of the run of one seed", name, digests[name], reused[name], s.Digest)
		}
	}
	for _, role := range []string{"untrained", "teacher", "student"} {
		if digests[role+"/seed-1"] == digests[role+"/seed-2"] || reused[role+"/seed-2"] {
			t.Errorf("%s of seed 2 is that of seed 1", role)
		}
	}
	m, err := artifacts.GetManifest(t.Context(), store, digests["report"])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(m.Inputs), 3*2*2; got != want {
		t.Errorf("the report is of %d trajectories, want %d: three models of two seeds with hint and without", got, want)
	}
	var report agent.Report
	for _, out := range m.Outputs {
		if out.Name == activities.ReportJSONFile {
			raw, err := artifacts.ReadAll(t.Context(), store, out.Digest, out.Size)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(raw, &report); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(report.Panels) != 1 || len(report.Panels[0].Cells) != 12 || len(report.Panels[0].Spread) != 6 || !slices.Equal(report.Panels[0].Spread[0].Seeds, []uint64{1, 2}) {
		t.Errorf("got %+v, want twelve rows and six over both seeds", report)
	}
	audit, err := auditor(store).Run(t.Context(), run)
	if err != nil || len(audit.Findings) != 0 || audit.Reports != 1 {
		t.Errorf("the audit of the run: %+v, %v", audit, err)
	}
	if audit, err = auditor(store).All(t.Context()); err != nil || len(audit.Findings) != 0 || len(audit.Orphans) != 2 || // the chunks of hints
		audit.Reports != 2 {
		t.Errorf("the audit of the store: %+v, %v", audit, err)
	}
	again := runSpec(t, store, "seeds-again", smallSpec+"seeds: [1, 2]\n")
	for i, s := range again.Stages {
		if !s.Reused || s.Digest != res.Stages[i].Digest {
			t.Errorf("the same spec again: %s is %s, reused %t, want %s", s.Name, s.Digest, s.Reused, res.Stages[i].Digest)
		}
	}
}
