package lineage_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/lineage"
)

// forge stores an artifact anew with one file changed, every digest right, and names it as the stage of a run.
func forge(t *testing.T, store *mem.Store, stage, file string, change func(t *testing.T, content []byte, m *artifacts.Manifest) []byte) artifacts.Digest {
	t.Helper()
	d, err := store.Resolve(t.Context(), activities.RunName(runID, stage))
	if err != nil {
		t.Fatal(err)
	}
	m, err := artifacts.GetManifest(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == file })
	raw, err := artifacts.ReadAll(t.Context(), store, m.Outputs[i].Digest, m.Outputs[i].Size)
	if err != nil {
		t.Fatal(err)
	}
	out, err := artifacts.PutBytes(t.Context(), store, m.Outputs[i].MediaType, change(t, raw, m))
	if err != nil {
		t.Fatal(err)
	}
	m.Outputs[i].Descriptor = out
	forged, err := artifacts.PutManifest(t.Context(), store, *m)
	if err == nil {
		err = store.Name(t.Context(), activities.RunName("forged", stage), forged.Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
	if forged.Digest == d {
		t.Fatal("nothing was changed")
	}
	return forged.Digest
}

// replaced changes text, which has to be there.
func replaced(from, to string) func(*testing.T, []byte, *artifacts.Manifest) []byte {
	return func(t *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
		t.Helper()
		if !bytes.Contains(raw, []byte(from)) {
			t.Fatalf("%q is not in %.300s", from, raw)
		}
		return bytes.Replace(raw, []byte(from), []byte(to), 1)
	}
}

// doctor changes the only trajectory of a cell.
func doctor(change func(*agent.Trajectory)) func(*testing.T, []byte, *artifacts.Manifest) []byte {
	return func(t *testing.T, raw []byte, m *artifacts.Manifest) []byte {
		t.Helper()
		var lines bytes.Buffer
		for tr, err := range agent.Trajectories(bytes.NewReader(raw)) {
			if err != nil {
				t.Fatal(err)
			}
			change(&tr)
			if err := agent.WriteTrajectory(&lines, tr); err != nil {
				t.Fatal(err)
			}
		}
		cell, err := agent.NewCell(agent.Row{}, agent.Trajectories(bytes.NewReader(lines.Bytes())))
		if err != nil {
			t.Fatal(err)
		}
		if m.Summary, err = json.Marshal(cell.All); err != nil {
			t.Fatal(err)
		}
		return lines.Bytes()
	}
}

// records changes a dataset's records.
func records(change func([]hints.Record)) func(*testing.T, []byte, *artifacts.Manifest) []byte {
	return func(t *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
		t.Helper()
		var all []hints.Record
		for r, err := range hints.Records(bytes.NewReader(raw)) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		change(all)
		lines, err := hints.Lines(all)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
}

// alter changes the first record from that detour.
func alter(detour int, change func(*hints.Record)) func(*testing.T, []byte, *artifacts.Manifest) []byte {
	return records(func(all []hints.Record) {
		change(&all[slices.IndexFunc(all, func(r hints.Record) bool { return r.Detour == detour })])
	})
}

// astray changes a command of the first detour in all of its records.
var astray = records(func(all []hints.Record) {
	first := slices.IndexFunc(all, func(r hints.Record) bool { return r.Detour == 1 })
	for i := range all {
		if r := &all[i]; r.Game == all[first].Game && r.Detour == 1 {
			r.Astray = slices.Clone(r.Astray)
			r.Astray[0] = "go to nowhere"
		}
	}
})

// TestAuditFindsForgeries: where all digests are right, the audits that are repeated find what is not true.
func TestAuditFindsForgeries(t *testing.T) {
	const cell = "evaluation/unseen/student"
	tests := map[string]struct {
		stage, file string
		change      func(*testing.T, []byte, *artifacts.Manifest) []byte
		want        string // in the problem
	}{
		"leaked record": {"hints", "hints.jsonl", func(t *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
			var lines bytes.Buffer
			for r, err := range hints.Records(bytes.NewReader(raw)) {
				if err != nil {
					t.Fatal(err)
				}
				if lines.Len() == 0 {
					r.H.Plan = append(r.H.Plan, r.Y)
				}
				if err := hints.WriteRecord(&lines, r); err != nil {
					t.Fatal(err)
				}
			}
			return lines.Bytes()
		}, "hint audit: "},
		"observation of a record":   {"hints", "hints.jsonl", alter(0, func(r *hints.Record) { r.X.Observation = "You win." }), "step 1: x.observation: the record has"},
		"other command of a record": {"hints", "hints.jsonl", alter(0, func(r *hints.Record) { r.Y = "inventory" }), "step 2: x.history: the record has"},
		"observation on the way back": {"hints", "hints.jsonl", alter(2, func(r *hints.Record) {
			r.X.Observation = "You win."
		}), ": x.observation: the record has"},
		"other command on the way back": {"hints", "hints.jsonl", alter(2, func(r *hints.Record) { r.Y = "look" }), "detour 2, step "},
		"hint on the way back":          {"hints", "hints.jsonl", alter(2, func(r *hints.Record) { r.H.Device = "moon" }), "hint_differs_within_episode"},
		"other way astray":              {"hints", "hints.jsonl", astray, "detour 1: \"go to nowhere\" is not admissible"},
		"lost record": {"hints", "hints.jsonl", func(_ *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
			return raw[bytes.IndexByte(raw, '\n')+1:]
		}, "records of 12 games, it has"},
		"lost game": {"hints", "hints.jsonl", func(t *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
			for r, err := range hints.Records(bytes.NewReader(raw)) {
				if err != nil {
					t.Fatal(err)
				}
				return slices.Concat(without(raw, r.Game)...)
			}
			return nil
		}, "of 12 games, it has"},
		"moved split": {"hints", "hints.jsonl.manifest.json", func(t *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
			var m hints.Manifest
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			m.Split.ValidationGames = m.Split.ValidationGames[1:]
			text, err := m.JSON()
			if err != nil {
				t.Fatal(err)
			}
			return text
		}, "is not what its records come to"},
		"observation": {cell, "trajectories.jsonl", doctor(func(tr *agent.Trajectory) {
			tr.Steps[1].Observation = "You win."
		}), "step 2: observation"},
		"victory": {cell, "trajectories.jsonl", doctor(func(tr *agent.Trajectory) {
			tr.Outcome = agent.Outcome{Won: true, Steps: len(tr.Steps), Reason: agent.ReasonWon}
			tr.Last.Won, tr.Last.Done, tr.Last.Score = true, true, 1
		}), "replaying household/valid_unseen/"},
		"summary": {cell, "trajectories.jsonl", func(_ *testing.T, raw []byte, m *artifacts.Manifest) []byte {
			m.Summary = bytes.Replace(m.Summary, []byte(`"won":0`), []byte(`"won":1`), 1)
			return raw
		}, "it says 1 of 1 games won, its trajectories come to 0 of 1"},
		"report": {"report", "report.json", replaced(`"won":0`, `"won":1`), "report.json is not what its trajectories come to"},
		"table":  {"report", "report.md", replaced("| untrained", "| Untrained"), "report.md is not what its trajectories come to"},
		"game list": {"games", "games.jsonl", func(_ *testing.T, raw []byte, _ *artifacts.Manifest) []byte {
			return raw[bytes.IndexByte(raw, '\n')+1:]
		}, "it says 18 games, its list has 17"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store := finished.copy(t)
			d := forge(t, store, tt.stage, tt.file, tt.change)
			a := auditor(store)
			res, err := a.Run(t.Context(), "forged")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(res.Findings, func(f lineage.Finding) bool {
				return strings.Contains(f.Where, string(d)) && strings.Contains(f.Problem, tt.want)
			}) {
				t.Errorf("got %+v, want %s named with %q", res.Findings, d, tt.want)
			}
		})
	}
}

// without are the lines that are not of the game.
func without(raw []byte, game string) [][]byte {
	lines := slices.Collect(bytes.SplitAfterSeq(raw, []byte("\n")))
	return slices.DeleteFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"game":"`+game+`"`)) })
}
