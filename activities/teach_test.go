package activities_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
)

// TestTaught: a policy that learns on its own play from a teacher is the same whether one worker keeps it in memory or each
// activity finds a new one.
func TestTaught(t *testing.T) {
	walk := func(store artifacts.Store, fresh bool) []activities.UpdateResult {
		w := newWorld(t, store, &gputest.Runner{})
		s := w.school(t)
		lesson := s.lesson("teacher")
		lesson.Train.LoRA = &gpu.LoRA{Rank: 2, Alpha: 4}
		teacher := must[activities.ModelResult](t, w, do.TrainSFT, lesson).Digest
		games := w.list(t, train(t))
		play := activities.PlayInput{Games: games, Model: s.model, PlayParameters: activities.PlayParameters{
			MaxSteps: 4, History: 2, Deadline: time.Minute, Decoding: agent.Drawn, Seed: 7,
		}}
		how := activities.UpdateParameters{
			UpdateRule: activities.UpdateRule{
				Train: gpu.TrainConfig{Steps: 3, Rate: 0.5, Flat: 1, Floor: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Clip: 1},
				Distil: &activities.DistilRule{
					DistilConfig: learn.DistilConfig{DistilConfig: grpo.DistilConfig{Coefficient: 1, Beta: 5}, MiniBatch: 4}, History: 2, Plans: []env.PlanKind{env.Search},
				},
			},
			Steps: 3, Checkpoint: 2,
		}
		var all []activities.UpdateResult
		for step := 1; step <= 3; step++ {
			next := func() *world {
				if fresh {
					return newWorld(t, store, &gputest.Runner{})
				}
				return w
			}
			play.Tasks = [][]int{{3, 1}, {0, 11}, {5, 2}}[step-1]
			played := must[activities.PlayResult](t, next(), do.PlayShard, play)
			res := must[activities.UpdateResult](t, next(), do.UpdatePolicy, activities.UpdateInput{
				Key: key("taught"), Step: step, Start: s.model, Policy: play.Model, Teacher: teacher, Games: games,
				Episodes: []artifacts.Descriptor{played.Trajectories}, UpdateParameters: how,
			})
			res.Work = activities.Work{}
			all, play.Model = append(all, res), res.Policy
		}
		return all
	}
	store := newStore()
	want := walk(store, false)
	if got := walk(newStore(), true); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	w := newWorld(t, store, &gputest.Runner{})
	var f activities.UpdateFigures
	if err := json.Unmarshal(w.file(t, want[2].Policy, activities.UpdateFile), &f); err != nil {
		t.Fatal(err)
	}
	if f.Distil == nil || f.Distil.Episodes != 2 || f.Distil.Report.Lessons != 8 || len(f.Distil.Report.Steps) != 2 || f.Report != nil {
		t.Errorf("figures %+v", f)
	}
	var played []string
	for trajectory, err := range agent.Trajectories(bytes.NewReader(w.file(t, want[2].Policy, activities.EpisodesFile))) {
		if err != nil {
			t.Fatal(err)
		}
		played = append(played, trajectory.Game)
	}
	if games := train(t); !slices.Equal(played, []string{games[5].ID, games[2].ID}) {
		t.Errorf("played %q", played)
	}
	if bytes.Equal(w.file(t, want[1].Model, "model.safetensors"), w.file(t, want[2].Model, "model.safetensors")) {
		t.Error("a step changed no weight")
	}
	_, err := call[activities.UpdateResult](w, do.UpdatePolicy, activities.UpdateInput{
		Key: key("none"), Step: 1, Start: w.school(t).model, Policy: w.school(t).model,
		UpdateParameters: activities.UpdateParameters{UpdateRule: activities.UpdateRule{Distil: &activities.DistilRule{}}},
	})
	final(t, err, activities.ErrTypeBadInput, "expected a teacher and the list of the games")
}
