package reward_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// words is a tagger for which every word of a title is a noun, and a guess.
type words struct{}

func (words) Nouns(_, title string) (nouns.Nouns, error) {
	return nouns.Nouns{List: strings.Fields(title), Guessed: strings.Contains(title, "?")}, nil
}

const ten = "a b c d e f g h i j" // words

func TestKind(t *testing.T) {
	for name, c := range map[string]struct {
		wanted, bought string // titles
		query, path    string // bought; wanted are "q" and "x › y › z"
		share, score   float64
	}{
		"one kind by title":            {ten, "a b c", "p", "", 1, 0.3},
		"a fifth is not enough":        {ten, "a b", "p", "", 0.5, 0.2},
		"a fifth and the query":        {ten, "a b", "q", "", 1, 0.2},
		"a tenth":                      {ten, "a", "p", "", 0.5, 0.1},
		"a tenth and the query":        {ten, "a", "q", "", 1, 0.1},
		"below a tenth":                {ten + " k", "a", "p", "", 0.1, 1.0 / 11},
		"below a tenth, query":         {ten + " k", "a", "q", "x › y", 0.1, 1.0 / 11},
		"nothing shared":               {ten, "k", "q", "x › y › z", 0, 0},
		"no nouns bought":              {ten, "", "q", "", 0, 0},
		"no nouns wanted":              {"", "a", "p", "", 0.5, 0.2},
		"no nouns wanted, query":       {"", "a", "q", "", 1, 0.2},
		"two parts of the path":        {ten, "a", "p", "z ›y", 1, 0.1},
		"one part of the path":         {ten, "a", "p", "x › w", 0.5, 0.1},
		"one part of the path, twice":  {ten, "a", "p", "x › x", 0.5, 0.1},
		"repeats count against itself": {"a a a a b", "a a a a b", "p", "", 1, 0.4},
		"repeats, far below":           {"a" + strings.Repeat(" a", 10), "a", "q", "", 0.1, 1.0 / 11},
	} {
		goal := reward.Goal{Title: c.wanted, Query: "q", CategoryPath: "x › y › z", Attributes: []string{"soft"}, MaxPrice: 10}
		r, err := reward.Of(&goal, &reward.Purchase{Title: c.bought, Query: c.query, CategoryPath: c.path}, words{})
		if err != nil || r.Kind.Share != c.share || r.Kind.TitleScore != c.score || r.Kind.QueryMatch != (c.query == "q") {
			t.Errorf("%s: got %+v, %v, want %v by %v", name, r.Kind, err, c.share, c.score)
		}
		if want := c.share * 0.5; r.Total != want { // the price is right, the attribute missed
			t.Errorf("%s: total %v, want %v", name, r.Total, want)
		}
	}
}

