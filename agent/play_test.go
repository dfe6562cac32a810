package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/internal/shelves"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

func mugs(at ...int) []env.Game {
	games := make([]env.Game, len(at))
	for i, s := range at {
		games[i] = shelves.Game{Name: fmt.Sprintf("g/%d", i), Kind: "pick_and_place_simple", At: s}
	}
	return games
}

func play(t *testing.T, cfg agent.PlayConfig, games ...env.Game) []agent.Trajectory {
	t.Helper()
	if cfg.Policy == nil {
		cfg.Policy = policy(searcher)
	}
	cfg.Tokens = bytesEncoder{}
	got, err := agent.Play(t.Context(), cfg, games)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func commands(t agent.Trajectory) []string {
	var all []string
	for _, s := range t.Steps {
		all = append(all, s.Command)
	}
	return all
}

// Where the mug is decides how long the search is; by the oracle each game needs four commands.
func TestPlay(t *testing.T) {
	var last agent.Progress
	got := play(t, agent.PlayConfig{Oracle: env.Straight, Batch: 2, Progress: func(p agent.Progress) { last = p }}, mugs(3, 1, 2)...)
	wants := [][]string{
		{"go to shelf 1", "go to shelf 2", "go to shelf 3", "take mug 1 from shelf 3", "go to desk 1", "move mug 1 to desk 1"},
		{"go to shelf 1", "take mug 1 from shelf 1", "go to desk 1", "move mug 1 to desk 1"},
		{"go to shelf 1", "go to shelf 2", "take mug 1 from shelf 2", "go to desk 1", "move mug 1 to desk 1"},
	}
	for i, want := range wants {
		if !slices.Equal(commands(got[i]), want) {
			t.Errorf("game %d: got %q, want %q", i, commands(got[i]), want)
		}
		if o := (agent.Outcome{Won: true, Steps: len(want), Reason: "won"}); got[i].Outcome != o {
			t.Errorf("game %d: outcome %+v", i, got[i].Outcome)
		}
		if got[i].Game != fmt.Sprintf("g/%d", i) || !got[i].Last.Won || got[i].Last.Score != 1 {
			t.Errorf("game %d: %+v", i, got[i])
		}
	}
	first := got[0].Steps[0]
	if first.Oracle != "go to shelf 3" || first.Exact || !first.Template {
		t.Errorf("first step: oracle %q, exact %v, template %v", first.Oracle, first.Exact, first.Template)
	}
	if s := got[0].Steps[3]; !s.Exact || !s.Template || s.LogProb != -0.5 {
		t.Errorf("fourth step: %+v", s)
	}
	if want := (agent.Progress{Games: 3, Finished: 3, Won: 3, Steps: 15}); last != want {
		t.Errorf("progress %+v, want %+v", last, want)
	}
}

// A trajectory does not depend on how many games are played beside it.
func TestPlayBatch(t *testing.T) {
	games := mugs(3, 1, 2, 2, 1, 3, 3, 1)
	alone := play(t, agent.PlayConfig{Batch: 1, Oracle: env.Straight}, games...)
	for _, batch := range []int{2, 3, 16} {
		if got := play(t, agent.PlayConfig{Batch: batch, Oracle: env.Straight}, games...); !reflect.DeepEqual(got, alone) {
			t.Errorf("batch %d differs from batch 1", batch)
		}
	}
}

// torn is a game with a line break in a command.
type torn struct{ env.Game }

func (g torn) Start(ctx context.Context, limits env.Limits) (env.Episode, error) {
	ep, err := g.Game.Start(ctx, limits)
	return tornEpisode{ep}, err
}

type tornEpisode struct{ env.Episode }

func (e tornEpisode) Now() env.Observation {
	obs := e.Episode.Now()
	obs.Actions.Commands = append([]string{"go to\nshelf 1"}, obs.Actions.Commands...)
	return obs
}

func TestPlayFailures(t *testing.T) {
	game := shelves.Game{Name: "g", Kind: "f", At: 1}
	broken, slow := game, game
	broken.Fault = func(step int) error {
		if step == 2 {
			return errors.New("the file ends")
		}
		return nil
	}
	slow.Fault = wait
	deaf, over := game, make(chan struct{})
	deaf.Fault = func(int) error { <-over; return nil } // it does not look at its context
	t.Cleanup(func() { close(over) })
	limited := game
	limited.Fault = func(int) error { return &env.BudgetError{What: "work", Limit: 7} }
	for _, c := range []struct {
		name  string
		cfg   agent.PlayConfig
		game  env.Game
		want  agent.Outcome
		steps int
		last  bool
	}{
		{"steps", agent.PlayConfig{Policy: policy(looker), MaxSteps: 5}, game, agent.Outcome{Steps: 5, Reason: "steps"}, 5, true},
		{"fifty steps", agent.PlayConfig{Policy: policy(looker)}, game, agent.Outcome{Steps: 50, Reason: "steps"}, 50, true},
		// look, look, look: the third prompt has two looks behind it, as the fourth.
		{"cycle", agent.PlayConfig{Policy: policy(looker), StopCycles: true}, game, agent.Outcome{Steps: 3, Reason: "cycle"}, 3, true},
		{"limit at the start", agent.PlayConfig{Limits: env.Limits{Objects: 4}}, game, agent.Outcome{Reason: "limit: objects"}, 0, false},
		{"limit in a step", agent.PlayConfig{}, limited, agent.Outcome{Reason: "limit: work"}, 1, false},
		{"clock", agent.PlayConfig{Clock: time.Millisecond}, slow, agent.Outcome{Reason: "clock"}, 1, false},
		{"deaf to the clock", agent.PlayConfig{Clock: 20 * time.Millisecond}, deaf, agent.Outcome{Reason: "clock"}, 1, false},
		{"error", agent.PlayConfig{}, broken, agent.Outcome{Steps: 1, Reason: "error: the file ends"}, 2, false},
		{"line break", agent.PlayConfig{}, torn{game}, agent.Outcome{Reason: "error: command \"go to\\nshelf 1\" holds a line break"}, 0, true},
		{"positions", agent.PlayConfig{Positions: 199}, game, agent.Outcome{Reason: "positions: 200 tokens of prompt and answer, the model reads 199"}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := play(t, c.cfg, c.game)[0]
			if got.Outcome != c.want || len(got.Steps) != c.steps || (got.Last != nil) != c.last {
				t.Errorf("outcome %+v, %d steps, last %v, want %+v, %d, %v", got.Outcome, len(got.Steps), got.Last, c.want, c.steps, c.last)
			}
			cause, _, _ := strings.Cut(c.want.Reason, ":")
			if got.Outcome.Cause() != cause {
				t.Errorf("cause %q", got.Outcome.Cause())
			}
		})
	}
}

