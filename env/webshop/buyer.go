package webshop

import (
	"context"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/env"
)

// Demonstration is how a buyer who knows the goal's product goes about it.
type Demonstration struct {
	Commands []string
	Total    float64 // the reward that they end with
}

// Demonstrate buys the product that the goal was made from, from the current state on, whatever reward that brings:
// some goals cannot be met by their own product. Two kinds of env.PlanKind differ in the words that they search for:
// env.Straight takes the product's title, env.Search what the player was told to buy. Both look through all pages of
// the results. They return env.ErrNoPlan where the product is not found, where something cannot be clicked, and once
// something else was bought. It changes nothing.
func (e *Episode) Demonstrate(ctx context.Context, kind env.PlanKind) (Demonstration, error) {
	if err := ctx.Err(); err != nil {
		return Demonstration{}, err
	}
	words := ""
	switch goal := e.session.goal; kind {
	case env.Straight:
		words = searchable(goal.Title)
	case env.Search:
		words = goal.words()
	case env.Walkthrough, env.Planner, env.Explore:
		return Demonstration{}, fmt.Errorf("%w: a shop has no expert %q", env.ErrNoPlan, kind)
	default:
		return Demonstration{}, fmt.Errorf("webshop: expert %.40q, expected %q or %q", kind, env.Straight, env.Search)
	}
	b := buyer{session: e.session, commands: []string{}}
	if e.obs.Done {
		if e.obs.Won {
			return Demonstration{b.commands, e.obs.Score}, nil
		}
		return Demonstration{}, fmt.Errorf("%w: something else was bought", env.ErrNoPlan)
	}
	if err := b.run(ctx, words); err != nil {
		return Demonstration{}, err
	}
	return Demonstration{b.commands, b.session.reward.Total}, nil
}

// words are what to search for a goal with: the instruction without its price and without what opens an action.
func (g *Goal) words() string {
	text, _, _ := strings.Cut(g.Text, priced)
	return searchable(strings.TrimPrefix(text, "Find me "))
}

// searchable is text without what means something else in a search.
func searchable(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]<>\n", r) {
			return ' '
		}
		return r
	}, text)
}
