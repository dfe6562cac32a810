package lineage_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/skills"
	"github.com/hone-rl/hone/workflows"
)

// TestAuditLearning: trainings without a library and with one are without fault, and all of their episodes are played again.
func TestAuditLearning(t *testing.T) {
	for name, tt := range map[string]struct {
		made    func(*testing.T) *mem.Store
		replays int // three steps of two games, and panels of two games, twice each, at three steps
	}{
		"plain":   {plainRun, 3*2*2 + 3*2*2},
		"skilled": {skilledRun, 3*2*4 + 2*3*2*2}, // panels with skills and without
		"asked":   {askedRun, 3*2*2 + 2*3*2*2},
	} {
		t.Run(name, func(t *testing.T) {
			store := tt.made(t)
			for name, audit := range audits(store) {
				res, err := audit(t.Context())
				if err != nil || len(res.Findings) != 0 || res.Replays != tt.replays {
					t.Errorf("%s: %d replays, %+v, %v, want %d and no finding", name, res.Replays, res.Findings, err, tt.replays)
				}
				names, err := store.Names(t.Context(), "")
				if err != nil || res.Names != len(names) {
					t.Errorf("%s: looked at %d names, want all %d", name, res.Names, len(names))
				}
			}
		})
	}
	for _, made := range []func(*testing.T) *mem.Store{skilledRun, askedRun} { // or nothing was checked
		f := forging(t, made(t), "grpo")
		l, err := activities.ReadLibrary(t.Context(), f, f.input(t, f.outcome, "library"))
		if err != nil || l.Len() < 4 {
			t.Errorf("the library: %v, %v: expected some skills", l, err)
		}
		phases := map[rollout.Phase]bool{}
		for _, e := range f.episodes(t, f.manifest(t, f.update(t, 3))) {
			for _, s := range e.Said {
				phases[s.Phase] = true
			}
		}
		if len(phases) != map[bool]int{true: 2, false: 3}[phases[rollout.Distil]] {
			t.Errorf("phases %v: expected commands, and lessons or queries and orders", phases)
		}
	}
}

// at changes one of the episodes.
func at(i int, change func(*rollout.Episode)) func([]rollout.Episode) []rollout.Episode {
	return func(all []rollout.Episode) []rollout.Episode {
		change(&all[i])
		return all
	}
}

// drop leaves one out.
func drop(i int) func([]rollout.Episode) []rollout.Episode {
	return func(all []rollout.Episode) []rollout.Episode { return slices.Delete(all, i, i+1) }
}

func keep(all []rollout.Episode) []rollout.Episode { return all }

// lost has an update name one of its episodes as excluded, by another name where change is there, and changes its episodes.
func lost(i int, change func(*activities.ExcludedEpisode), episodes func([]rollout.Episode) []rollout.Episode) func(*testing.T, *forger, artifacts.Digest) {
	return func(t *testing.T, f *forger, d artifacts.Digest) {
		t.Helper()
		f.edit(t, d, func(m *artifacts.Manifest) {
			e := f.episodes(t, m)[i]
			one := activities.ExcludedEpisode{Game: e.Game, Rollout: e.Rollout, Reason: "clock"}
			if change != nil {
				change(&one)
			}
			raw, err := json.Marshal(map[string]any{"lost": []activities.ExcludedEpisode{one}, "step": 2})
			if err != nil {
				t.Fatal(err)
			}
			m.Summary = raw
			f.retold(t, d, m, episodes)
		})
	}
}

// rewrite changes a file of JSON in an artifact.
func rewrite(name, from, to string) func(*testing.T, *forger, artifacts.Digest) {
	return func(t *testing.T, f *forger, d artifacts.Digest) {
		t.Helper()
		f.edit(t, d, func(m *artifacts.Manifest) {
			raw := f.file(t, m, name)
			if !bytes.Contains(raw, []byte(from)) {
				t.Fatalf("%q is not in %.2000s", from, raw)
			}
			f.replace(t, m, name, bytes.Replace(raw, []byte(from), []byte(to), 1))
		})
	}
}

