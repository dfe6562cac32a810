package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/hone-rl/hone/agent/internal/net"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

// PlayConfig sets up Play. Zero fields mean what is said beside them.
type PlayConfig struct {
	Policy gpu.Policy // required
	Tokens Encoder    // required: the policy's tokenizer
	Prompt Format     // of the prompts; "lite/1"
	// Decoding is how the policy chooses; Greedy.
	Decoding Decoding
	// Temperature and Seed are for Drawn alone: gpu.MinTemperature to MaxTemperature, 0 is 1; and what the draws of a game
	// follow from, beside its id and the place in it.
	Temperature float32
	Seed        uint64
	// Offer is what it chooses among; Admissible.
	Offer Offer
	// Hint makes the text that stands in every prompt of an episode, asked once at its first state. nil: no hint.
	Hint func(ctx context.Context, game env.Game, episode env.Episode) (string, error)

	History   int           // turns that X remembers; 2
	MaxSteps  int           // commands a game; 50
	Positions int           // tokens the model can read, prompt and answer together; 0: not checked
	Limits    env.Limits    // counted work of a game
	Clock     time.Duration // net for the time spent inside one game (start, steps, plans), not in the model; 0: none
	// StopCycles ends a game as lost when prompt and game state have been seen before: greedy play would go round
	// for ever. It needs env.Stateful; other games are played to MaxSteps, as are all where Offer is Untried or Decoding is
	// Drawn, which do not give the same command for the same prompt.
	StopCycles bool
	Oracle     env.PlanKind // asked at each state reached; "": not asked
	Batch      int          // games played at once; 32
	// Progress is called after each round of choices, on the goroutine of Play.
	Progress func(Progress)
}

// Progress is where Play stands.
type Progress struct {
	Games    int // in all
	Finished int
	Won      int
	Steps    int // choices so far
}

// The defaults of PlayConfig.
const (
	DefaultMaxSteps = 50 // as ALFWorld's own evaluation
	DefaultBatch    = 32
	defaultHistory  = 2 // as in the published agents
)

func (c PlayConfig) withDefaults() (PlayConfig, error) {
	if c.Policy == nil || c.Tokens == nil {
		return c, errors.New("play: expected a policy and its tokenizer")
	}
	if c.History < 0 || c.MaxSteps < 0 || c.Positions < 0 || c.Batch < 0 || c.Clock < 0 {
		return c, fmt.Errorf("play: expected no negative setting, got History %d, MaxSteps %d, Positions %d, Batch %d, Clock %s",
			c.History, c.MaxSteps, c.Positions, c.Batch, c.Clock)
	}
	if c.History == 0 {
		c.History = defaultHistory
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = DefaultMaxSteps
	}
	if c.Batch == 0 {
		c.Batch = DefaultBatch
	}
	if err := cmp.Or(c.Decoding.Validate(), c.Offer.Validate()); err != nil {
		return c, fmt.Errorf("play: %w", err)
	}
	if (c.Temperature != 0 || c.Seed != 0) && c.Decoding != Drawn {
		return c, fmt.Errorf("play: temperature %v, seed %d: expected none where decoding is not %s", c.Temperature, c.Seed, Drawn)
	}
	if c.Decoding == Drawn {
		c.Temperature = cmp.Or(c.Temperature, 1)
	}
	c.Prompt = cmp.Or(c.Prompt, Lite)
	return c, nil
}

// Play plays each game once, choosing among its candidates only, and returns the trajectories in the
// order of games. What a game does wrong (limits, clock, faults) is its trajectory's failure; an error is ctx's,
// the policy's or the settings'. A trajectory does not depend on the games beside it.
func Play(ctx context.Context, cfg PlayConfig, games []env.Game) ([]Trajectory, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	loop := &loop{cfg: cfg, encoded: encoded{tokens: cfg.Tokens, known: map[string][]int32{}}}
	all := make([]*player, len(games))
	for i, g := range games {
		all[i] = &player{loop: loop, game: g, clock: net.Clock{Net: cfg.Clock}, trajectory: Trajectory{Game: g.ID(), Family: g.Family(), Steps: []Step{}}}
	}
	at := Progress{Games: len(games)}
	for waiting, live := all, []*player(nil); len(waiting)+len(live) > 0; {
		fresh := waiting[:min(len(waiting), cfg.Batch-len(live))]
		waiting = waiting[len(fresh):]
		if err := each(ctx, fresh, (*player).start); err != nil {
			return nil, err
		}
		live = playing(append(live, fresh...), &at)
		if err := each(ctx, live, (*player).ask); err != nil {
			return nil, err
		}
		live = playing(live, &at)
		if err := loop.choose(ctx, live); err != nil {
			return nil, err
		}
		if err := each(ctx, live, (*player).answer); err != nil {
			return nil, err
		}
		at.Steps += len(live)
		live = playing(live, &at)
		if cfg.Progress != nil {
			cfg.Progress(at)
		}
	}
	done := make([]Trajectory, len(all))
	for i, p := range all {
		done[i] = p.trajectory
	}
	return done, nil
}

// cycles says whether going round ends a game.
func (c PlayConfig) cycles() bool { return c.StopCycles && c.Offer != Untried && c.Decoding != Drawn }

// loop is what all players of one call of Play share.
type loop struct {
	cfg     PlayConfig
	encoded encoded
}

func (l *loop) choose(ctx context.Context, live []*player) error {
	if len(live) == 0 {
		return ctx.Err()
	}
	requests := make([]gpu.Choice, len(live))
	for i, p := range live {
		requests[i] = p.choice
	}
	chosen, err := l.cfg.Policy.Choose(ctx, requests)
	if err != nil {
		return fmt.Errorf("choosing for %d games, %s first: %w", len(live), live[0].game.ID(), err)
	}
	if len(chosen) != len(live) {
		return fmt.Errorf("choosing for %d games: the policy answered %d", len(live), len(chosen))
	}
	for i, p := range live {
		if p.chosen, err = l.cfg.Decoding.pick(chosen[i], len(p.candidates)); err != nil {
			return fmt.Errorf("choosing for %s: %w", p.game.ID(), err)
		}
	}
	return nil
}

// playing are the players whose game goes on; the others are counted.
func playing(players []*player, at *Progress) []*player {
	var on []*player
	for _, p := range players {
		if p.over() {
			at.Finished++
			if p.trajectory.Outcome.Won {
				at.Won++
			}
			continue
		}
		on = append(on, p)
	}
	return on
}

// each calls f for all players, on as many goroutines as there are processors, and returns the error of the first
// player in order that has one.
func each(ctx context.Context, players []*player, f func(*player, context.Context) error) error {
	errs := make([]error, len(players))
	var wg sync.WaitGroup
	workers := min(len(players), runtime.GOMAXPROCS(0))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(players); i += workers {
				errs[i] = f(players[i], ctx)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
