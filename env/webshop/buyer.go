package webshop

import (
	"context"
	"fmt"
	"slices"
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
	return Demonstration{b.commands, b.session.parts.Total}, nil
}

// buyer carries its commands out on a copy of a session.
type buyer struct {
	session  session
	commands []string
}

func (b *buyer) run(ctx context.Context, words string) error {
	if err := b.find(words); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.choose(); err != nil {
		return err
	}
	return b.click("buy now")
}

func (b *buyer) do(action string) error {
	if action == "" || !b.session.act(action) {
		return fmt.Errorf("%w: %.100q does nothing", env.ErrNoPlan, action)
	}
	b.commands = append(b.commands, action)
	return nil
}

func (b *buyer) click(text string) error {
	action := click(text)
	if action == "" {
		return fmt.Errorf("%w: no action can click %.100q", env.ErrNoPlan, text)
	}
	return b.do(action)
}

// find searches and opens the product.
func (b *buyer) find(words string) error {
	if b.session.at != front {
		if err := b.click("back to search"); err != nil {
			return err
		}
	}
	if err := b.do(doSearch + "[" + words + "]"); err != nil {
		return err
	}
	asin := b.session.goal.ASIN
	place := slices.IndexFunc(b.session.hits, func(at int32) bool { return b.session.shop.catalogue.At(int(at)).ASIN == asin })
	if place < 0 {
		return fmt.Errorf("%w: %s is not among the %d products found for %.100q", env.ErrNoPlan, asin, len(b.session.hits), words)
	}
	for range place / perPage {
		if err := b.click("next >"); err != nil {
			return err
		}
	}
	return b.click(strings.ToLower(asin))
}

// choose clicks the wanted values. People ask for values in their own words; for those, of each option the value is
// taken that meets more of what is still wanted than none does.
func (b *buyer) choose() error {
	goal := b.session.goal
	if !goal.Human {
		for _, c := range goal.Options {
			if err := b.click(c.Value); err != nil {
				return err
			}
		}
		return nil
	}
	for _, o := range b.session.product.Options {
		most, best := b.meets(b.session.options), ""
		for _, v := range o.Values {
			if n := b.meets(append(slices.Clone(b.session.options), Choice{o.Name, v})); n > most {
				most, best = n, v
			}
		}
		if best == "" {
			continue
		}
		if err := b.click(best); err != nil {
			return err
		}
	}
	return nil
}

// meets is the reward for buying with some options.
func (b *buyer) meets(options []Choice) float64 {
	s := &b.session
	price, _ := s.shop.Price(s.asin())
	return s.shop.cfg.Reward.Reward(s.goal, s.product, options, price).Total
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
