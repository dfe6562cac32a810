package reward_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/fuzzy"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/reward"
	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/outside"
)

// recorded is a purchase that WebShop judged.
type recorded struct {
	ID   string `json:"id"`
	Goal struct {
		ASIN       string          `json:"asin"`
		Query      string          `json:"query"`
		Name       string          `json:"name"`
		Path       string          `json:"product_category"`
		Attributes []string        `json:"attributes"`
		PriceUpper float64         `json:"price_upper"`
		Options    json.RawMessage `json:"goal_options"`
	} `json:"goal"`
	ASIN         string             `json:"purchased_asin"`
	Chosen       json.RawMessage    `json:"purchased_options"`
	Price        float64            `json:"price"`
	Expected     map[string]any     `json:"expected"`
	OptionScores []optionScore      `json:"option_scores"`
	Attributes   []bestOfAttributes `json:"attribute_scores"`
	GoalNouns    []string           `json:"goal_nouns"`
	Nouns        []string           `json:"purchased_nouns"`
}

type optionScore struct {
	Goal      any    `json:"goal"`
	Purchased string `json:"purchased"`
	Score     int    `json:"score"`
}

type bestOfAttributes struct {
	Goal  string `json:"goal"`
	Score int    `json:"best_score"`
	Best  string `json:"best_attribute"`
}

// TestRecorded compares all 200 purchases, part by part.
func TestRecorded(t *testing.T) {
	cases, goals, bought, table := golden(t)
	if len(cases) != 200 {
		t.Errorf("%d cases, want 200", len(cases))
	}
	for i, c := range cases {
		r, err := reward.Of(&goals[i], &bought[i], table)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		got := map[string]any{
			"total": r.Total, "r_type": r.Kind.Share, "query_match": r.Kind.QueryMatch, "category_match": r.Kind.CategoryMatch,
			"title_score": r.Kind.TitleScore, "r_att": r.Attributes.Share(), "w_att": r.Attributes.Weight,
			"r_price": r.Price.Hits == 1, "w_price": r.Price.Weight,
			"num_attr_matches": float64(r.Attributes.Hits), "num_option_matches": float64(r.Options.Hits),
		}
		if r.Options.Of > 0 {
			got["r_option"], got["w_option"] = r.Options.Share(), r.Options.Weight
		}
		for key, want := range c.Expected {
			if !same(got[key], want) {
				t.Errorf("%s: %s is %v, want %v", c.ID, key, got[key], want)
			}
		}
		if len(got) != len(c.Expected) {
			t.Errorf("%s: %d parts, want %d", c.ID, len(got), len(c.Expected))
		}
		if r.Kind.Guessed || !slices.Equal(r.Kind.Wanted, c.GoalNouns) || !slices.Equal(r.Kind.Bought, c.Nouns) {
			t.Errorf("%s: nouns are %q and %q, guessed %v, want %q and %q", c.ID, r.Kind.Wanted, r.Kind.Bought, r.Kind.Guessed, c.GoalNouns, c.Nouns)
		}
	}
}

// same compares numbers as WebShop's recordings are told apart, to 1e-9, and anything else exactly.
func same(got, want any) bool {
	if g, ok := got.(float64); ok {
		w, ok := want.(float64)
		return ok && math.Abs(g-w) <= 1e-9
	}
	return got == want
}

// TestOptionScores compares each wanted option with each chosen value.
func TestOptionScores(t *testing.T) {
	cases, goals, bought, _ := golden(t)
	compared := 0
	for i, c := range cases {
		var got []optionScore
		for _, o := range goals[i].Options {
			for _, chosen := range bought[i].Options {
				got = append(got, optionScore{compare(o, goals[i].Named), reward.Normal(chosen), reward.OptionScore(chosen, o, goals[i].Named)})
			}
		}
		if !reflect.DeepEqual(got, c.OptionScores) && len(got)+len(c.OptionScores) > 0 {
			t.Errorf("%s: got %v, want %v", c.ID, got, c.OptionScores)
		}
		compared += len(got)
	}
	if compared < 400 {
		t.Errorf("%d pairs compared, want 400 or more", compared)
	}
}

// compare is what a wanted option is compared as, in the recording's form: a text, or name and value.
func compare(o reward.Option, named bool) any {
	if !named {
		return reward.Normal(o.Value)
	}
	if c, ok := reward.ColourAmong(o.Name, o.Value); ok {
		return c
	}
	return []any{o.Name, o.Value}
}

// TestAttributeScores compares each wanted attribute with the product's attribute that is nearest to it, the last by code
// point where several are.
func TestAttributeScores(t *testing.T) {
	cases, goals, bought, _ := golden(t)
	for i, c := range cases {
		var got []bestOfAttributes
		for _, want := range goals[i].Attributes {
			best := bestOfAttributes{Goal: want}
			for _, a := range bought[i].Attributes {
				if s := fuzzy.Score(fuzzy.New(a), fuzzy.New(want)); s > best.Score || s == best.Score && a > best.Best {
					best.Score, best.Best = s, a
				}
			}
			got = append(got, best)
		}
		if !slices.Equal(got, c.Attributes) {
			t.Errorf("%s: got %v, want %v", c.ID, got, c.Attributes)
		}
	}
}

// golden reads the recorded purchases.
func golden(t testing.TB) (cases []recorded, goals []reward.Goal, bought []reward.Purchase, table *nouns.Table) {
	t.Helper()
	products, table := catalogue(t)
	data, err := os.ReadFile(outside.Shared(t, "webshop-golden", "reward_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c recorded
		parse(t, line, &c)
		goal := reward.Goal{
			ASIN: c.Goal.ASIN, Title: c.Goal.Name, Query: c.Goal.Query, CategoryPath: c.Goal.Path,
			Attributes: c.Goal.Attributes, MaxPrice: c.Goal.PriceUpper,
		}
		if bytes.HasPrefix(c.Goal.Options, []byte("[")) {
			var values []string
			parse(t, c.Goal.Options, &values)
			for _, v := range values {
				goal.Options = append(goal.Options, reward.Option{Value: v})
			}
		} else {
			goal.Named = true
			goal.Options = pairs(t, c.Goal.Options)
		}
		p, ok := products[c.ASIN]
		if !ok {
			t.Fatalf("%s: no product %s", c.ID, c.ASIN)
		}
		p.Price = c.Price
		for _, o := range pairs(t, c.Chosen) {
			p.Options = append(p.Options, o.Value)
		}
		cases, goals, bought = append(cases, c), append(goals, goal), append(bought, p)
	}
	return cases, goals, bought, table
}

// pairs reads an object of texts in its order.
func pairs(t testing.TB, text []byte) []reward.Option {
	t.Helper()
	var list []reward.Option
	err := exact.Members(text, func(name string, value []byte) error {
		o := reward.Option{Name: name}
		list = append(list, o)
		return json.Unmarshal(value, &list[len(list)-1].Value)
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestColours: the words and their order are WebShop's.
func TestColours(t *testing.T) {
	var want []string
	read(t, &want, "data", "color_words.json")
	if !slices.Equal(reward.Colours, want) {
		t.Errorf("got %q, want %q", strings.Join(reward.Colours, " "), strings.Join(want, " "))
	}
}