func TestPlayHint(t *testing.T) {
	hint := "skill: pick\nplan: go to shelf 1\n"
	cfg := agent.PlayConfig{
		Hint: func(context.Context, env.Game, env.Episode) (string, error) { return hint, nil },
		Policy: policy(func(prompt string, candidates []string) string {
			if !strings.Contains(prompt, "goal: put a mug on desk\n"+hint) {
				t.Errorf("no hint in %q", prompt)
			}
			return searcher(prompt, candidates)
		}),
	}
	got := play(t, cfg, mugs(1)...)[0]
	if got.Hint != hint || !got.HintDigits || !got.HintCommand {
		t.Errorf("hint %q, digits %v, command %v", got.Hint, got.HintDigits, got.HintCommand)
	}
	hint = "skill: pick\nplan: go to shelf\n"
	if got := play(t, cfg, mugs(1)...)[0]; got.HintDigits || got.HintCommand {
		t.Errorf("digits %v, command %v", got.HintDigits, got.HintCommand)
	}
}

// firstByte has one token a command and makes go to shelf 1 a beginning of every other.
type firstByte struct{}

func (firstByte) EncodePlain(text string) []int32 {
	if strings.HasPrefix(text, "go to ") {
		return []int32{1, 2, 3}[:map[bool]int{true: 2, false: 3}[text == "go to shelf 1\n"]]
	}
	return bytesEncoder{}.EncodePlain(text)
}

// weighing is a policy that would say what is not offered: its way through the trie ends at the greedy command, and what
// is likeliest as a whole is another.
type weighing struct {
	policy
	logProbs []float32 // of the candidates; the last counts for all others
}

func (w weighing) Choose(ctx context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	chosen, err := w.policy.Choose(ctx, requests)
	for i, r := range requests {
		if r.Score != gpu.ScoreSequence {
			continue
		}
		for k := range r.Candidates {
			chosen[i].LogProbs = append(chosen[i].LogProbs, w.logProbs[min(k, len(w.logProbs)-1)])
		}
	}
	return chosen, err
}

func TestDecoding(t *testing.T) {
	game := mugs(2)[0]
	for name, tt := range map[string]struct {
		decoding agent.Decoding
		logProbs []float32
		want     int // which of the candidates; -1: what the policy chose
	}{
		"unsaid":          {"", []float32{-1, -9}, -1},
		"greedy":          {agent.Greedy, []float32{-1, -9}, -1},
		"likeliest":       {agent.Likeliest, []float32{-3, -4, -2, -9}, 2},
		"first of equals": {agent.Likeliest, []float32{-3, -4, -2, -2, -9}, 2},
		"all alike":       {agent.Likeliest, []float32{-3}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, agent.PlayConfig{Policy: weighing{policy(searcher), tt.logProbs}, Decoding: tt.decoding, MaxSteps: 1}, game)[0].Steps[0]
			want := "go to shelf 1"
			if offered := agent.Candidates(got.Admissible); tt.want >= 0 {
				want = offered[tt.want]
				if want == "go to shelf 1" {
					t.Fatalf("%q is what greedy takes too: the test shows nothing", offered)
				}
			}
			if got.Command != want {
				t.Errorf("got %q, want %q", got.Command, want)
			}
			if tt.want >= 0 && got.LogProb != tt.logProbs[tt.want] {
				t.Errorf("log-probability %g, want %g", got.LogProb, tt.logProbs[tt.want])
			}
		})
	}
	for d, want := range map[agent.Decoding]string{"": "greedy trie/1", agent.Greedy: "greedy trie/1", agent.Likeliest: "likeliest command/1", agent.Drawn: "drawn command/1 at temperature 1, seed 0"} {
		if got := agent.ConditionsOf(agent.PlayConfig{Decoding: d}, "").Decoding; got != want {
			t.Errorf("%q is reported as %q, want %q", d, got, want)
		}
	}
}