// summed changes an artifact's summary.
func summed(from, to string) func(*testing.T, *forger, artifacts.Digest) {
	return func(t *testing.T, f *forger, d artifacts.Digest) {
		t.Helper()
		f.edit(t, d, func(m *artifacts.Manifest) {
			if !bytes.Contains(m.Summary, []byte(from)) {
				t.Fatalf("%q is not in %s", from, m.Summary)
			}
			m.Summary = bytes.Replace(m.Summary, []byte(from), []byte(to), 1)
		})
	}
}

// retold changes episodes.
func retold(change func([]rollout.Episode) []rollout.Episode) func(*testing.T, *forger, artifacts.Digest) {
	return func(t *testing.T, f *forger, d artifacts.Digest) {
		t.Helper()
		f.retell(t, d, change)
	}
}

const (
	ofUpdate  = "update 2"
	ofPanel   = "validation 0 without"
	ofOutcome = "outcome"
	ofLibrary = "learned"
	ofLast    = "update 3"
)

func (f *forger) find(t *testing.T, what string) artifacts.Digest {
	t.Helper()
	switch what {
	case ofUpdate:
		return f.update(t, 2)
	case ofLast:
		return f.update(t, 3)
	case ofOutcome:
		return f.outcome
	case ofLibrary:
		return f.input(t, f.update(t, 3), what)
	}
	return f.input(t, f.outcome, what)
}

