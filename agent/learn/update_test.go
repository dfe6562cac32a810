package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/gpu"
)

// recorder is a trainer that gives each token the same log-probability, and keeps what it is asked and told.
type recorder struct {
	gpu.Trainer
	scored []gpu.Scoring
	steps  [][][]gpu.Example
	by     map[int32]float64 // derivative by the first token of an answer's log-probability
	tokens int               // with a derivative other than 0
	err    error
}

func (r *recorder) values(examples []gpu.Example, p float32) (v gpu.TokenValues) {
	for _, x := range examples {
		one := make([]float32, len(x.Learned()))
		for i := range one {
			one[i] = p
		}
		v.LogProbs = append(v.LogProbs, one)
	}
	return v
}

func (r *recorder) LogProbs(_ context.Context, examples []gpu.Example, how gpu.Scoring) (gpu.TokenValues, error) {
	r.scored = append(r.scored, how)
	if how.Reference {
		return r.values(examples, -1.2), r.err
	}
	return r.values(examples, -1), r.err
}

func (r *recorder) StepBy(_ context.Context, micro [][]gpu.Example, _ gpu.Scoring, objective gpu.Objective) (gpu.StepResult, error) {
	r.steps = append(r.steps, micro)
	res := gpu.StepResult{GradNorm: 2, Rate: 1e-6}
	for m, examples := range micro {
		loss, by, err := objective(m, r.values(examples, -1))
		if err != nil {
			return res, err
		}
		res.Loss += loss
		for i, x := range examples {
			for k, token := range x.Learned() {
				if d := float64(by.LogProbs[i][k]); d != 0 {
					r.tokens++
					r.by[token] = d
				}
			}
		}
	}
	return res, nil
}

// said is an answer of n tokens, all of the same number, behind a prompt of one token.
func said(phase rollout.Phase, token int32, n int) rollout.Said {
	return rollout.Said{Phase: phase, Prompt: []int32{1}, Tokens: slices.Repeat([]int32{token}, n), LogProbs: slices.Repeat([]float32{-1.5}, n)}
}

// episode has all phases and acts commands; its answers' tokens are numbered from first on.
func episode(n int, won bool, first int32, acts int) rollout.Episode {
	e := rollout.Episode{
		Rollout: n, Trajectory: agent.Trajectory{Game: "g", Outcome: agent.Outcome{Won: won}},
		Found: []rollout.Found{{ID: "a", Utility: 0.5}, {ID: "b", Utility: 0.75}}, Order: []int{1, 0}, Ranked: true,
		Said: []rollout.Said{said(rollout.Query, first, 2), said(rollout.Rank, first+1, 3)},
	}
	for i := range acts {
		e.Steps = append(e.Steps, agent.Step{Observation: fmt.Sprint("state ", i)})
		e.Said = append(e.Said, said(rollout.Act, first+2+int32(i), 4))
	}
	e.Said = append(e.Said, said(rollout.Distil, first+2+int32(acts), 5))
	return e
}

func named(t *testing.T, name string) learn.Config {
	t.Helper()
	c, err := credit.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return learn.Config{Credit: c}
}

func update(t *testing.T, r *recorder, cfg learn.Config, groups ...learn.Group) *learn.Report {
	t.Helper()
	r.by = map[int32]float64{}
	report, err := learn.Update(t.Context(), r, cfg, groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(b)) }

// GRPO over two rollouts of one command each: 10 and 0 are 0.7071 deviations from their mean, and each of the eight
// tokens has an eighth of the mean.
func TestGRPO(t *testing.T) {
	r := &recorder{}
	report := update(t, r, named(t, "grpo"), learn.Group{Task: "g", Episodes: []rollout.Episode{episode(0, true, 100, 1), episode(1, false, 200, 1)}})
	a := 5 / (math.Sqrt(50) + 1e-6)
	if len(r.by) != 2 || !near(r.by[102], -a/8) || !near(r.by[202], a/8) || r.tokens != 8 {
		t.Errorf("derivatives %v of %d tokens, want %v at 102 and 202", r.by, r.tokens, a/8)
	}
	if report.Samples != 2 || report.Tokens != 10 || len(report.Steps) != 1 || report.Steps[0].GradNorm != 2 || report.Steps[0].GapMean != 0.5 {
		t.Errorf("report %+v", report)
	}
	if len(r.scored) != 1 || r.scored[0].Reference || r.scored[0].Temperature != 1 {
		t.Errorf("asked for %+v", r.scored)
	}
}

// Skill1's objective (eq. 8 to 11): query and commands by the outcome, orders by REINFORCE on their NDCG, lessons by r
// minus the best utility found, the latter two times 0.3.
func TestSkill1(t *testing.T) {
	r := &recorder{}
	cfg := named(t, "skill1-paper")
	cfg.Aggregate = "sequence-mean"
	update(t, r, cfg, learn.Group{Task: "g", Episodes: []rollout.Episode{episode(0, true, 100, 2), episode(1, false, 200, 1)}})
	// Rewards 1 and 0: mean 0.5, deviation 0.7071. An episode's tokens share half of the mean: 2 + 2·4 and 2 + 4 of them.
	a := 0.5 / (math.Sqrt(0.5) + 1e-6)
	// The order puts 0.75 before 0.5, the best there is: NDCG 1. Two sequences.
	// Lessons: 1 - 0.75 and 0 - 0.75 are 0.7071 deviations from their mean as well; five tokens an episode.
	for token, want := range map[int32]float64{
		100: -a / 20, 102: -a / 20, 103: -a / 20, 200: a / 12, 202: a / 12, 101: -0.15, 201: -0.15, 104: -0.3 * a / 10, 203: 0.3 * a / 10,
	} {
		if !near(r.by[token], want) {
			t.Errorf("derivative at %d: %v, want %v", token, r.by[token], want)
		}
	}
	if want := 2*(2+3+5) + 3*4; r.tokens != want {
		t.Errorf("%d tokens have a gradient, want %d", r.tokens, want)
	}
}

