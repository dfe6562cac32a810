package alfworld

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/hone-rl/hone/env"
)

// Variation asks for other games in the room of a game: everything stands where it stood, and another thing is asked
// for, to be brought to a receptacle that is drawn as well. A player who has learnt by heart where the thing of a room
// lies is no better off in them.
type Variation struct {
	PerGame int    // games to make of one, at most; no two ask for things of one type
	Seed    uint64 // of the draws
}

// Varied is a game made of another.
type Varied struct {
	ID, Family string
	Data       []byte // the game file, without a walkthrough
}

// ErrNoVariant is returned for a game whose goal or sentence is not one that can be exchanged.
var ErrNoVariant = errors.New("no other thing can be asked for")

// Vary makes up to v.PerGame games of the game in data, fewer where its room has not so many things of use. Each has
// the task family of the first and a straight plan that wins, and none is won from the start. What is made depends on
// id, data and seed alone. Errors are those of Parse, ErrNoVariant and ctx's.
func (l *Library) Vary(ctx context.Context, id string, data []byte, v Variation) ([]Varied, error) {
	g, err := l.Parse(id, data)
	if err != nil {
		return nil, err
	}
	t, err := newTemplate(g, data)
	if err != nil {
		return nil, fmt.Errorf("game %s: %w", id, err)
	}
	draw := rand.New(rand.NewChaCha8(sha256.Sum256([]byte("hone variant/1\x00" + strconv.FormatUint(v.Seed, 10) + "\x00" + id))))
	places := t.places()
	var made []Varied
	for _, target := range shuffled(draw, t.targets()) {
		if len(made) >= v.PerGame {
			break
		}
		for _, place := range shuffled(draw, places) {
			game, err := t.with(target, place, len(made)+1)
			if err != nil {
				return nil, fmt.Errorf("game %s: %w", id, err)
			}
			good, err := l.wins(ctx, game, g.family, target)
			if err != nil {
				return nil, err
			}
			if good {
				made = append(made, game)
				break
			}
		}
	}
	return made, nil
}

// wins says whether a game made is one of the family that asks for the target, and can be won by a straight plan. Most
// that are not ask for what cannot be done there: an apple cannot be put into a coffee machine.
func (l *Library) wins(ctx context.Context, made Varied, family string, target kind) (bool, error) {
	g, err := l.Parse(made.ID, made.Data)
	if err != nil || g.family != family || g.goal.Target != target.word {
		return false, err
	}
	episode, err := g.Start(ctx, env.Limits{})
	if err != nil {
		return false, unlessBudget(err)
	}
	plan, err := episode.(env.Expert).Plan(ctx, env.Straight) // which has been tried
	return err == nil && len(plan) > 0, unlessBudget(err)
}

// unlessBudget is err, or nil where it only says that this game comes to nothing.
func unlessBudget(err error) error {
	var budget *env.BudgetError
	if errors.As(err, &budget) || errors.Is(err, env.ErrNoPlan) {
		return nil
	}
	return err
}

func shuffled(draw *rand.Rand, list []kind) []kind {
	list = slices.Clone(list)
	draw.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