// TestAuditFindsForgedLearning: each by itself, where all digests and figures agree, is found, and nothing else is.
func TestAuditFindsForgedLearning(t *testing.T) {
	said := func(i int, change func(*rollout.Said)) func([]rollout.Episode) []rollout.Episode {
		return at(1, func(e *rollout.Episode) { change(&e.Said[i]) })
	}
	won := at(1, func(e *rollout.Episode) { e.Outcome.Won, e.Outcome.Reason = true, "won" })
	for name, tt := range map[string]struct {
		made     func(*testing.T) *mem.Store
		of       string
		change   func(*testing.T, *forger, artifacts.Digest)
		want     string
		recorded bool
	}{
		"command": {
			plainRun, ofUpdate, retold(at(1, func(e *rollout.Episode) { e.Steps[1].Command = "go to nowhere" })),
			`played again: steps[1].command: the episode has "go to nowhere", the replay "`, false,
		},
		"observation": {plainRun, ofUpdate, retold(at(1, func(e *rollout.Episode) { e.Steps[1].Observation = "You win." })), `steps[1].observation: the episode has "You win."`, false},
		"admissible":  {plainRun, ofUpdate, retold(at(1, func(e *rollout.Episode) { e.Steps[1].Admissible = nil })), "steps[1].admissible: the episode has nothing", false},
		"outcome":     {plainRun, ofUpdate, retold(won), "outcome.reason: the episode has \"won\", the replay \"steps\"", false},
		"token":       {plainRun, ofUpdate, retold(said(1, func(s *rollout.Said) { s.Tokens[len(s.Tokens)-2]++ })), "episodes.jsonl line 2: rollout 1 of household/train/", false},
		"prompt":      {plainRun, ofUpdate, retold(said(0, func(s *rollout.Said) { s.Prompt[3]++ })), "said[0].prompt: the episode has token 4 of ", false},
		"same":        {plainRun, ofUpdate, retold(said(1, func(s *rollout.Said) { s.Same = 1 << 30 })), "line 2: said[1].same 1073741824: expected 0 to ", false},
		"below":       {plainRun, ofUpdate, retold(said(1, func(s *rollout.Said) { s.Same = -1 })), "line 2: said[1].same -1: expected 0 to ", false},
		"seed":        {plainRun, ofUpdate, retold(at(1, func(e *rollout.Episode) { e.Seed = 1 })), "seed: it says 1, expected ", false},
		"game": {plainRun, ofUpdate, retold(func(all []rollout.Episode) []rollout.Episode {
			all[2].Game, all[3].Game = "elsewhere", "elsewhere"
			return all
		}), "line 3, rollout 0 of elsewhere: its game is none of the 6", false},
		"unknown field": {plainRun, ofUpdate, rewrite(activities.EpisodesFile, `,"family":`, `,"hidden":1,"family":`), `line 1: byte `, false},
		"probability":   {plainRun, ofUpdate, retold(said(1, func(s *rollout.Said) { s.LogProbs[0] = -7 })), "points at sha256:", true},
		"left out":      {plainRun, ofUpdate, retold(drop(1)), " is there or excluded 0 times, others of its group 1", false},
		"excluded": {plainRun, ofUpdate, func(t *testing.T, f *forger, d artifacts.Digest) {
			f.edit(t, d, func(m *artifacts.Manifest) {
				m.Summary = []byte(`{"lost":[{"game":"g","reason":"clock","rollout":1}],"step":2}`)
			})
		}, "update.json: figures: excluded: it says 0, expected 1", false},
		"excluded and there": {plainRun, ofUpdate, lost(1, nil, keep), "is there or excluded 1 times, others of its group 2", false},
		"excluded for its end": {
			plainRun, ofUpdate, lost(1, func(e *activities.ExcludedEpisode) { e.Reason = "lost" }, drop(1)), `was excluded for "lost": expected "clock"`, false,
		},
		"excluded of no group": {
			plainRun, ofUpdate, lost(1, func(e *activities.ExcludedEpisode) { e.Rollout = 2 }, drop(1)), "excluded: rollout 2 of household/train/", false,
		},
		"another excluded": {
			plainRun, ofUpdate, lost(1, func(e *activities.ExcludedEpisode) { e.Game = "elsewhere" }, drop(1)), "rollout 0 of elsewhere is there or excluded 0 times", false,
		},
		"figure":       {plainRun, ofUpdate, rewrite(activities.UpdateFile, `"won":0`, `"won":1`), "update.json: figures: won: it says 1, expected 0", false},
		"ends":         {plainRun, ofUpdate, rewrite(activities.UpdateFile, `"ends":{"steps":4}`, `"ends":{"steps":5}`), "figures: ends.steps: it says 5, expected 4", false},
		"rewards":      {plainRun, ofUpdate, rewrite(activities.UpdateFile, `"samples":`, `"samples":9`), "update.json: report: samples: it says 9", false},
		"other figure": {plainRun, ofUpdate, rewrite(activities.UpdateFile, `{"step":2`, `{"more":1,"step":2`), `unknown field "more"`, false},
		"step":         {plainRun, ofUpdate, rewrite(activities.UpdateFile, `{"step":2`, `{"step":3`), "step: it says 3, its summary 2", false},

		"panel: command":     {plainRun, ofPanel, retold(at(1, func(e *rollout.Episode) { e.Steps[1].Command = "look" })), "steps[1].command", false},
		"panel: observation": {plainRun, ofPanel, retold(at(1, func(e *rollout.Episode) { e.Last.Observation = "You win." })), "last.observation", false},
		"panel: won":         {plainRun, ofPanel, retold(won), "outcome.reason", false},
		"panel: count":       {plainRun, ofPanel, summed(`"won":0}],"group"`, `"won":1}],"group"`), "its summary: families[1].won: it says 1, expected 0", false},
		"panel: left out":    {plainRun, ofPanel, retold(drop(1)), "1 episodes have ended and are not there, the first is episodes/", true},
		"panel: twice": {plainRun, ofPanel, func(t *testing.T, f *forger, d artifacts.Digest) {
			f.edit(t, d, func(m *artifacts.Manifest) {
				raw := f.file(t, m, activities.EpisodesFile)
				first, _, _ := bytes.Cut(raw, []byte("\n"))
				f.replace(t, m, activities.EpisodesFile, slices.Concat(first, []byte("\n"), raw))
			})
		}, "episode 2 is rollout 0 of", false},

		"row":       {plainRun, ofOutcome, rewrite(activities.StepsFile, `{"step":2,"figures":{"episodes":4`, `{"step":2,"figures":{"episodes":5`), "steps.jsonl line 2: figures.episodes: it says 5, expected 4", false},
		"panel row": {plainRun, ofOutcome, rewrite(activities.ValidationsFile, `"won":0,"turns"`, `"won":1,"turns"`), "validations.jsonl line 1: won: it says 1, expected 0", false},
		"best":      {plainRun, ofOutcome, summed(`"best":0`, `"best":2`), "its summary: best: it says 2, by its panels it is 0", false},
		"steps":     {plainRun, ofOutcome, summed(`"steps":3`, `"steps":4`), "its summary: steps: it says 4, expected 3", false},
		"best model": {plainRun, ofOutcome, func(t *testing.T, f *forger, d artifacts.Digest) {
			f.edit(t, d, func(m *artifacts.Manifest) {
				i := slices.IndexFunc(m.Inputs, func(in artifacts.Input) bool { return in.Role == "best" })
				m.Inputs[i].Digest = inputRole(m, "last")
			})
		}, "its input best is ", false},
		"other weights": {plainRun, ofOutcome, func(t *testing.T, f *forger, d artifacts.Digest) {
			f.edit(t, d, func(m *artifacts.Manifest) {
				i := slices.IndexFunc(m.Inputs, func(in artifacts.Input) bool { return in.Role == "step 2" })
				m.Inputs[i].Digest = inputRole(m, "last")
			})
		}, "its input step 2, ", false},
		"lost panel": {plainRun, ofOutcome, func(t *testing.T, f *forger, d artifacts.Digest) {
			f.edit(t, d, func(m *artifacts.Manifest) {
				m.Inputs = slices.DeleteFunc(m.Inputs, func(in artifacts.Input) bool { return in.Role == "validation 2 without" })
			})
		}, "validations.jsonl line 2: digest: it says ", false},
		"hushed panel": {plainRun, ofOutcome, func(t *testing.T, f *forger, d artifacts.Digest) {
			f.edit(t, d, func(m *artifacts.Manifest) {
				m.Inputs = slices.DeleteFunc(m.Inputs, func(in artifacts.Input) bool { return in.Role == "validation 3 without" })
				lines := bytes.SplitAfter(f.file(t, m, activities.ValidationsFile), []byte("\n"))
				f.replace(t, m, activities.ValidationsFile, slices.Concat(lines[:2]...))
			})
		}, "the panel of step 3 was played, and no validation of it is there, such as episodes/", true},

		"best by panels":    {skilledRun, ofOutcome, summed(`"best":2`, `"best":3`), "its summary: best: it says 3, by its panels it is 2", false},
		"best of games":     {skilledRun, ofLast, rewrite(activities.BestFile, `":0.75`, `":0.5`), ": it says 0.5, expected 0.75", false},
		"bare":              {skilledRun, "validation 0 with", retold(at(1, func(e *rollout.Episode) { e.Bare = true })), "bare: it says true, expected false", false},
		"found":             {skilledRun, "validation 3 with", retold(at(1, func(e *rollout.Episode) { e.Found[0].Utility = 0.99 })), "found[0].utility: the episode has 0.99", false},
		"shown":             {skilledRun, "validation 3 with", retold(at(1, func(e *rollout.Episode) { e.Shown = e.Shown[1:] })), "shown", false},
		"order":             {askedRun, "validation 3 with", retold(at(1, func(e *rollout.Episode) { slices.Reverse(e.Order) })), "order[0]: the episode has 3, the replay 1", false},
		"left-out change":   {skilledRun, ofLibrary, unlearnt, `changes.jsonl line 2: it says {"born":`, false},
		"library's summary": {skilledRun, ofLibrary, summed(`"step":3`, `"step":4`), "its summary: step: it says 4, expected 3", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := forging(t, tt.made(t), "grpo")
			tt.change(t, f, f.find(t, tt.of))
			found := f.audit(t, tt.recorded)
			if len(found) != 1 || !strings.Contains(found[0].Problem, tt.want) {
				t.Errorf("got %+v, want one finding with %q", found, tt.want)
			}
		})
	}
}

