package agent

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent/internal/net"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

// player plays one game. Its methods return only errors that end the whole of Play.
type player struct {
	loop       *loop
	game       env.Game
	trajectory Trajectory

	episode    env.Episode
	tracker    *Tracker
	clock      net.Clock
	seen       map[[sha256.Size]byte]bool
	candidates []string
	choice     gpu.Choice
	chosen     gpu.Chosen
	step       Step // asked for, not yet answered
}

func (p *player) over() bool { return p.trajectory.Outcome.Reason != "" }

func (p *player) end(reason string) {
	p.trajectory.Outcome.Reason = reason
	p.trajectory.Outcome.Won = reason == ReasonWon
	p.episode, p.tracker, p.seen = nil, nil, nil // games are large
}

// opened is a game that has begun.
type opened struct {
	episode env.Episode
	tracker *Tracker
	hint    string
}

// start begins the game and makes its hint.
func (p *player) start(ctx context.Context) error {
	cfg := &p.loop.cfg
	begun, err := net.Do(ctx, &p.clock, func(ctx context.Context) (o opened, err error) {
		if o.episode, err = p.game.Start(ctx, cfg.Limits); err != nil {
			return opened{}, err
		}
		if o.tracker, err = Track(o.episode, cfg.History); err != nil {
			return opened{}, err
		}
		if cfg.Hint != nil {
			o.hint, err = cfg.Hint(ctx, p.game, o.episode)
		}
		return o, err
	})
	if begun.episode != nil {
		p.remember(begun.episode.Now())
	}
	if err != nil {
		return p.fail(ctx, err)
	}
	p.episode, p.tracker, p.trajectory.Hint = begun.episode, begun.tracker, begun.hint
	p.trajectory.HintDigits = HoldsInstance(begun.hint)
	p.seen = map[[sha256.Size]byte]bool{}
	p.settle(p.episode.Now())
	return nil
}

// ask prepares the next choice.
func (p *player) ask(ctx context.Context) error {
	cfg, x := &p.loop.cfg, p.tracker.X()
	p.step = Step{Observation: x.Observation, Admissible: x.Admissible, Forms: x.Forms}
	prompt := cfg.Prompt.Prompt(x, p.trajectory.Hint)
	if cfg.cycles() && p.again(prompt) {
		p.end(ReasonCycle)
		return nil
	}
	p.candidates = cfg.Offer.after(p.trajectory.Steps, p.step)
	if len(p.candidates) == 0 {
		p.end(ReasonError + ": the game offers no command to choose")
		return nil
	}
	if i := slices.IndexFunc(p.candidates, func(c string) bool { return strings.Contains(c, "\n") }); i >= 0 {
		// Where a line break ends an answer, such a command begins with another answer.
		p.end(fmt.Sprintf("%s: command %.60q holds a line break", ReasonError, p.candidates[i]))
		return nil
	}
	p.choice = gpu.Choice{Prompt: cfg.Tokens.EncodePlain(prompt), Score: cfg.Decoding.score()}
	if cfg.Decoding == Drawn {
		p.choice.Temperature, p.choice.Seed = cfg.Temperature, drawSeed(cfg.Seed, p.game.ID(), len(p.trajectory.Steps))
	}
	var err error
	if p.choice.Candidates, err = p.loop.encoded.candidates(p.candidates); err != nil {
		p.end(ReasonError + ": " + err.Error())
		return nil //nolint:nilerr // it ends this game, not those beside it
	}
	if need := len(p.choice.Prompt) + longest(p.choice.Candidates); cfg.Positions > 0 && need > cfg.Positions {
		p.end(fmt.Sprintf("%s: %d tokens of prompt and answer, the model reads %d", ReasonPositions, need, cfg.Positions))
		return nil
	}
	if cfg.Oracle != "" {
		return p.askOracle(ctx)
	}
	return nil
}

// drawSeed is that of a draw: of ids alone.
func drawSeed(seed uint64, game string, step int) uint64 {
	b := binary.LittleEndian.AppendUint64([]byte("hone draw/1\x00"+game+"\x00"), seed)
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(b, uint64(step)))
	return binary.LittleEndian.Uint64(sum[:])
}

// answer says the chosen command to the game.
func (p *player) answer(ctx context.Context) error {
	t, command := &p.trajectory, p.candidates[p.chosen.Index]
	p.step.Command, p.step.LogProb = command, p.chosen.LogProb
	p.step.Exact = p.step.Oracle == command
	p.step.Template = p.step.Oracle != "" && Template(p.step.Oracle) == Template(command)
	t.HintCommand = t.HintCommand || HoldsCommand(t.Hint, command)
	t.Steps = append(t.Steps, p.step)
	t.Last = nil
	episode := p.episode
	now, err := net.Do(ctx, &p.clock, func(ctx context.Context) (env.Observation, error) { return episode.Step(ctx, command) })
	if err != nil {
		return p.fail(ctx, err)
	}
	t.Outcome.Steps++
	p.tracker.Add(command, now)
	p.remember(now)
	p.settle(now)
	return nil
}

// settle ends the game if it is over in the state now.
func (p *player) settle(now env.Observation) {
	switch {
	case now.Won:
		p.end(ReasonWon)
	case now.Done:
		p.end(ReasonLost)
	case p.trajectory.Outcome.Steps >= p.loop.cfg.MaxSteps:
		p.end(ReasonSteps)
	}
}

func (p *player) remember(now env.Observation) { p.trajectory.Last = StateOf(now) }

// StateOf is what a trajectory keeps of a game's answer.
func StateOf(now env.Observation) *State {
	return &State{
		Observation: now.Text, Admissible: slices.Clone(now.Actions.Commands), Forms: slices.Clone(now.Actions.Forms),
		Score: now.Score, Won: now.Won, Done: now.Done,
	}
}

// again says whether prompt and state have been seen before.
func (p *player) again(prompt string) bool {
	stateful, ok := p.episode.(env.Stateful)
	if !ok {
		return false
	}
	key := sha256.Sum256([]byte(stateful.StateKey() + "\x00" + prompt))
	seen := p.seen[key]
	p.seen[key] = true
	return seen
}

// fail ends the game for what it did, unless ctx itself is over.
func (p *player) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("playing %s: %w", p.game.ID(), ctx.Err())
	}
	p.end(Failure(err))
	return nil
}

// Failure is the reason that stands for an error of a game.
func Failure(err error) string {
	var budget *env.BudgetError
	switch {
	case errors.As(err, &budget):
		return ReasonLimit + ": " + budget.What
	case errors.Is(err, net.ErrEnded):
		return ReasonClock
	}
	return ReasonError + ": " + err.Error()
}
