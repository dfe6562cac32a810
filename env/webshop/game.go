package webshop

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/env"
)

// Game is one goal of a shop. What can be said is the form search[…] where there is a search bar, which the shop
// understands on every page, and click[…] for what is on the page. The score is the original's reward, and only a
// purchase of exactly 1 is a win; every purchase ends the game. Nothing in env.Limits matters: a step does no more
// work than one search of the catalogue.
type Game struct {
	shop   *Shop
	number int
	id     string
}

var _ env.Game = (*Game)(nil)

// ID implements env.Game: webshop/<split>/<asin>/<which of the product's goals>, or webshop/number/<number>. Goals
// by people are in webshop-human, and those of a shop with another seed than the fixed one in webshop-seed<seed>.
func (g *Game) ID() string { return g.id }

// Family implements env.Game. It is the category, such as "fashion".
func (g *Game) Family() string {
	c := g.shop.catalogue
	return family(c.categories[c.rows[g.shop.wishes[g.number].product].category])
}

func family(category string) string {
	if category == "" {
		return "other"
	}
	return category
}

// Goal is what is to be bought. An error is the catalogue's.
func (g *Game) Goal() (*Goal, error) { return g.shop.Goal(g.number) }

// Start implements env.Game.
func (g *Game) Start(ctx context.Context, _ env.Limits) (env.Episode, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	goal, err := g.Goal()
	if err != nil {
		return nil, fmt.Errorf("webshop: %w", err)
	}
	e := &Episode{game: g}
	e.session = session{shop: g.shop, id: fmt.Sprint(g.number), goal: goal}
	e.session.draw = e.dice
	e.session.begin()
	e.look()
	return e, nil
}