// TestAuditFindsForgedLibrary: a library that learnt from other episodes than its step's is found by both.
func TestAuditFindsForgedLibrary(t *testing.T) {
	f := forging(t, skilledRun(t), "grpo")
	rewrite(activities.EpisodesFile, `"Head":"`, `"Head":"Other `)(t, f, f.find(t, ofLibrary))
	found := f.audit(t, false)
	for i, want := range []string{"changes.jsonl has no birth of the skill that episode train/3/", "has learnt from other episodes than its episodes.jsonl"} {
		if len(found) != 2 || !strings.Contains(found[i].Problem, want) {
			t.Errorf("got %+v, want two findings, number %d with %q", found, i+1, want)
		}
	}
}

// unlearnt leaves the first change of a skill's utility out.
func unlearnt(t *testing.T, f *forger, d artifacts.Digest) {
	t.Helper()
	f.edit(t, d, func(m *artifacts.Manifest) {
		c, err := skills.DecodeChanges(skills.ChangeFiles{Changes: f.file(t, m, skills.ChangesName), Born: f.file(t, m, skills.BornName)})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(c.List, func(one skills.Change) bool { _, is := one.(*skills.Updated); return is })
		c.List = slices.Delete(c.List, i, i+1)
		files, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f.replace(t, m, skills.ChangesName, files.Changes)
	})
}