// In the skill-only experiment only queries and orders learn: no other answer is even computed.
func TestSkillOnly(t *testing.T) {
	r := &recorder{}
	report := update(t, r, named(t, "skill-only"), learn.Group{Task: "g", Episodes: []rollout.Episode{episode(0, true, 100, 2), episode(1, false, 200, 1)}})
	var tokens []int32
	for token := range r.by {
		tokens = append(tokens, token)
	}
	slices.Sort(tokens)
	if !slices.Equal(tokens, []int32{100, 101, 200, 201}) || r.tokens != 10 || report.Samples != 4 {
		t.Errorf("gradients at %v, %d tokens of %d samples", tokens, r.tokens, report.Samples)
	}
}

// With a penalty the reference is asked for: the trainer with its adapter off, or the one that is given.
func TestReference(t *testing.T) {
	cfg := named(t, "grpo")
	cfg.KL = 0.01
	group := learn.Group{Task: "g", Episodes: []rollout.Episode{episode(0, true, 100, 1), episode(1, true, 200, 1)}}
	r := &recorder{}
	report := update(t, r, cfg, group)
	// Equal outcomes: only the penalty acts. d = -0.2: k3 is 0.018731, its slope by log p 1 - e^d = 0.181269.
	if !near(r.by[102], 0.01*0.181269/8) || !near(report.Steps[0].KL, 0.018731) || len(r.scored) != 2 || !r.scored[1].Reference {
		t.Errorf("derivatives %v, KL %v, asked for %+v", r.by, report.Steps[0].KL, r.scored)
	}
	other := &recorder{}
	r = &recorder{by: map[int32]float64{}}
	if _, err := learn.Update(t.Context(), r, cfg, []learn.Group{group}, other); err != nil {
		t.Fatal(err)
	}
	if len(r.scored) != 1 || len(other.scored) != 1 || other.scored[0].Reference || r.tokens != 0 {
		t.Errorf("asked for %+v, and the other for %+v; %d tokens moved", r.scored, other.scored, r.tokens)
	}
}

// Mini-batches are cut in the order of the tasks after so many answers; micro-batches by tokens. Neither changes what a
// token's share of its mini-batch is.
func TestBatches(t *testing.T) {
	cfg := named(t, "grpo")
	var groups []learn.Group
	for g := range int32(3) {
		groups = append(groups, learn.Group{Task: fmt.Sprint(g), Episodes: []rollout.Episode{episode(0, true, 1000*g, 2), episode(1, false, 1000*g+100, 2)}})
	}
	whole := &recorder{}
	update(t, whole, cfg, groups...)
	cut := &recorder{}
	cfg.Micro = 12 // two samples of five tokens
	update(t, cut, cfg, groups...)
	if len(whole.steps) != 1 || len(whole.steps[0]) != 1 || len(cut.steps) != 1 || len(cut.steps[0]) != 6 || fmt.Sprint(whole.by) != fmt.Sprint(cut.by) {
		t.Errorf("%d and %d micro-batches: %v\n%v", len(whole.steps[0]), len(cut.steps[0]), whole.by, cut.by)
	}
	cfg.MiniBatch = 5
	mini := &recorder{}
	report := update(t, mini, cfg, groups...)
	var sizes []int
	for _, step := range mini.steps {
		n := 0
		for _, m := range step {
			n += len(m)
		}
		sizes = append(sizes, n)
	}
	if fmt.Sprint(sizes) != "[5 5 2]" || len(report.Steps) != 3 {
		t.Errorf("mini-batches of %v samples, want 5, 5 and 2", sizes)
	}
}

// A group without an answer that learns takes no step; what is wrong is told with its place.
func TestUpdateEdges(t *testing.T) {
	r := &recorder{}
	if report := update(t, r, named(t, "grpo"), learn.Group{Task: "g", Size: 2}); len(report.Steps) != 0 || len(r.steps) != 0 || report.Dropped[0].Reason != "empty" {
		t.Errorf("report %+v", report)
	}
	// A game that is won as it begins asks for no answer. It is no reason to end a training.
	done := rollout.Episode{Trajectory: agent.Trajectory{Game: "g", Outcome: agent.Outcome{Won: true}}, Said: []rollout.Said{}}
	for _, name := range credit.Names() {
		if err := try(t, r, named(t, name), done); err != nil || len(r.steps) != 0 {
			t.Errorf("%s: a game won as it begins: %v, %d steps", name, err, len(r.steps))
		}
	}
	short := episode(0, true, 100, 1)
	short.Steps = nil
	lost := &recorder{err: errors.New("the device is lost")}
	for want, err := range map[string]error{
		"rollout 0 of g: 0 steps: expected one for each command": try(t, r, named(t, "grpo"), short),
		"old log-probabilities: the device is lost":              try(t, lost, named(t, "grpo"), episode(0, true, 1, 1)),
		"update: parts: expected at least one":                   try(t, r, learn.Config{}, short),
		"mini_batch -1, micro_tokens 4096":                       try(t, r, learn.Config{MiniBatch: -1}, short),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func try(t *testing.T, r *recorder, cfg learn.Config, e rollout.Episode) error {
	t.Helper()
	_, err := learn.Update(t.Context(), r, cfg, []learn.Group{{Task: "g", Episodes: []rollout.Episode{e}}}, nil)
	return err
}
