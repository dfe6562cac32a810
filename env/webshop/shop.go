package webshop

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// Shop is a catalogue with prices and goals. It never changes and may be used from many goroutines.
type Shop struct {
	catalogue *Catalogue
	prices    []float64 // in dollars, by place in the catalogue
	wishes    []wish    // the goals, shuffled
	sums      []float64 // of the goals' weights: 0, the first, the first and the second, …
	drawn     mt19937.Python
	cfg       Config
}

// Config says what a shop is made of.
type Config struct {
	Catalogue *Catalogue
	Searcher  Searcher
	Judge     Judge
	// Seed decides the prices within a range, the price bounds, the order of goals and the random sessions. The
	// original takes 233 for the order and none for the others; verl-agent takes another one for each group.
	Seed int64
	// Human takes the instructions by people for goals. False takes the synthetic ones.
	Human bool
	// Rich lets games tell pages in rich text. False tells them in plain text, as verl-agent does.
	Rich bool
	// ShowAttributes gives products a page of their attributes, which the original hides from players.
	ShowAttributes bool
}

// New draws the prices and goals of a shop. What is wrong with the catalogue is env.ErrBadGame.
func New(cfg Config) (*Shop, error) {
	if cfg.Catalogue == nil || cfg.Searcher == nil || cfg.Judge == nil {
		return nil, errors.New("webshop: expected a catalogue, a searcher and a judge")
	}
	s := &Shop{catalogue: cfg.Catalogue, cfg: cfg}
	r := mt19937.NewPython(cfg.Seed)
	s.drawPrices(r)
	makeWishes := s.syntheticWishes
	if cfg.Human {
		makeWishes = s.humanWishes
	}
	if err := makeWishes(r); err != nil {
		return nil, fmt.Errorf("webshop: %w", err)
	}
	if len(s.wishes) == 0 {
		return nil, fmt.Errorf("webshop: %w: the catalogue has no instruction of the kind asked for, expected at least one", env.ErrBadGame)
	}
	r = mt19937.NewPython(cfg.Seed)
	r.Shuffle(len(s.wishes), func(i, j int) { s.wishes[i], s.wishes[j] = s.wishes[j], s.wishes[i] })
	s.drawn = *r
	s.sums = make([]float64, len(s.wishes)+1)
	for i, w := range s.wishes {
		s.sums[i+1] = s.sums[i] + w.weight
	}
	return s, nil
}

// drawPrices settles the prices that the catalogue gives as a range.
func (s *Shop) drawPrices(r *mt19937.Python) {
	s.prices = make([]float64, s.catalogue.Len())
	for i, one := range s.catalogue.rows {
		s.prices[i] = one.low
		if one.ranged {
			s.prices[i] = r.Uniform(one.low, one.high)
		}
	}
}

// Price is what a product of the catalogue costs in this shop, in dollars.
func (s *Shop) Price(asin string) (float64, bool) {
	i, ok := s.catalogue.byASIN[asin]
	if !ok {
		return 0, false
	}
	return s.prices[i], true
}

// Catalogue is what the shop sells.
func (s *Shop) Catalogue() *Catalogue { return s.catalogue }
