package agent

import (
	"math"
	"slices"
)

// Spread is a row over several seeds: what of its figures is the seed's doing.
type Spread struct {
	Model    string            `json:"model"`
	WithHint bool              `json:"with_hint"`
	Seeds    []uint64          `json:"seeds"` // ascending
	All      Varied            `json:"all"`
	Families map[string]Varied `json:"families"`
}

// Varied is the shares of won games of several seeds on the same games, rounded to six decimals. Here a seed is one
// observation, whatever the number of its games: the deviation says how far the next seed may be off, which Wilson's
// interval of one row does not.
type Varied struct {
	Games     int     `json:"games"` // of each seed
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // of the sample, with n-1 below; 0 of one seed
	Least     float64 `json:"least"`
	Most      float64 `json:"most"`
}

// spread joins the cells that differ in nothing but their seed, in the order of the first of each.
func spread(cells []Cell) []Spread {
	var all []Spread
	var joined [][]Cell
	for _, c := range cells {
		if c.Seed == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(s Spread) bool { return s.Model == c.Model && s.WithHint == c.WithHint })
		if i < 0 {
			i = len(all)
			all, joined = append(all, Spread{Model: c.Model, WithHint: c.WithHint}), append(joined, nil)
		}
		all[i].Seeds, joined[i] = append(all[i].Seeds, c.Seed), append(joined[i], c)
	}
	for i := range all {
		s := &all[i]
		slices.Sort(s.Seeds)
		s.All = vary(joined[i], func(c Cell) Score { return c.All })
		s.Families = map[string]Varied{}
		for family := range joined[i][0].Families {
			s.Families[family] = vary(joined[i], func(c Cell) Score { return c.Families[family] })
		}
	}
	return all
}

func vary(cells []Cell, of func(Cell) Score) Varied {
	v := Varied{Games: of(cells[0]).Games, Least: 1}
	rates := make([]float64, len(cells)) // not the rounded ones
	sum := 0.0
	for i, c := range cells {
		s := of(c)
		if s.Games > 0 {
			rates[i] = float64(s.Won) / float64(s.Games)
		}
		sum += rates[i]
		v.Least, v.Most = min(v.Least, rates[i]), max(v.Most, rates[i])
	}
	n := float64(len(cells))
	mean, squares := sum/n, 0.0
	for _, r := range rates {
		squares += (r - mean) * (r - mean)
	}
	if n > 1 {
		v.Deviation = round(math.Sqrt(squares / (n - 1)))
	}
	v.Mean, v.Least, v.Most = round(mean), round(v.Least), round(v.Most)
	return v
}
