package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

// grpoWorld answers the activities of a training by rewards and remembers what was asked of it. Digests are of names
// such as policy 2, so that what follows from what can be read.
type grpoWorld struct {
	mu       sync.Mutex
	names    map[artifacts.Digest]string
	calls    []string // but for Begin
	outcome  activities.OutcomeInput
	finished activities.Finished
	runs     int

	before   string                                                     // a change that was not there when the training was begun
	fault    func(in activities.UpdateInput) error                      // may be nil
	excluded map[int][]activities.ExcludedEpisode                       // by step
	won      func(step int, with bool) int                              // of a validation; may be nil
	at       map[time.Duration]func(*testsuite.TestWorkflowEnvironment) // after the start
}

func (w *grpoWorld) digest(name string) artifacts.Digest {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := artifacts.Of([]byte(name))
	if w.names == nil {
		w.names = map[artifacts.Digest]string{}
	}
	w.names[d] = name
	return d
}

func (w *grpoWorld) name(d artifacts.Digest) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d == "" {
		return "-"
	}
	return w.names[d]
}

func (w *grpoWorld) call(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, fmt.Sprintf(format, args...))
}

func (w *grpoWorld) shards(all []artifacts.Descriptor) string {
	var names []string
	for _, d := range all {
		names = append(names, w.name(d.Digest))
	}
	return strings.Join(names, "+")
}

func (w *grpoWorld) register(env *testsuite.TestWorkflowEnvironment) {
	env.RegisterActivity(&activities.Activities{})
	var do *activities.Activities
	env.OnActivity(do.Begin, anything, anything).Return(func(context.Context, activities.StageInput) (*activities.Begun, error) {
		return &activities.Begun{Key: w.digest("key")}, nil
	})
	env.OnActivity(do.PlayRollouts, anything, anything).Return(w.play)
	env.OnActivity(do.LearnSkills, anything, anything).Return(func(_ context.Context, in activities.SkillsInput) (*activities.SkillsResult, error) {
		begun := ""
		if in.Bank != "" {
			begun = ", begun with " + w.name(in.Bank)
		}
		w.call("learn %s from %s%s", w.name(in.Library), w.shards(in.Episodes), begun)
		next := "library 0"
		if in.Library != "" {
			var n int
			if _, err := fmt.Sscanf(w.name(in.Library), "library %d", &n); err != nil {
				return nil, err
			}
			next = fmt.Sprintf("library %d", n+1)
		}
		return &activities.SkillsResult{Library: w.digest(next)}, nil
	})
	env.OnActivity(do.UpdatePolicy, anything, anything).Return(func(_ context.Context, in activities.UpdateInput) (*activities.UpdateResult, error) {
		if w.fault != nil {
			if err := w.fault(in); err != nil {
				return nil, err
			}
		}
		w.call("update %s from %s on %s, library %s to %s%s", w.name(in.Policy), w.name(in.Start), w.shards(in.Episodes), w.name(in.Library), w.name(in.Learned),
			map[bool]string{true: ", episodes lost"}[len(in.Excluded) > 0])
		res := &activities.UpdateResult{Policy: w.digest(fmt.Sprintf("policy %d", in.Step)), Note: "loss 0.5"}
		if in.Step%in.Checkpoint == 0 || in.Step == in.Steps {
			res.Model = w.digest(fmt.Sprintf("model %d", in.Step))
		}
		return res, nil
	})
	env.OnActivity(do.CollectRollouts, anything, anything).Return(func(_ context.Context, in activities.ValidationInput) (*activities.ValidationResult, error) {
		w.call("collect %s of %s, library %s", w.shards(in.Episodes), w.name(in.Policy), w.name(in.Library))
		res := &activities.ValidationResult{Digest: w.digest(fmt.Sprintf("validation %d %t", in.Step, in.With)), Count: 2}
		if w.won != nil {
			res.Won = w.won(in.Step, in.With)
		}
		return res, nil
	})
	env.OnActivity(do.StorePolicy, anything, anything).Return(func(_ context.Context, in activities.StorePolicyInput) (*activities.UpdateResult, error) {
		w.call("keep %s", w.name(in.Policy))
		return &activities.UpdateResult{Policy: in.Policy, Model: w.digest("kept")}, nil
	})
	env.OnActivity(do.PublishOutcome, anything, anything).Return(func(_ context.Context, in activities.OutcomeInput) (*activities.OutcomeResult, error) {
		w.outcome = in
		w.call("publish %s, library %s, best %d, stopped %t", w.name(in.Policy), w.name(in.Library), in.Best, in.Stopped)
		return &activities.OutcomeResult{Digest: w.digest("outcome"), Note: "done"}, nil
	})
	env.OnActivity(do.Finish, anything, anything).Return(func(_ context.Context, in activities.Finished) error {
		w.finished = in
		return nil
	})
}