// TestGuessed: one guessed title is enough for the kind to be a guess.
func TestGuessed(t *testing.T) {
	for _, c := range []struct {
		wanted, bought string
		want           bool
	}{{"a", "a", false}, {"a ?", "a", true}, {"a", "a ?", true}} {
		goal := reward.Goal{Title: c.wanted, Attributes: []string{"soft"}, MaxPrice: 10}
		if r, err := reward.Of(&goal, &reward.Purchase{Title: c.bought}, words{}); err != nil || r.Kind.Guessed != c.want {
			t.Errorf("%q for %q: got %v, %v, want %v", c.bought, c.wanted, r.Kind.Guessed, err, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	bought := reward.Purchase{
		Title: "Soft CHAIR", Bullets: []string{"easy", "Clean all"}, Description: "made of Ash wood", Attributes: []string{"heavy duty"},
		Options: []string{"black1901", "large"}, Price: 20,
	}
	for name, c := range map[string]struct {
		goal                       reward.Goal
		attributes, options, price int
	}{
		"attributes by score and by text": {
			reward.Goal{Attributes: []string{"duty heavy", "soft chair", "easy clean", "ash wood", "cheap", "Ash"}, MaxPrice: 20}, 4, 0, 1,
		},
		"a cent too much": {reward.Goal{Attributes: []string{"cheap"}, MaxPrice: 19.99}, 0, 0, 0},
		"values": {
			reward.Goal{Attributes: []string{"cheap"}, Options: []reward.Option{{"", "black99"}, {"", "large"}, {"", "small"}}, MaxPrice: 1}, 0, 2, 0,
		},
		"pairs": { // the first cannot be had: black1901 is bought as black, and wanted as it is
			reward.Goal{Attributes: []string{"cheap"}, Options: []reward.Option{{"color", "black1901"}, {"color", "black"}, {"size", "large"}}, Named: true, MaxPrice: 1}, 0, 2, 0,
		},
	} {
		goal := c.goal
		r, err := reward.Of(&goal, &bought, words{})
		if err != nil || r.Attributes.Hits != c.attributes || r.Options.Hits != c.options || r.Price.Hits != c.price {
			t.Errorf("%s: got %+v, %v, want %d attributes, %d options, price %d", name, r, err, c.attributes, c.options, c.price)
		}
		if sum := r.Attributes.Weight + r.Options.Weight + r.Price.Weight; math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: weights sum to %v", name, sum)
		}
	}
}

func TestColour(t *testing.T) {
	for value, want := range map[string]string{
		"standard": "tan", "washed": "ash", "black1901": "black", "dark red": "dark", "Red": "Red", "": "", "light-grey": "grey",
	} {
		if got := reward.Normal(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
	if got, ok := reward.ColourAmong("white", "black"); !ok || got != "black" {
		t.Errorf("of two colours: got %q, %v", got, ok)
	}
	if got, ok := reward.ColourAmong("color", "black1"); ok {
		t.Errorf("a colour within a value: got %q", got)
	}
}

func TestOfRefuses(t *testing.T) {
	good := func() (reward.Goal, reward.Purchase) {
		return reward.Goal{ASIN: "G", Attributes: []string{"soft"}, MaxPrice: 10}, reward.Purchase{ASIN: "P"}
	}
	for want, change := range map[string]func(*reward.Goal, *reward.Purchase){
		`goal "G": no attributes, expected at least one`:          func(g *reward.Goal, _ *reward.Purchase) { g.Attributes = nil },
		`goal "G": highest price 0, expected more than 0 dollars`: func(g *reward.Goal, _ *reward.Purchase) { g.MaxPrice = 0 },
		`goal "G": highest price NaN, expected`:                   func(g *reward.Goal, _ *reward.Purchase) { g.MaxPrice = math.NaN() },
		`purchase "P": price NaN, expected dollars`:               func(_ *reward.Goal, p *reward.Purchase) { p.Price = math.NaN() },
		`goal "G": 1001 attributes, expected at most 1000`:        func(g *reward.Goal, _ *reward.Purchase) { g.Attributes = make([]string, 1001) },
		`goal "G": values of options: number 2 has 4097 bytes, expected at most 4096`: func(g *reward.Goal, _ *reward.Purchase) {
			g.Options = []reward.Option{{}, {Value: strings.Repeat("a", 4097)}}
		},
		`goal "G": names of options: number 1 has 4097 bytes, expected at most 4096`: func(g *reward.Goal, _ *reward.Purchase) {
			g.Options = []reward.Option{{Name: strings.Repeat("a", 4097)}}
		},
		`purchase "P": attributes: number 1 has 5000 bytes, expected at most 4096`: func(_ *reward.Goal, p *reward.Purchase) { p.Attributes = []string{strings.Repeat("a", 5000)} },
		`purchase "P": options: number 1 has 5000 bytes, expected at most 4096`:    func(_ *reward.Goal, p *reward.Purchase) { p.Options = []string{strings.Repeat("a", 5000)} },
	} {
		goal, bought := good()
		change(&goal, &bought)
		if _, err := reward.Of(&goal, &bought, words{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	goal, bought := good()
	table, err := nouns.Parse("f.json", []byte(`{"G": ["lamp"]}`))
	if err != nil {
		t.Fatal(err)
	}
	bought.Title = "Lamp"
	if _, err := reward.Of(&goal, &bought, table); !errors.Is(err, nouns.ErrUnknown) || !strings.Contains(err.Error(), `purchase: product "P"`) {
		t.Errorf("bought title unknown: got %v", err)
	}
	bought, goal.ASIN, goal.Title = reward.Purchase{ASIN: "G"}, "P", "Lamp"
	if _, err := reward.Of(&goal, &bought, table); !errors.Is(err, nouns.ErrUnknown) || !strings.Contains(err.Error(), `goal: product "P"`) {
		t.Errorf("wanted title unknown: got %v", err)
	}
}

// BenchmarkOf judges the recorded purchases.
func BenchmarkOf(b *testing.B) {
	goals, bought, table := recorded(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := i % len(goals)
		if _, err := reward.Of(&goals[k], &bought[k], table); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOfLeaves: judging changes neither goal nor purchase.
func TestOfLeaves(t *testing.T) {
	goals, bought, table := recorded(t)
	again, boughtAgain, _ := recorded(t)
	for i := range goals {
		if _, err := reward.Of(&goals[i], &bought[i], table); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(goals[i].Options, again[i].Options) || !slices.Equal(goals[i].Attributes, again[i].Attributes) ||
			!slices.Equal(bought[i].Options, boughtAgain[i].Options) || !slices.Equal(bought[i].Attributes, boughtAgain[i].Attributes) {
			t.Fatalf("case %d was changed", i)
		}
	}
}
