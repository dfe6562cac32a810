package activities_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu/gputest"
)

// ended is how an episode ended: won, and how many of four subtasks its lesson tells as done, -1 without a lesson.
type ended struct {
	won  bool
	done int
}

// retro is a training by RetroAgent's credit whose episodes, of three games and two rollouts each, end as they are told to.
type retro struct {
	course
	ends [][]ended // by step
}

func (w *world) retro(t *testing.T) retro {
	t.Helper()
	c := w.course(t, nil)
	var err error
	if c.how.Learn.Credit, err = credit.Named("retroagent"); err != nil {
		t.Fatal(err)
	}
	lost := ended{}
	return retro{c, [][]ended{
		{{false, 2}, {false, 1}, {true, 0}, {false, 1}, lost, {false, -1}},
		{{true, 4}, {false, 3}, {false, 3}, {false, 1}, lost, lost},
		{{false, 3}, {false, 2}, {true, 0}, {true, 0}, lost, lost},
	}}
}

// update is the input of a step that follows a policy: what its episodes are given to have come to stands in their place.
func (r retro) update(t *testing.T, w *world, step int, policy artifacts.Digest) activities.UpdateInput {
	t.Helper()
	in := r.in
	in.Step, in.Model = step, policy
	episodes := w.episodes(t, must[activities.RolloutResult](t, w, do.PlayRollouts, in).Episodes)
	for i, end := range r.ends[step-1] {
		e := &episodes[i]
		e.Outcome = agent.Outcome{Won: end.won, Reason: map[bool]string{true: agent.ReasonWon, false: agent.ReasonSteps}[end.won], Steps: e.Outcome.Steps}
		e.Lesson = nil
		if end.done < 0 {
			continue
		}
		e.Lesson = &reply.Lesson{Success: end.won}
		for k := range 4 {
			e.Lesson.Subtasks = append(e.Lesson.Subtasks, reply.Subtask{Completed: k < end.done})
		}
	}
	return activities.UpdateInput{
		Key: in.Key, Step: step, Start: r.in.Model, Policy: policy, Episodes: []artifacts.Descriptor{w.shardOf(t, episodes...)}, UpdateParameters: r.how,
	}
}

// TestIntrinsicAlongUpdates: a game's best rate goes from update to update. By hand, of games A, B and C in the order of
// tasks: in step 1 B is won once of two; in step 2 A, whose bonuses are 1 and 3/4 still, and B's are held against 1/2; in
// step 3 A's are 1/4 and 0, and B is won twice, 1/2 above its best each. An update is the same made again by whoever has to:
// by the worker that was cut off, and by one that has nothing in memory and no name to go by.
func TestIntrinsicAlongUpdates(t *testing.T) {
	store := &unnamed{Store: newStore()}
	w := newWorld(t, store, &gputest.Runner{})
	r := w.retro(t)
	r.how.Checkpoint, r.how.Steps = 10, 10 // no state is kept: updates are repeated from the start
	games := train(t)
	ids := []string{games[4].ID, games[0].ID, games[2].ID}
	want := []struct {
		best    map[string]float64
		bonuses []float64
		raised  int
	}{
		{map[string]float64{ids[1]: 0.5}, []float64{0.5, 0.25, 1, 0.25, 0, 0}, 1},
		{map[string]float64{ids[0]: 0.5, ids[1]: 0.5}, []float64{1, 0.75, 0.25, 0, 0, 0}, 1},
		{map[string]float64{ids[0]: 0.5, ids[1]: 1}, []float64{0.25, 0, 0.5, 0.5, 0, 0}, 1},
	}
	policy := r.in.Model
	for i, step := range want {
		in := r.update(t, w, i+1, policy)
		if i == 2 { // killed between the update and its name, twice
			store.prefix = "updates/"
			for _, worker := range []*world{w, newWorld(t, store, &gputest.Runner{})} {
				if _, err := call[activities.UpdateResult](worker, do.UpdatePolicy, in); err == nil || !strings.Contains(err.Error(), errTorn.Error()) {
					t.Fatalf("error %v, want %v", err, errTorn)
				}
			}
			store.prefix = ""
		}
		before := policy
		policy = must[activities.UpdateResult](t, w, do.UpdatePolicy, in).Policy
		var best map[string]float64
		raw := w.file(t, policy, activities.BestFile)
		if err := json.Unmarshal(raw, &best); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(step.best)
		if err != nil || string(raw) != string(sorted) {
			t.Errorf("step %d: best rates %s, want %s", i+1, raw, sorted)
		}
		var figures activities.UpdateFigures
		if err := json.Unmarshal(w.file(t, policy, activities.UpdateFile), &figures); err != nil {
			t.Fatal(err)
		}
		if got := figures.Report.Intrinsic; got == nil || got.Bonus != credit.SpreadOf(step.bonuses) || got.Raised != step.raised {
			t.Errorf("step %d: %+v, want bonuses %v", i+1, got, step.bonuses)
		}
		// Another stage's key: nothing is found by name, and all is made again.
		again := in
		again.Key = key("again")
		other := newWorld(t, store, &gputest.Runner{})
		if res := must[activities.UpdateResult](t, other, do.UpdatePolicy, again); res.Policy != policy {
			t.Errorf("step %d after %s: again %s, want %s", i+1, before.Short(), res.Policy, policy)
		}
	}
}

// TestWithoutIntrinsic: where there is no such reward an update has no more files than before.
func TestWithoutIntrinsic(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	r := w.retro(t)
	r.how.Learn.Credit.Intrinsic = 0
	res := must[activities.UpdateResult](t, w, do.UpdatePolicy, r.update(t, w, 1, r.in.Model))
	m := w.manifest(t, res.Policy)
	var files []string
	for _, out := range m.Outputs {
		files = append(files, out.Name)
	}
	if want := []string{activities.EpisodesFile, activities.UpdateFile}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
	if raw := string(w.file(t, res.Policy, activities.UpdateFile)) + string(m.Parameters); strings.Contains(raw, "intrinsic") {
		t.Errorf("it is in %s", raw)
	}
	// One that should have kept the rates and has not is no beginning for another.
	in := r.update(t, w, 2, res.Policy)
	in.Learn.Credit.Intrinsic = 1
	_, err := call[activities.UpdateResult](w, do.UpdatePolicy, in)
	final(t, err, activities.ErrTypeBadInput, "has no best.json")
}