func (w *grpoWorld) play(_ context.Context, in activities.RolloutInput) (*activities.RolloutResult, error) {
	w.call("play %s step %d %v x %d by %s, library %s", in.Purpose, in.Step, in.Tasks, in.Group, w.name(in.Model), w.name(in.Library))
	shard := w.digest(fmt.Sprintf("%s %d %v", in.Purpose, in.Step, in.Tasks))
	res := &activities.RolloutResult{Episodes: artifacts.Descriptor{Digest: shard}, Count: len(in.Tasks) * in.Group, Won: 1}
	if in.Purpose == "train" && slices.Contains(in.Tasks, 0) {
		res.Excluded = w.excluded[in.Step]
	}
	return res, nil
}

// input is a small training; change may be nil.
func (w *grpoWorld) input(method string, change func(*workflows.GRPOSpec)) workflows.GRPOInput {
	g := workflows.DefaultGRPO(method, "", "")
	g.Steps, g.Tasks, g.Group, g.Shard, g.Checkpoint, g.Validate = 3, 2, 4, 1, 2, workflows.ValidateSpec{Panel: "unseen", Every: 2, Samples: 3}
	if change != nil {
		change(&g)
	}
	return workflows.GRPOInput{
		Run: "r", Name: "grpo", Start: w.digest("start"), GRPO: g,
		Games: workflows.FrozenPanel{Name: "train", Games: w.digest("games"), Count: 2},
		Panel: workflows.FrozenPanel{Name: "unseen", Games: w.digest("panel"), Count: 1},
	}
}