// TestAuditTakesTheExcluded: an episode that the clock ended is not missed, though another attempt may have named it since.
func TestAuditTakesTheExcluded(t *testing.T) {
	f := forging(t, plainRun(t), "grpo")
	lost(1, nil, drop(1))(t, f, f.update(t, 2))
	if found := f.audit(t, true); len(found) != 0 {
		t.Errorf("got %+v, want nothing", found)
	}
	training, err := lineage.OpenOutcome(t.Context(), f, f.linked(t, f.outcome))
	if err != nil {
		t.Fatal(err)
	}
	l, err := training.Learning(t.Context())
	if err != nil || len(l.Excluded) != 1 || l.Excluded[0].Step != 2 || l.Excluded[0].Rollout != 1 || !strings.HasPrefix(l.Excluded[0].Game, "household/train/") {
		t.Errorf("excluded: got %+v, %v, want rollout 1 of a game of step 2", l.Excluded, err)
	}
}

// TestAuditLeavesTheLoss: what takes the model is not checked, as the audit says.
func TestAuditLeavesTheLoss(t *testing.T) {
	f := forging(t, plainRun(t), "grpo")
	f.edit(t, f.update(t, 2), func(m *artifacts.Manifest) {
		var said activities.UpdateFigures
		if err := json.Unmarshal(f.file(t, m, activities.UpdateFile), &said); err != nil {
			t.Fatal(err)
		}
		said.Report.Steps[0].KL++
		raw, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		f.replace(t, m, activities.UpdateFile, raw)
	})
	if found := f.audit(t, true); len(found) != 0 {
		t.Errorf("got %+v, want nothing", found)
	}
}

