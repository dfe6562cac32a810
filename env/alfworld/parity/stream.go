package parity

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

const (
	// junkShare is how many of a hundred commands are none, or oddly written.
	junkShare = 8
	// planStreams is how many of a hundred streams follow an expert, so that wins are met.
	planStreams = 40
	// planShare is how many of a hundred commands of such a stream are the expert's; the others lead it astray.
	planShare = 85
)

// Draw plays a game on our engine and returns the steps commands that it drew, a function of seed, id and game. It
// returns what it has together with the error where our engine fails on the way.
func Draw(ctx context.Context, seed uint64, id string, game *alfworld.Game, steps int) ([]string, error) {
	episode, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", id, err)
	}
	d := drawer{rand: dice(seed, id), episode: episode}
	d.follows = d.chance(planStreams)
	var commands []string
	for range steps {
		c, err := d.command(ctx)
		if err != nil {
			return commands, fmt.Errorf("drawing a command of %s: %w", id, err)
		}
		commands = append(commands, c)
		if _, err := episode.Step(ctx, c); err != nil {
			return commands, fmt.Errorf("saying %q to %s: %w", c, id, err)
		}
	}
	return commands, nil
}

// dice are those of one game.
func dice(seed uint64, id string) *rand.Rand {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(id+"\x00"), seed))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}

type drawer struct {
	rand    *rand.Rand
	episode env.Episode
	follows bool
}

func (d *drawer) chance(percent int) bool { return d.rand.IntN(100) < percent }

func (d *drawer) command(ctx context.Context) (string, error) {
	commands := d.episode.Now().Actions.Commands
	if len(commands) == 0 || d.chance(junkShare) {
		return d.junk(commands), nil
	}
	if d.follows && !d.episode.Now().Won && d.chance(planShare) {
		plan, err := d.plan(ctx)
		if err != nil || len(plan) > 0 {
			return first(plan), err
		}
	}
	if d.chance(50) {
		return d.verbFirst(commands), nil
	}
	return pick(d.rand, commands), nil
}

// plan is how an expert would go on, nil where it does not know.
func (d *drawer) plan(ctx context.Context) ([]string, error) {
	expert, ok := d.episode.(env.Expert)
	if !ok {
		return nil, nil
	}
	plan, err := expert.Plan(ctx, env.Straight)
	var budget *env.BudgetError
	if errors.Is(err, env.ErrNoPlan) || errors.As(err, &budget) {
		return nil, nil
	}
	return plan, err
}

func first(plan []string) string {
	if len(plan) == 0 {
		return ""
	}
	return plan[0]
}

// verbFirst draws a verb and then one of its commands, so that verbs with few commands are met as often as others.
func (d *drawer) verbFirst(commands []string) string {
	by := map[string][]string{}
	var verbs []string
	for _, c := range commands {
		v := Verb(c)
		if by[v] == nil {
			verbs = append(verbs, v)
		}
		by[v] = append(by[v], c)
	}
	return pick(d.rand, by[pick(d.rand, verbs)])
}

// Verb is the first word of a command.
func Verb(command string) string {
	verb, _, _ := strings.Cut(command, " ")
	return verb
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// odd are white space and characters that are none, at the ends of commands or between words.
var odd = []string{" ", "\n", "\t", "\r\n", "\v", "\f", "\x1c", "\x1f", "\u0085", "\u00a0", "\u2003", "\u2028", "\u3000", "\u200b", "\ufeff", "\x00", "\x7f", "!"}

// junk is a command that is refused, or one that is taken in spite of how it is written.
func (d *drawer) junk(commands []string) string {
	others := []string{"", " ", "xyzzy", "help", "look around", "go north", "LOOK", "inventory.", "examine", "take", "go to nowhere 1", "\U0001f511"}
	if len(commands) == 0 {
		return pick(d.rand, others)
	}
	c := pick(d.rand, commands)
	words := strings.Split(c, " ")
	switch d.rand.IntN(9) {
	case 0:
		return strings.ToUpper(c)
	case 1:
		return strings.ReplaceAll(c, " ", pick(d.rand, odd)+" ")
	case 2:
		return pick(d.rand, odd) + c
	case 3:
		return c + pick(d.rand, odd) + pick(d.rand, odd)
	case 4: // of what is on offer elsewhere, mostly
		words[len(words)-1] = pick(d.rand, []string{"1", "2", "7", "99", "0", "01"})
		return strings.Join(words, " ")
	case 5:
		return strings.Join(words[:d.rand.IntN(len(words))], " ")
	case 6:
		slices.Reverse(words)
		return strings.Join(words, " ")
	case 7: // the other vintage's words
		return strings.NewReplacer("move ", "put ", " to ", " in/on ", "put ", "move ", " in/on ", " to ").Replace(c)
	default:
		return pick(d.rand, others)
	}
}