// run goes through a training, workflow run by workflow run.
func (w *grpoWorld) run(t *testing.T, in workflows.GRPOInput) (*workflows.StageResult, error) {
	t.Helper()
	for {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(silent{})
		env := suite.NewTestWorkflowEnvironment()
		env.SetWorkerOptions(patient)
		env.SetTestTimeout(time.Minute)
		env.RegisterWorkflow(workflows.GRPO)
		w.register(env)
		if w.before != "" {
			env.OnGetVersion(w.before, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
		}
		if w.runs == 0 {
			for after, what := range w.at {
				env.RegisterDelayedCallback(func() { what(env) }, after)
			}
		}
		w.runs++
		env.ExecuteWorkflow(workflows.GRPO, in)
		err := env.GetWorkflowError()
		var more *workflow.ContinueAsNewError
		if errors.As(err, &more) {
			in = workflows.GRPOInput{}
			if err := converter.GetDefaultDataConverter().FromPayloads(more.Input, &in); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		var res workflows.StageResult
		return &res, env.GetWorkflowResult(&res)
	}
}

// whole is what three steps with a validation every two ask for, to the letter.
var whole = []string{
	"learn - from ",
	"play validation/with step 0 [0] x 3 by start, library library 0",
	"collect validation/with 0 [0] of start, library library 0",
	"play validation/without step 0 [0] x 3 by start, library -",
	"collect validation/without 0 [0] of start, library -",

	"play train step 1 [A1] x 4 by start, library library 0",
	"play train step 1 [B1] x 4 by start, library library 0",
	"learn library 0 from train 1 [A1]+train 1 [B1]",
	"update start from start on train 1 [A1]+train 1 [B1], library library 0 to library 1",

	"play train step 2 [A2] x 4 by policy 1, library library 1",
	"play train step 2 [B2] x 4 by policy 1, library library 1",
	"learn library 1 from train 2 [A2]+train 2 [B2]",
	"update policy 1 from start on train 2 [A2]+train 2 [B2], library library 1 to library 2",
	"play validation/with step 2 [0] x 3 by policy 2, library library 2",
	"collect validation/with 2 [0] of policy 2, library library 2",
	"play validation/without step 2 [0] x 3 by policy 2, library -",
	"collect validation/without 2 [0] of policy 2, library -",

	"play train step 3 [A3] x 4 by policy 2, library library 2",
	"play train step 3 [B3] x 4 by policy 2, library library 2",
	"learn library 2 from train 3 [A3]+train 3 [B3]",
	"update policy 2 from start on train 3 [A3]+train 3 [B3], library library 2 to library 3",
	"play validation/with step 3 [0] x 3 by policy 3, library library 3",
	"collect validation/with 3 [0] of policy 3, library library 3",
	"play validation/without step 3 [0] x 3 by policy 3, library -",
	"collect validation/without 3 [0] of policy 3, library -",

	"publish policy 3, library library 3, best BEST, stopped false",
}

// expected is whole with the games that each step plays in the places of its letters. Shards of a step end in any order.
func expected(best int) []string {
	text := strings.Join(whole, "\n")
	for step := 1; step <= 3; step++ {
		for i, task := range workflows.Tasks(1, step, 2, 2) {
			text = strings.ReplaceAll(text, fmt.Sprintf("%c%d", 'A'+i, step), fmt.Sprint(task))
		}
	}
	return strings.Split(strings.ReplaceAll(text, "BEST", fmt.Sprint(best)), "\n")
}

// ordered sorts the shards of a step, which are begun at once.
func ordered(calls []string) []string {
	all := slices.Clone(calls)
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && strings.HasPrefix(all[j], "play train") {
			j++
		}
		slices.Sort(all[i:j])
		i = max(j, i+1)
	}
	return all
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	got, want = ordered(got), ordered(want)
	if !slices.Equal(got, want) {
		t.Errorf("asked for\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestGRPO(t *testing.T) {
	w := &grpoWorld{won: func(step int, with bool) int { return map[bool]int{true: min(step, 2), false: 0}[with] }}
	res, err := w.run(t, w.input("skill1-paper", nil))
	if err != nil {
		t.Fatal(err)
	}
	same(t, w.calls, expected(2)) // steps 2 and 3 won as much: the earlier
	if res.Digest != w.digest("outcome") || res.Note != "done" || res.Stopped != 0 || w.finished.Stopped != 0 || w.finished.Digest != res.Digest {
		t.Errorf("got %+v, recorded %+v", res, w.finished)
	}
	models := []activities.StepModel{{Model: w.digest("start")}, {Step: 2, Model: w.digest("model 2")}, {Step: 3, Model: w.digest("model 3")}}
	if !slices.Equal(w.outcome.Models, models) {
		t.Errorf("models: got %v, want %v", w.outcome.Models, models)
	}
	var validations []string
	for _, d := range w.outcome.Validations {
		validations = append(validations, w.name(d))
	}
	if want := []string{"validation 0 true", "validation 0 false", "validation 2 true", "validation 2 false", "validation 3 true", "validation 3 false"}; !slices.Equal(validations, want) {
		t.Errorf("validations: got %v, want %v", validations, want)
	}
}

// The best policy is the first of those that won most, of those whose weights are kept: here of steps 0, 2 and 3.
func TestGRPOBest(t *testing.T) {
	for want, won := range map[int][]int{2: {0, 2, 1, 0}, 3: {0, 0, 1, 2}, 0: {1, 2, 1, 1}} {
		w := &grpoWorld{won: func(step int, with bool) int { return map[bool]int{true: won[step], false: 2 - won[step]}[with] }}
		if _, err := w.run(t, w.input("skill1-paper", func(g *workflows.GRPOSpec) { g.Validate.Every = 1 })); err != nil {
			t.Fatal(err)
		}
		if w.outcome.Best != want {
			t.Errorf("won %v of 2 with skills: best %d, want %d", won, w.outcome.Best, want)
		}
	}
}

// A bank is what the library begins with, and is asked for once.
func TestGRPOWithBank(t *testing.T) {
	w := &grpoWorld{}
	if _, err := w.run(t, w.input("skillrl", func(g *workflows.GRPOSpec) { g.Bank, g.Chain = w.digest("bank"), 1 })); err != nil {
		t.Fatal(err)
	}
	var learnt []string
	for _, call := range w.calls {
		if strings.HasPrefix(call, "learn") {
			learnt = append(learnt, call)
		}
	}
	if len(learnt) != 4 || learnt[0] != "learn - from , begun with bank" || strings.Contains(strings.Join(learnt[1:], ""), "bank") || !strings.HasPrefix(learnt[3], "learn library 2 from ") {
		t.Errorf("got %q", learnt)
	}
}

// A training that was begun when every bank was a stored library goes on with it as it is.
func TestGRPOWithLibraryBefore(t *testing.T) {
	w := &grpoWorld{before: "bank"}
	if _, err := w.run(t, w.input("skillrl", func(g *workflows.GRPOSpec) { g.Bank = w.digest("library 7") })); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(w.calls, func(call string) bool { return strings.HasPrefix(call, "learn") })
	if got := w.calls[i]; !strings.HasPrefix(got, "learn library 7 from ") {
		t.Errorf("first %q, want the library after step 1", got)
	}
}

// Without a library nothing is learnt or shown, and the panel is played once.
func TestGRPOWithoutLibrary(t *testing.T) {
	w := &grpoWorld{won: func(step int, _ bool) int { return step % 2 }} // step 1 is not validated, step 3 wins
	if _, err := w.run(t, w.input("gigpo", nil)); err != nil {
		t.Fatal(err)
	}
	for _, call := range w.calls {
		if strings.HasPrefix(call, "learn") || strings.Contains(call, "validation/with ") || strings.Contains(call, "library library") {
			t.Errorf("asked for %s", call)
		}
	}
	if got := w.calls[len(w.calls)-1]; got != "publish policy 3, library -, best 3, stopped false" {
		t.Errorf("got %s", got)
	}
}

// A new workflow run after each step asks for the same as one for all.
func TestGRPOContinues(t *testing.T) {
	w := &grpoWorld{excluded: map[int][]activities.ExcludedEpisode{1: {{Game: "slow", Rollout: 2}}}}
	res, err := w.run(t, w.input("skill1-paper", func(g *workflows.GRPOSpec) { g.Chain = 1 }))
	if err != nil {
		t.Fatal(err)
	}
	for i, call := range w.calls {
		if strings.HasPrefix(call, "update start ") != strings.HasSuffix(call, ", episodes lost") {
			t.Errorf("step 1 alone has lost an episode: got %s", call)
		}
		w.calls[i] = strings.TrimSuffix(call, ", episodes lost")
	}
	same(t, w.calls, expected(0))
	if w.runs != 3 {
		t.Errorf("%d workflow runs, want 3", w.runs)
	}
	if want := "done; 1 episodes excluded by the clock, the first: rollout 2 of slow in step 1 (train)"; res.Note != want {
		t.Errorf("note %q, want %q", res.Note, want)
	}
	one := &grpoWorld{}
	if _, err := one.run(t, one.input("skill1-paper", nil)); err != nil {
		t.Fatal(err)
	}
	same(t, w.calls, one.calls)
}

func tell(c workflows.Control) func(*testsuite.TestWorkflowEnvironment) {
	return func(env *testsuite.TestWorkflowEnvironment) { env.SignalWorkflow(workflows.SignalControl, c) }
}

func note(t *testing.T, env *testsuite.TestWorkflowEnvironment) workflows.StageProgress {
	t.Helper()
	val, err := env.QueryWorkflow(workflows.QueryProgress)
	if err != nil {
		t.Fatal(err)
	}
	var p workflows.Progress
	if err := val.Get(&p); err != nil {
		t.Fatal(err)
	}
	return p.Stages[0]
}

// A training that is told to pause begins no step until it is told to go on; what it then does is the same.
func TestGRPOPauses(t *testing.T) {
	var held int
	w := &grpoWorld{}
	w.at = map[time.Duration]func(*testsuite.TestWorkflowEnvironment){
		0: tell(workflows.Pause),
		time.Hour: func(env *testsuite.TestWorkflowEnvironment) {
			held = len(w.calls)
			if s := note(t, env); !strings.HasPrefix(s.Note, "paused") || s.State != workflows.Running || s.Total != 3 {
				t.Errorf("progress %+v, want it to say paused", s)
			}
		},
		2 * time.Hour: func(env *testsuite.TestWorkflowEnvironment) {
			if len(w.calls) != held {
				t.Errorf("asked for %v while paused", w.calls[held:])
			}
			env.SignalWorkflow(workflows.SignalControl, workflows.Resume)
		},
	}
	if _, err := w.run(t, w.input("skill1-paper", nil)); err != nil {
		t.Fatal(err)
	}
	if held == 0 || held >= len(expected(0)) || strings.HasPrefix(w.calls[held-1], "play train") {
		t.Errorf("held after %d calls: %v", held, w.calls[:held])
	}
	same(t, w.calls, expected(0))
}

// A training that is told to stop finishes its step and publishes what there is; a paused one does so at once. It is
// not the stage's result. It has a first step in any case.
func TestGRPOStops(t *testing.T) {
	for name, told := range map[string]map[time.Duration]func(*testsuite.TestWorkflowEnvironment){
		"running": {0: tell(workflows.Stop)},
		"paused":  {0: tell(workflows.Pause), time.Hour: tell(workflows.Stop)},
	} {
		t.Run(name, func(t *testing.T) {
			w := &grpoWorld{at: told}
			res, err := w.run(t, w.input("skill1-paper", func(g *workflows.GRPOSpec) { g.Steps = 30 }))
			if err != nil {
				t.Fatal(err)
			}
			step := w.finished.Stopped
			if step < 1 || step >= 30 || res.Stopped != step || !w.outcome.Stopped {
				t.Errorf("stopped after step %d, result %+v", step, res)
			}
			if want := fmt.Sprintf("publish policy %d, library library %[1]d, best 0, stopped true", step); w.calls[len(w.calls)-1] != want {
				t.Errorf("got %s, want %s", w.calls[len(w.calls)-1], want)
			}
			if last := w.outcome.Models[len(w.outcome.Models)-1]; last.Step != step || step%2 == 1 != slices.Contains(w.calls, fmt.Sprint("keep policy ", step)) {
				t.Errorf("models %+v: expected that of step %d, kept at the end where it has no checkpoint", w.outcome.Models, step)
			}
			if want := fmt.Sprintf("stopped after step %d of 30; done", step); res.Note != want {
				t.Errorf("note %q, want %q", res.Note, want)
			}
		})
	}
}

// A pause in a training of many workflow runs changes nothing either.
func TestGRPOPausesAndContinues(t *testing.T) {
	w := &grpoWorld{at: map[time.Duration]func(*testsuite.TestWorkflowEnvironment){0: tell(workflows.Pause), time.Hour: tell(workflows.Resume)}}
	if _, err := w.run(t, w.input("skill1-paper", func(g *workflows.GRPOSpec) { g.Chain = 1 })); err != nil {
		t.Fatal(err)
	}
	same(t, w.calls, expected(0))
}

// Without steps the panel is played with the model as it is, and that is all: a training to compare others with.
func TestGRPOWithoutSteps(t *testing.T) {
	w := &grpoWorld{}
	res, err := w.run(t, w.input("grpo", func(g *workflows.GRPOSpec) { g.Steps = 0 }))
	if err != nil {
		t.Fatal(err)
	}
	same(t, w.calls, []string{
		"play validation/without step 0 [0] x 3 by start, library -", "collect validation/without 0 [0] of start, library -",
		"publish start, library -, best 0, stopped false",
	})
	if len(w.outcome.Models) != 1 || res.Stopped != 0 {
		t.Errorf("outcome %+v, result %+v", w.outcome, res)
	}
}

// Numbers that are not finite end the training, and whoever asked reads which batch it was.
func TestGRPONumbers(t *testing.T) {
	w := &grpoWorld{fault: func(in activities.UpdateInput) error {
		if in.Step < 2 {
			return nil
		}
		return temporal.NewNonRetryableApplicationError("step 2: loss NaN (the batch is stored as sha256:ab)", activities.ErrTypeNumbers, nil)
	}}
	_, err := w.run(t, w.input("skill1-paper", nil))
	if got := workflows.Reason(err); got != "step 2: loss NaN (the batch is stored as sha256:ab)" {
		t.Errorf("got %q", got)
	}
	if w.finished.Name != "" || w.outcome.Key != "" {
		t.Errorf("published %+v, recorded %+v", w.outcome, w.finished)
	}
}