// TestAuditStopped: a training that was stopped has a name and a record of its own, and is no result of its stage.
func TestAuditStopped(t *testing.T) {
	f := forging(t, plainRun(t), "grpo")
	if err := f.Name(t.Context(), activities.RunName("stopped", "grpo-stopped-3"), f.outcome); err != nil {
		t.Fatal(err)
	}
	f.record(t, activities.Finished{Run: "stopped", RunID: "one", Name: "grpo", Key: artifacts.Digest("sha256:" + f.key), Digest: f.outcome, Stopped: 3})
	res, err := auditor(f.Store).Run(t.Context(), "stopped")
	if err != nil || len(res.Findings) != 0 {
		t.Errorf("got %+v, %v, want no finding", res.Findings, err)
	}
}

// TestAuditDamagedLearning: what is harmed of a training is named, and nothing panics over it.
func TestAuditDamagedLearning(t *testing.T) {
	store := skilledRun(t)
	clean, err := auditor(store).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range damages(t, store, clean.Orphans) {
		if i%37 != 0 || !slices.Contains(d.by, "run") {
			continue
		}
		undo := d.do()
		res, err := auditor(store).Run(t.Context(), runID)
		if err != nil || !slices.ContainsFunc(res.Findings, func(f lineage.Finding) bool { return strings.Contains(f.Where, d.what) }) {
			t.Errorf("harmed %s: got %+v, %v, want it named", d.what, res.Findings, err)
		}
		undo()
	}
}

const distilledSpec = `name: taught
stages: [teacher, student, distilled]
games:
  household: {seed: 3, train: 12, valid_unseen: 6}
hints: {chunk: 6, validation_per_mille: 300}
tokenizer: {vocabulary: 300, games: 0}
model:
  qwen2: {hidden: 8, layers: 1, heads: 2, kv_heads: 1, intermediate: 8, vocabulary: 300, positions: 4096,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
teacher: {steps: 2, warmup: 1, rate: 0.1, batch: 8, max_tokens: 4096, checkpoint: 2}
student: {steps: 2, warmup: 1, rate: 0.1, batch: 8, max_tokens: 4096, checkpoint: 2}
distilled: {steps: 2, tasks: 3, checkpoint: 2}
evaluation:
  max_steps: 4
  panels:
    - {name: unseen, splits: [valid_unseen], families: [pick_and_place_simple]}
`

// TestAuditDistilled: what a student played before its teacher is played again and counted.
func TestAuditDistilled(t *testing.T) {
	store := mem.New()
	runSpec(t, store, runID, distilledSpec)
	res, err := auditor(store).Run(t.Context(), runID)
	if err != nil || len(res.Findings) != 0 || res.Replays != 2*3 {
		t.Fatalf("%d replays, %+v, %v, want 6 and no finding", res.Replays, res.Findings, err)
	}
	if res, err = auditor(store).All(t.Context()); err != nil || len(res.Findings) != 0 {
		t.Fatalf("got %+v, %v, want no finding", res.Findings, err)
	}
	for name, tt := range map[string]struct{ file, from, to, want string }{
		"command":     {activities.EpisodesFile, `"command":"`, `"command":"never `, "episodes.jsonl line 1: replaying household/train/"},
		"observation": {activities.EpisodesFile, `"observation":"`, `"observation":"X`, "step 1: observation: "},
		"won":         {activities.UpdateFile, `"won":0`, `"won":1`, "update.json: it says 1 of 3 won, its trajectories come to 0 of 3"},
		"count":       {activities.UpdateFile, `"episodes":3`, `"episodes":4`, "update.json: it says 0 of 4 won"},
	} {
		t.Run(name, func(t *testing.T) {
			l := lasting{store: store, run: &workflows.PipelineResult{}}
			l.once.Do(func() {})
			f := forging(t, l.copy(t), "distilled")
			rewrite(tt.file, tt.from, tt.to)(t, f, f.update(t, 2))
			if found := f.audit(t, false); len(found) != 1 || !strings.Contains(found[0].Problem, tt.want) {
				t.Errorf("got %+v, want one finding with %q", found, tt.want)
			}
		})
	}
}
