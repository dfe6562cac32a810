package webshop

import (
	"errors"
	"fmt"
	"math"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// Groups hands out tasks as verl-agent does, for comparisons with it: every group of environments has a shop of its own
// seed, hence prices, bounds and an order of goals of its own, and what is trained on and what is validated on are
// told apart by numbers in those orders. So one goal may be in both. Games of a shop's splits do not have that.
type Groups struct {
	shops    []*Shop
	drawn    *mt19937.NumPy
	from, to int // numbers of goals
}

// GroupsConfig says which groups there are.
type GroupsConfig struct {
	Shop       Config // with the seed of the run
	Groups     int    // of training, 16; of validation, where a group is one environment, 128
	Validation bool   // the first 500 goals, and seeds from 1000 on; else the others
}

const (
	validationGoals = 500
	validationSeed  = 1000 // added to that of the run
)

// NewGroups makes the shops of all groups.
func NewGroups(cfg GroupsConfig) (*Groups, error) {
	base := cfg.Shop.Seed
	if cfg.Validation {
		base += validationSeed
	}
	if base < 0 || base > math.MaxUint32 || cfg.Groups < 1 {
		return nil, fmt.Errorf("webshop: %d groups of seeds from %d, expected at least one and a seed of 32 bits", cfg.Groups, base)
	}
	g := &Groups{drawn: mt19937.NewNumPy(uint32(base))}
	for i := range cfg.Groups {
		one := cfg.Shop
		one.Seed = base + int64(i)
		shop, err := New(one)
		if err != nil {
			return nil, err
		}
		g.shops = append(g.shops, shop)
	}
	goals := g.shops[0].Goals()
	g.from, g.to = validationGoals, goals
	if cfg.Validation {
		g.from, g.to = 0, min(validationGoals, goals)
	}
	if g.to-g.from < cfg.Groups {
		return nil, errors.New("webshop: fewer goals than groups in verl-agent's split")
	}
	return g, nil
}

// Len is how many groups there are.
func (g *Groups) Len() int { return len(g.shops) }

// Seed is that of a group's shop.
func (g *Groups) Seed(group int) int64 { return g.shops[group].cfg.Seed }

// Next draws the tasks of one reset, a game for each group. Its environments all play the same.
func (g *Groups) Next() ([]*Game, error) {
	numbers, err := g.drawn.Choice(g.from, g.to, len(g.shops))
	if err != nil {
		return nil, fmt.Errorf("webshop: draw tasks: %w", err)
	}
	games := make([]*Game, len(numbers))
	for i, number := range numbers {
		if games[i], err = g.shops[i].Number(number); err != nil {
			return nil, err
		}
	}
	return games, nil
}
