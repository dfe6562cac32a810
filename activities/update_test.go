package activities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
)

// course is a training of four steps with a checkpoint after the second and the last.
type course struct {
	in  activities.RolloutInput
	how activities.UpdateParameters

	lost []activities.ExcludedEpisode // of each step
}

func (w *world) course(t *testing.T, lora *gpu.LoRA) course {
	t.Helper()
	c, err := credit.Named("grpo")
	if err != nil {
		t.Fatal(err)
	}
	c.Parts[0].Baseline, c.Parts[0].Scale = credit.NoBaseline, credit.Unscaled // no game is won here, and all answers are faulty
	return course{in: w.rollouts(t), how: activities.UpdateParameters{
		UpdateRule: activities.UpdateRule{
			Learn: learn.Config{Credit: c, KL: 0.01, Temperature: 1, MiniBatch: 8}, Group: 2,
			Train: gpu.TrainConfig{Steps: 4, Rate: 0.5, Flat: 1, Floor: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Clip: 1, LoRA: lora},
		},
		Steps: 4, Checkpoint: 2,
	}}
}

// trail is what a step leaves.
type trail struct {
	Episodes      artifacts.Descriptor
	Policy, Model artifacts.Digest
	Note          string
}

// walk takes steps from to behind what has been done, each activity on the worker that it is given.
func (c course) walk(t *testing.T, worker func() *world, done []trail, to int) []trail {
	t.Helper()
	for step := len(done) + 1; step <= to; step++ {
		policy := c.in.Model
		if len(done) > 0 {
			policy = done[len(done)-1].Policy
		}
		in := c.in
		in.Step, in.Model = step, policy
		played := must[activities.RolloutResult](t, worker(), do.PlayRollouts, in)
		res := must[activities.UpdateResult](t, worker(), do.UpdatePolicy, activities.UpdateInput{
			Key: in.Key, Step: step, Start: c.in.Model, Policy: policy, Episodes: []artifacts.Descriptor{played.Episodes}, Excluded: c.lost, UpdateParameters: c.how,
		})
		done = append(done, trail{played.Episodes, res.Policy, res.Model, res.Note})
	}
	return done
}

