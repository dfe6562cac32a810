package activities_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu/gputest"
)

// stage is where models play: a panel of the unseen games and an untrained model.
func (w *world) stage(t *testing.T) activities.PlayInput {
	t.Helper()
	s := w.school(t)
	unseen := slices.DeleteFunc(homes(t), func(g activities.GameFile) bool { return g.Split != "valid_unseen" })
	return activities.PlayInput{
		Games: w.list(t, unseen[:4]), Model: s.model,
		PlayParameters: activities.PlayParameters{
			WithHint: true, MaxSteps: 5, History: 2, Oracle: env.Search, HintPlans: []env.PlanKind{env.Search}, Deadline: time.Minute,
		},
	}
}

// shard plays games from up to to.
func (w *world) shard(t *testing.T, in activities.PlayInput, from, to int) artifacts.Descriptor {
	t.Helper()
	in.From, in.To = from, to
	return must[activities.PlayResult](t, w, do.PlayShard, in).Trajectories
}

// cell plays a whole panel.
func (w *world) cell(t *testing.T, name string, in activities.PlayInput) artifacts.Digest {
	t.Helper()
	return must[activities.ModelResult](t, w, do.CollectTrajectories, activities.CollectInput{
		Key: key(name), Play: in, Shards: []artifacts.Descriptor{w.shard(t, in, 0, 4)},
	}).Digest
}

// TestShards: a cell does not depend on how its games were dealt.
func TestShards(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.stage(t)
	want := w.cell(t, "cell", in)
	shards := []artifacts.Descriptor{w.shard(t, in, 0, 1), w.shard(t, in, 1, 4)}
	got := must[activities.ModelResult](t, w, do.CollectTrajectories, activities.CollectInput{Key: key("cell"), Play: in, Shards: shards})
	if got.Digest != want {
		t.Errorf("got %s, want %s", got.Digest, want)
	}
	in.From, in.To = 0, 5
	_, err := call[activities.PlayResult](w, do.PlayShard, in)
	final(t, err, activities.ErrTypeBadInput, "game 5 of", "it has 4")
}

// TestCollectRefuses: what the games did not say, or not all of it, is no result.
func TestCollectRefuses(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.stage(t)
	played := w.shard(t, in, 0, 4)
	raw, err := artifacts.ReadAll(t.Context(), w.Store, played.Digest, played.Size)
	if err != nil {
		t.Fatal(err)
	}
	var good []agent.Trajectory
	for tr, err := range agent.Trajectories(bytes.NewReader(raw)) {
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, tr)
	}
	tests := map[string]struct {
		doctor func([]agent.Trajectory) []agent.Trajectory
		words  []string
	}{
		"observation": {func(all []agent.Trajectory) []agent.Trajectory {
			all[1].Steps[2].Observation += " You win."
			return all
		}, []string{good[1].Game, "step 3: observation", "You win."}},
		"command": {func(all []agent.Trajectory) []agent.Trajectory {
			all[0].Steps[0].Command = "fly to the moon"
			return all
		}, []string{good[0].Game, "fly to the moon", "not admissible"}},
		"success": {func(all []agent.Trajectory) []agent.Trajectory {
			all[2].Outcome = agent.Outcome{Won: true, Steps: len(all[2].Steps), Reason: agent.ReasonWon}
			return all
		}, []string{good[2].Game, "outcome"}},
		"order": {func(all []agent.Trajectory) []agent.Trajectory {
			all[0], all[1] = all[1], all[0]
			return all
		}, []string{"trajectory 1 is of " + good[1].Game, "in order"}},
		"missing": {func(all []agent.Trajectory) []agent.Trajectory { return all[:3] }, []string{"3 trajectories of 4 games"}},
		"twice":   {func(all []agent.Trajectory) []agent.Trajectory { return append(all, all[3]) }, []string{"trajectory 5 is of " + good[3].Game}},
		"leak": {func(all []agent.Trajectory) []agent.Trajectory {
			all[0].HintDigits = true
			return all
		}, []string{"hints leak: 1 hold a digit"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			doctored := make([]agent.Trajectory, len(good))
			for i, tr := range good {
				tr.Steps = slices.Clone(tr.Steps)
				doctored[i] = tr
			}
			var lines bytes.Buffer
			for _, tr := range tt.doctor(doctored) {
				if err := agent.WriteTrajectory(&lines, tr); err != nil {
					t.Fatal(err)
				}
			}
			d, err := artifacts.PutBytes(t.Context(), w.Store, "application/jsonl", lines.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			_, err = call[activities.ModelResult](w, do.CollectTrajectories, activities.CollectInput{
				Key: key(name), Play: in, Shards: []artifacts.Descriptor{d},
			})
			final(t, err, activities.ErrTypeAudit, tt.words...)
		})
	}
}

// TestBrokenGameInPanel: a game file that is none is a failure of its own row, and replays as one.
func TestBrokenGameInPanel(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.stage(t)
	unseen := slices.DeleteFunc(homes(t), func(g activities.GameFile) bool { return g.Split != "valid_unseen" })[:4]
	unseen[1].Data = unseen[1].Data[:100]
	in.Games = w.list(t, unseen)
	d := w.cell(t, "broken", in)
	var score agent.Score
	if err := json.Unmarshal(w.manifest(t, d).Summary, &score); err != nil {
		t.Fatal(err)
	}
	if score.Games != 4 || score.Failures[agent.ReasonError] != 1 {
		t.Errorf("got %+v, want 4 games of which one failed as faulty", score)
	}
}

func TestWriteReport(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.stage(t)
	with := w.cell(t, "with", in)
	in.WithHint = false
	without := w.cell(t, "without", in)
	cells := []activities.ReportCell{
		{Panel: "unseen", Role: "teacher", WithHint: true, Trajectories: with},
		{Panel: "unseen", Role: "teacher", Trajectories: without},
	}
	res := must[activities.ModelResult](t, w, do.WriteReport, activities.ReportInput{Key: key("report"), Cells: cells})
	report, err := activities.BuildReport(t.Context(), w.Store, cells)
	if err != nil {
		t.Fatal(err)
	}
	want, err := report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if got := w.file(t, res.Digest, activities.ReportJSONFile); !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := w.file(t, res.Digest, activities.ReportFile); string(got) != report.Markdown() {
		t.Errorf("got %s, want %s", got, report.Markdown())
	}
	inputs := []artifacts.Input{{Role: "unseen/teacher", Digest: without}, {Role: "unseen/teacher-hint", Digest: with}}
	if got := w.manifest(t, res.Digest).Inputs; !slices.Equal(got, inputs) {
		t.Errorf("inputs %v, want %v", got, inputs)
	}

	in.MaxSteps = 4
	shorter := w.cell(t, "shorter", in)
	refuse := func(name string, d artifacts.Digest, words ...string) {
		_, err := call[activities.ModelResult](w, do.WriteReport, activities.ReportInput{
			Key: key(name), Cells: append(cells[:1:1], activities.ReportCell{Panel: "unseen", Role: "student", Trajectories: d}),
		})
		final(t, err, activities.ErrTypeBadInput, words...)
	}
	refuse("limits differ", shorter, "panel unseen", `step limit is "5" and "4"`)
	refuse("no trajectories", in.Model, "is a model, expected trajectories")
	refuse("not stored", key("never"), "not found")
	if _, err := activities.BuildReport(t.Context(), w.Store, []activities.ReportCell{{Panel: "p", Trajectories: in.Games}}); err == nil || strings.Contains(err.Error(), "retryable") {
		t.Errorf("got %v, want an error without Temporal's own words", err)
	}
}
