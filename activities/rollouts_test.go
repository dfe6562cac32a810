package activities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu/gputest"
)

// shardOf asks for two rollouts of each of three tasks of the training games.
func (w *world) rollouts(t *testing.T) activities.RolloutInput {
	t.Helper()
	s := w.school(t)
	return activities.RolloutInput{
		Key: key("grpo"), Step: 3, Purpose: "train", Games: w.list(t, train(t)), Model: s.model, Tasks: []int{4, 0, 2}, Group: 2,
		RolloutParameters: activities.RolloutParameters{
			Prompts: ask.Turns, Distil: true, MaxSteps: 4, Deadline: time.Minute, Seed: 1, Draw: rollout.Draw{Temperature: 1},
			Answer: map[rollout.Phase]int{rollout.Act: 12, rollout.Distil: 20},
		},
	}
}

func (w *world) episodes(t *testing.T, d artifacts.Descriptor) []rollout.Episode {
	t.Helper()
	raw, err := artifacts.ReadAll(t.Context(), w.Store, d.Digest, d.Size)
	if err != nil {
		t.Fatal(err)
	}
	var all []rollout.Episode
	for line := range bytes.Lines(raw) {
		var e rollout.Episode
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// TestRollouts: the order of tasks and rollouts, whoever ends first; another seed, step or purpose is another draw.
func TestRollouts(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.rollouts(t)
	want := must[activities.RolloutResult](t, w, do.PlayRollouts, in)
	games := train(t)
	var got []string
	for _, e := range w.episodes(t, want.Episodes) {
		got = append(got, e.Game)
		if len(e.Said) != 5 || e.Outcome.Steps != 4 {
			t.Errorf("%s: %d answers, outcome %+v", e.Game, len(e.Said), e.Outcome)
		}
	}
	if names := []string{games[4].ID, games[4].ID, games[0].ID, games[0].ID, games[2].ID, games[2].ID}; !slices.Equal(got, names) || want.Count != 6 {
		t.Errorf("got %q, want %q", got, names)
	}
	seen := map[artifacts.Digest]bool{want.Episodes.Digest: true}
	for name, change := range map[string]func(*activities.RolloutInput){
		"step":    func(in *activities.RolloutInput) { in.Step = 4 },
		"seed":    func(in *activities.RolloutInput) { in.Key, in.Seed = key("other"), 2 },
		"purpose": func(in *activities.RolloutInput) { in.Purpose = "validate" },
	} {
		other := in
		change(&other)
		if d := must[activities.RolloutResult](t, w, do.PlayRollouts, other).Episodes.Digest; seen[d] {
			t.Errorf("another %s gives episodes that were there", name)
		} else {
			seen[d] = true
		}
	}
}

// TestRolloutsPhases: the activity's account divides the time that has passed, and neither episodes nor their digest know.
func TestRolloutsPhases(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.rollouts(t)
	want := must[activities.RolloutResult](t, w, do.PlayRollouts, in)
	var looks atomic.Int64
	w = newWorld(t, newStore(), &gputest.Runner{})
	w.rollouts(t)
	w.Now = func() time.Time { return time.Unix(looks.Add(1), 0) }
	got := must[activities.RolloutResult](t, w, do.PlayRollouts, in)
	phases := got.Work.Phases
	var names []string
	var sum time.Duration
	for name, spent := range phases {
		names = append(names, name)
		sum += spent
		if spent <= 0 {
			t.Errorf("%s took %v", name, spent)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"distil", "game", "load", "play"}) || sum > got.Work.Ended.Sub(got.Work.Started) {
		t.Errorf("phases %v of %v", phases, got.Work.Ended.Sub(got.Work.Started))
	}
	if got.Episodes.Digest != want.Episodes.Digest {
		t.Errorf("episodes %s, by another clock %s", got.Episodes.Digest, want.Episodes.Digest)
	}
	again := must[activities.RolloutResult](t, w, do.PlayRollouts, in)
	if again.Work.Phases != nil {
		t.Errorf("phases %v where nothing is played", again.Work.Phases)
	}
}

// TestRolloutsBare: the last so many of a group play without skills, and say so; nothing else of them changes.
func TestRolloutsBare(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.rollouts(t)
	in.Tasks, in.Group, in.Bare = in.Tasks[:2], 3, 2
	var got []bool
	for _, e := range w.episodes(t, must[activities.RolloutResult](t, w, do.PlayRollouts, in).Episodes) {
		got = append(got, e.Bare)
	}
	if want := []bool{false, true, true, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("without skills: got %v, want %v", got, want)
	}
}

// torn is a store that takes so many episodes' names and no more.
type torn struct {
	artifacts.Store
	mu    sync.Mutex
	takes int
}

var errTorn = errors.New("the line is cut")

func (s *torn) Name(ctx context.Context, name string, d artifacts.Digest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(name, "episodes/") {
		if s.takes == 0 {
			return errTorn
		}
		s.takes--
	}
	return s.Store.Name(ctx, name, d)
}

// TestRolloutsResume: an attempt that is cut off leaves the episodes that had ended; the next plays the others alone, and
// what comes of both is what an undisturbed one gives.
func TestRolloutsResume(t *testing.T) {
	undisturbed := newWorld(t, newStore(), &gputest.Runner{})
	want := must[activities.RolloutResult](t, undisturbed, do.PlayRollouts, undisturbed.rollouts(t))

	store := newStore()
	in := newWorld(t, store, &gputest.Runner{}).rollouts(t)
	for _, takes := range []int{2, 1, 0} {
		if _, err := call[activities.RolloutResult](newWorld(t, &torn{Store: store, takes: takes}, &gputest.Runner{}), do.PlayRollouts, in); err == nil || !strings.Contains(err.Error(), errTorn.Error()) {
			t.Fatalf("error %v, want %v", err, errTorn)
		}
	}
	names, err := store.Names(t.Context(), activities.EpisodePrefix(in.Key, in.Purpose, in.Step))
	if err != nil || len(names) != 3 {
		t.Fatalf("%q are there, %v, want 3", names, err)
	}
	last := &torn{Store: store, takes: 3}
	got := must[activities.RolloutResult](t, newWorld(t, last, &gputest.Runner{}), do.PlayRollouts, in)
	if got.Episodes.Digest != want.Episodes.Digest || last.takes != 0 {
		t.Errorf("got %s with %d names left, want %s", got.Episodes.Digest, last.takes, want.Episodes.Digest)
	}
	if !strings.Contains(got.Work.Redone, "episode 4") {
		t.Errorf("work %+v", got.Work)
	}
	// All is there: no model is even loaded.
	idle := &gputest.Runner{OnLoad: func(string) error { return errors.New("a model is loaded") }}
	if again := must[activities.RolloutResult](t, newWorld(t, store, idle), do.PlayRollouts, in); again.Episodes.Digest != want.Episodes.Digest {
		t.Errorf("again %s, want %s", again.Episodes.Digest, want.Episodes.Digest)
	}
}

// TestRolloutsClock: an episode that the clock ends is played twice and then excluded; its group's others stay.
func TestRolloutsClock(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.rollouts(t)
	in.Deadline = 1
	got := must[activities.RolloutResult](t, w, do.PlayRollouts, in)
	if got.Count != 0 || len(got.Excluded) != 6 || got.Excluded[0].Reason != "clock" {
		t.Errorf("%d episodes, excluded %+v", got.Count, got.Excluded)
	}
	in.Tasks = []int{99}
	_, err := call[activities.RolloutResult](w, do.PlayRollouts, in)
	final(t, err, activities.ErrTypeBadInput, "game 100 of", "it has 12")
}

// TestRolloutsForm: a model without a chat template, or without the token that ends plain answers, cannot be asked so.
func TestRolloutsForm(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.rollouts(t)
	in.Chat = &activities.ChatParameters{}
	_, err := call[activities.RolloutResult](w, do.PlayRollouts, in)
	final(t, err, activities.ErrTypeBadInput, "model ", "no chat_template")
}

// TestRolloutsRefuse: what no retry mends is no reason for one: answers that are longer than all that the model reads.
func TestRolloutsRefuse(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	in := w.rollouts(t)
	in.Answer[rollout.Act] = 4096
	_, err := call[activities.RolloutResult](w, do.PlayRollouts, in)
	final(t, err, activities.ErrTypeBadInput, "model ", "answers to act of 4096 tokens: expected 1 to 4095")
}