// TestUpdatesOnAnyWorker: a worker that has nothing in memory goes on from the newest state and repeats the updates behind
// it; what comes of it is what one worker gives that keeps all in memory.
func TestUpdatesOnAnyWorker(t *testing.T) {
	for name, lora := range map[string]*gpu.LoRA{"full": nil, "lora": {Rank: 2, Alpha: 4}} {
		t.Run(name, func(t *testing.T) {
			one := newWorld(t, newStore(), &gputest.Runner{})
			c := one.course(t, lora)
			want := c.walk(t, func() *world { return one }, nil, 4)
			seen := map[artifacts.Digest]bool{}
			for i, step := range want {
				if seen[step.Policy] || seen[step.Episodes.Digest] {
					t.Errorf("step %d is one that was there", i+1)
				}
				seen[step.Policy], seen[step.Episodes.Digest] = true, true
				if got, kept := step.Model != "", i%2 == 1; got != kept {
					t.Errorf("step %d has a model: %v, want %v", i+1, got, kept)
				}
			}
			if bytes.Equal(one.file(t, want[1].Model, weights(lora)), one.file(t, want[3].Model, weights(lora))) {
				t.Error("two steps changed no weight")
			}
			store := newStore()
			if other := newWorld(t, store, &gputest.Runner{}).course(t, lora); other.in.Model != c.in.Model {
				t.Fatal("another start")
			}
			got := c.walk(t, func() *world { return newWorld(t, store, &gputest.Runner{}) }, nil, 4)
			if !slices.Equal(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

func weights(lora *gpu.LoRA) string {
	if lora != nil {
		return "adapter_model.safetensors"
	}
	return "model.safetensors"
}

// TestUpdatesResume: an update whose name was not written is made again by the same worker and by another, and one that has
// its name is not made again.
func TestUpdatesResume(t *testing.T) {
	one := newWorld(t, newStore(), &gputest.Runner{})
	c := one.course(t, nil)
	want := c.walk(t, func() *world { return one }, nil, 4)

	store := &unnamed{Store: newStore()}
	cut := newWorld(t, store, &gputest.Runner{})
	cut.course(t, nil)
	done := c.walk(t, func() *world { return cut }, nil, 2)
	for _, worker := range []*world{cut, newWorld(t, store, &gputest.Runner{})} {
		store.prefix = "updates/"
		in := c.in
		in.Step, in.Model = 3, done[1].Policy
		played := must[activities.RolloutResult](t, worker, do.PlayRollouts, in)
		update := activities.UpdateInput{
			Key: in.Key, Step: 3, Start: c.in.Model, Policy: done[1].Policy, Episodes: []artifacts.Descriptor{played.Episodes}, UpdateParameters: c.how,
		}
		if _, err := call[activities.UpdateResult](worker, do.UpdatePolicy, update); err == nil || !strings.Contains(err.Error(), errTorn.Error()) {
			t.Fatalf("error %v, want %v", err, errTorn)
		}
	}
	store.prefix = ""
	if got := c.walk(t, func() *world { return cut }, done, 4); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	steps := 0
	idle := newWorld(t, store, &gputest.Runner{OnStep: func(int) error { steps++; return nil }})
	if got := c.walk(t, func() *world { return idle }, nil, 4); !slices.Equal(got, want) || steps != 0 {
		t.Errorf("%d optimiser steps, got %+v\nwant none and %+v", steps, got, want)
	}
}

// TestUpdatesNameTheExcluded: what a step has lost is in its update, also where another worker repeats it.
func TestUpdatesNameTheExcluded(t *testing.T) {
	one := newWorld(t, newStore(), &gputest.Runner{})
	c := one.course(t, nil)
	c.lost = []activities.ExcludedEpisode{{Game: "slow", Rollout: 1, Reason: "clock"}, {Game: "slow", Rollout: 0, Reason: "clock"}}
	want := c.walk(t, func() *world { return one }, nil, 4)
	store := newStore()
	newWorld(t, store, &gputest.Runner{}).course(t, nil)
	if got := c.walk(t, func() *world { return newWorld(t, store, &gputest.Runner{}) }, nil, 4); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	m, err := artifacts.GetManifest(t.Context(), store, want[2].Policy)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.Summary); got != `{"lost":[{"game":"slow","reason":"clock","rollout":1},{"game":"slow","reason":"clock","rollout":0}],"step":3}` {
		t.Errorf("summary %s", got)
	}
	if in, err := activities.UpdateOf(want[2].Policy, m); err != nil || !slices.Equal(in.Excluded, c.lost) {
		t.Errorf("got %+v, %v, want %+v", in.Excluded, err, c.lost)
	}
}

// TestUpdatesBehindAStop: a training that was stopped between two checkpoints, and another one of other checkpoints, leave
// weights in the store. One that comes by says of its own checkpoints alone that it has a model, as if they were not there.
func TestUpdatesBehindAStop(t *testing.T) {
	one := newWorld(t, newStore(), &gputest.Runner{})
	want := one.course(t, nil).walk(t, func() *world { return one }, nil, 4)

	stopped := newWorld(t, newStore(), &gputest.Runner{})
	c := stopped.course(t, nil)
	done := c.walk(t, func() *world { return stopped }, nil, 3)
	must[activities.UpdateResult](t, stopped, do.StorePolicy, activities.StorePolicyInput{Policy: done[2].Policy})
	if got := c.walk(t, func() *world { return stopped }, nil, 4); !slices.Equal(got, want) {
		t.Errorf("behind a stop: got %+v\nwant %+v", got, want)
	}
	other := c
	other.in.Key, other.how.Checkpoint = key("other"), 3
	for i, step := range other.walk(t, func() *world { return stopped }, nil, 4) {
		if got, kept := step.Model != "", i == 2 || i == 3; step.Policy != want[i].Policy || got != kept {
			t.Errorf("with another checkpoint, step %d: policy %s, want %s; a model: %v, want %v", i+1, step.Policy.Short(), want[i].Policy.Short(), got, kept)
		}
	}
}

// unnamed is a store that takes no names that begin with prefix.
type unnamed struct {
	artifacts.Store
	prefix string
}

func (s *unnamed) Name(ctx context.Context, name string, d artifacts.Digest) error {
	if s.prefix != "" && strings.HasPrefix(name, s.prefix) {
		return errTorn
	}
	return s.Store.Name(ctx, name, d)
}

// TestUpdatesInTurns: three trainings that take turns on one worker repeat nothing. Of four, each finds that it has been put
// out: its first step is repeated for the second, and the third goes on from the state behind that.
func TestUpdatesInTurns(t *testing.T) {
	for trainings, want := range map[int]int{1: 3 * 2, 3: 3 * 3 * 2, 4: 4 * (2 + 4 + 2)} {
		steps := 0
		w := newWorld(t, newStore(), &gputest.Runner{OnStep: func(int) error { steps++; return nil }})
		c := w.course(t, nil)
		c.how.Learn.MiniBatch = 16 // two optimiser steps a step
		done := make([][]trail, trainings)
		for step := 1; step <= 3; step++ {
			for i := range done {
				one := c
				one.in.Key, one.in.Seed, one.how.Train.Rate = key(fmt.Sprint(i)), uint64(i), 0.1*float64(i+1)
				done[i] = one.walk(t, func() *world { return w }, done[i], step)
			}
		}
		if steps != want {
			t.Errorf("%d trainings: %d optimiser steps, want %d", trainings, steps, want)
		}
	}
}

// TestUpdateNotFinite: the step is named, its batch kept, and no retry asked for.
func TestUpdateNotFinite(t *testing.T) {
	runner := &gputest.Runner{OnStep: func(int) error { return fmt.Errorf("loss NaN: %w", gpu.ErrNotFinite) }}
	w := newWorld(t, newStore(), runner)
	c := w.course(t, nil)
	played := must[activities.RolloutResult](t, w, do.PlayRollouts, c.in)
	in := activities.UpdateInput{
		Key: c.in.Key, Step: 1, Start: c.in.Model, Policy: c.in.Model, Episodes: []artifacts.Descriptor{played.Episodes}, UpdateParameters: c.how,
	}
	_, err := call[activities.UpdateResult](w, do.UpdatePolicy, in)
	final(t, err, activities.ErrTypeNumbers, "step 1", "loss NaN", "the batch is stored as sha256:")
	in.Learn.Credit.Parts = nil
	_, err = call[activities.UpdateResult](w, do.UpdatePolicy, in)
	final(t, err, activities.ErrTypeBadInput, "parts: expected at least one")
}

// TestOutcome: the lines of all steps and validations, and models by name; a stopped training is no result of its stage.
func TestOutcome(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	c := w.course(t, nil)
	done := c.walk(t, func() *world { return w }, nil, 3)
	last := must[activities.UpdateResult](t, w, do.StorePolicy, activities.StorePolicyInput{Policy: done[2].Policy})
	if again := must[activities.UpdateResult](t, newWorld(t, w.Store, &gputest.Runner{}), do.StorePolicy, activities.StorePolicyInput{Policy: done[2].Policy}); again.Model != last.Model || last.Model == "" {
		t.Errorf("models %q and %q", last.Model, again.Model)
	}
	validation := w.validated(t, c, done[1].Policy)
	in := activities.OutcomeInput{
		Key: c.in.Key, Start: c.in.Model, Games: c.in.Games, Policy: done[2].Policy, Best: 2, Stopped: true,
		Models:      []activities.StepModel{{Step: 2, Model: done[1].Model}, {Step: 3, Model: last.Model}},
		Validations: []artifacts.Digest{validation.Digest},
	}
	res := must[activities.OutcomeResult](t, w, do.PublishOutcome, in)
	if res.Model != done[1].Model || res.Note != "stopped after step 3, best at 2" {
		t.Errorf("result %+v", res)
	}
	var steps []activities.StepLine
	for line := range bytes.Lines(w.file(t, res.Digest, activities.StepsFile)) {
		var s activities.StepLine
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	for i, s := range steps {
		if s.Step != i+1 || s.Policy != done[i].Policy || s.Report.Samples == 0 || s.Figures.Episodes != 6 {
			t.Errorf("line %d: %+v", i+1, s)
		}
	}
	var v activities.ValidationLine
	if err := json.Unmarshal(w.file(t, res.Digest, activities.ValidationsFile), &v); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 || v.Policy != done[1].Policy || v.Digest != validation.Digest || v.Count != 6 || v.Step != 2 || v.Panel != "small" {
		t.Errorf("%d steps, validation %+v", len(steps), v)
	}
	if _, err := w.Store.Resolve(t.Context(), activities.StageName(c.in.Key)); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("the stage of a stopped training: %v, want none", err)
	}
	in.Stopped = false
	whole := must[activities.OutcomeResult](t, w, do.PublishOutcome, in)
	if d, err := w.Store.Resolve(t.Context(), activities.StageName(c.in.Key)); err != nil || d != whole.Digest {
		t.Errorf("the stage is %s, %v, want %s", d, err, whole.Digest)
	}
	in.Best = 1
	_, err := call[activities.OutcomeResult](w, do.PublishOutcome, in)
	final(t, err, activities.ErrTypeBadInput, "best step 1 has no checkpoint")
}

// validated plays and collects a validation of the course's games.
func (w *world) validated(t *testing.T, c course, policy artifacts.Digest) activities.ValidationResult {
	t.Helper()
	in := c.in
	in.Model, in.Step, in.Purpose, in.Tasks = policy, 2, "validation/without", []int{0, 1, 2}
	played := must[activities.RolloutResult](t, w, do.PlayRollouts, in)
	ask := activities.ValidationInput{
		Key: in.Key, Step: 2, Panel: "small", Games: in.Games, Policy: policy, Group: in.Group,
		Episodes: []artifacts.Descriptor{played.Episodes}, RolloutParameters: in.RolloutParameters,
	}
	res := must[activities.ValidationResult](t, w, do.CollectRollouts, ask)
	in.Tasks = []int{0, 2}
	fewer := ask
	fewer.Episodes = []artifacts.Descriptor{must[activities.RolloutResult](t, w, do.PlayRollouts, in).Episodes}
	less := must[activities.ValidationResult](t, w, do.CollectRollouts, fewer)
	if v, err := activities.ReadValidation(t.Context(), w.Store, less.Digest); err != nil || v.Count != 4 || v.Excluded != 20 {
		t.Errorf("two of the twelve games: %+v, %v, want 20 episodes excluded", v, err)
	}
	in.Tasks = []int{2, 1}
	wrong := ask
	wrong.Episodes = []artifacts.Descriptor{must[activities.RolloutResult](t, w, do.PlayRollouts, in).Episodes}
	_, err := call[activities.ValidationResult](w, do.CollectRollouts, wrong)
	final(t, err, activities.ErrTypeAudit, "expected 2 of each of the panel's games, in order")
	return res
}

// overtaken is a store in which an attempt that was thought lost comes first with every episode and update, on a device
// whose numbers are a little apart.
type overtaken struct {
	artifacts.Store
	first sync.Map // digest by name
}

func (s *overtaken) Name(ctx context.Context, name string, d artifacts.Digest) error {
	var other artifacts.Descriptor
	var err error
	switch {
	case strings.HasPrefix(name, "episodes/"):
		var e rollout.Episode
		var raw []byte
		if raw, err = artifacts.ReadAll(ctx, s.Store, d, 1<<20); err == nil {
			err = json.Unmarshal(raw, &e)
		}
		if err == nil {
			e.Said[0].LogProbs[0] += 1e-3
			raw, err = json.Marshal(e)
		}
		if err == nil {
			other, err = artifacts.PutBytes(ctx, s.Store, "application/jsonl", raw)
		}
	case strings.HasPrefix(name, "updates/"):
		var m *artifacts.Manifest
		if m, err = artifacts.GetManifest(ctx, s.Store, d); err == nil {
			m.Producer.Version += ", elsewhere"
			other, err = artifacts.PutManifest(ctx, s.Store, *m)
		}
	default:
		return s.Store.Name(ctx, name, d)
	}
	if err == nil {
		err = s.Store.Name(ctx, name, other.Digest)
	}
	if err != nil {
		return err
	}
	s.first.Store(name, other.Digest)
	return s.Store.Name(ctx, name, d)
}

// TestUpdatesOvertaken: of two attempts that come to numbers a little apart, what was named first counts, and the training
// goes on with it.
func TestUpdatesOvertaken(t *testing.T) {
	store := &overtaken{Store: newStore()}
	w := newWorld(t, store, &gputest.Runner{})
	c := w.course(t, nil)
	for i, step := range c.walk(t, func() *world { return w }, nil, 3) {
		if first, _ := store.first.Load(activities.UpdateName(c.in.Key, i+1)); step.Policy != first {
			t.Errorf("step %d: policy %s, want %s, which was named", i+1, step.Policy.Short(), first)
		}
		for _, e := range w.episodes(t, step.Episodes) {
			raw, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			named := false
			store.first.Range(func(_, d any) bool {
				named = d == artifacts.Of(raw)
				return !named
			})
			if !named {
				t.Errorf("step %d: rollout %d of %s is not the one that was named", i+1, e.Rollout, e.Game)
			}
		}
	}
}