// drawing is a policy that takes the candidate that the request's seed says, and keeps the requests.
type drawing struct {
	gpu.Policy
	asked *[]gpu.Choice
}

func (d drawing) Choose(_ context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	var all []gpu.Chosen
	for _, r := range requests {
		*d.asked = append(*d.asked, r)
		all = append(all, gpu.Chosen{Index: int(r.Seed % uint64(len(r.Candidates)))})
	}
	return all, nil
}

// What is drawn follows from the settings' seed, the game and the place in it, whoever plays beside it; going round does
// not end a game.
func TestDrawn(t *testing.T) {
	walk := func(seed uint64, batch int, at ...int) (asked []gpu.Choice, got []agent.Trajectory) {
		cfg := agent.PlayConfig{Policy: drawing{asked: &asked}, Decoding: agent.Drawn, Seed: seed, MaxSteps: 12, Batch: batch, StopCycles: true}
		return asked, play(t, cfg, mugs(at...)...)
	}
	asked, one := walk(1, 1, 2, 2)
	_, both := walk(1, 2, 2, 2)
	_, other := walk(2, 1, 2, 2)
	seeds := map[uint64]bool{}
	for _, r := range asked {
		seeds[r.Seed] = true
		if r.Temperature != 1 || r.Score != gpu.ScoreSequence {
			t.Errorf("temperature %v, score %q", r.Temperature, r.Score)
		}
	}
	if len(seeds) != len(asked) || len(asked) == 0 {
		t.Errorf("%d seeds of %d draws", len(seeds), len(asked))
	}
	for i := range one {
		if !slices.Equal(commands(one[i]), commands(both[i])) {
			t.Errorf("game %d: %q alone, %q in company", i, commands(one[i]), commands(both[i]))
		}
		if one[i].Outcome.Cause() == agent.ReasonCycle || slices.Equal(commands(one[i]), commands(other[i])) {
			t.Errorf("game %d: %+v, %q under another seed", i, one[i].Outcome, commands(other[i]))
		}
	}
	_, err := agent.Play(t.Context(), agent.PlayConfig{Policy: policy(searcher), Tokens: bytesEncoder{}, Seed: 1}, nil)
	if err == nil || !strings.Contains(err.Error(), "expected none where decoding is not drawn") {
		t.Errorf("a seed without draws: %v", err)
	}
}

func weights(logProbs ...float32) func(*agent.PlayConfig) {
	return func(c *agent.PlayConfig) {
		c.Policy, c.Decoding = weighing{policy(searcher), logProbs}, agent.Likeliest
	}
}

// TestPlayTellsApart: a game whose commands are the same tokens fails, and those beside it are played.
func TestPlayTellsApart(t *testing.T) {
	cfg := agent.PlayConfig{Policy: policy(searcher), Tokens: firstByte{}}
	got, err := agent.Play(t.Context(), cfg, mugs(1, 2))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d trajectories, %v", len(got), err)
	}
	for _, g := range got {
		if want := `error: command "go to shelf 1" encodes to a beginning of command "go to `; !strings.HasPrefix(g.Outcome.Reason, want) {
			t.Errorf("ended by %q, want %q", g.Outcome.Reason, want)
		}
	}
}

func TestPlayErrors(t *testing.T) {
	ok := agent.PlayConfig{Policy: policy(searcher), Tokens: bytesEncoder{}}
	for _, c := range []struct {
		name  string
		ended bool // the context is over
		edit  func(*agent.PlayConfig)
		want  string
	}{
		{"no policy", false, func(c *agent.PlayConfig) { c.Policy = nil }, "expected a policy"},
		{"negative", false, func(c *agent.PlayConfig) { c.MaxSteps = -1 }, "MaxSteps -1"},
		{"policy fails", false, func(c *agent.PlayConfig) { c.Policy = policy(func(string, []string) string { return "fly" }) }, `no candidate "fly"`},
		{"decoding", false, func(c *agent.PlayConfig) { c.Decoding = "beam" }, `decoding "beam": expected greedy, likeliest or drawn`},
		{"not a number", false, weights(float32(math.NaN()), -1), "log-probability NaN"},
		{"above one", false, weights(-1, 0.5), "log-probability 0.5"},
		{"all impossible", false, weights(float32(math.Inf(-1))), "a probability above 0"},
		{"no probabilities", false, func(c *agent.PlayConfig) { c.Decoding = agent.Likeliest }, "gave 0 of"},
		{"context", true, func(*agent.PlayConfig) {}, "context canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := ok
			c.edit(&cfg)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			if c.ended {
				end()
			}
			if _, err := agent.Play(ctx, cfg, mugs(1)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}
