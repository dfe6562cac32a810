package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/internal/fuzzy"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// tolerance is how far a reward may be from the recorded one.
const tolerance = 1e-9

func within(got, want any) bool {
	if g, ok := got.(float64); ok {
		w, ok := want.(float64)
		return ok && math.Abs(g-w) <= tolerance
	}
	return got == want
}

// purchases judges the recorded purchases and compares all parts, nouns, and scores of options and attributes.
func (c *checker) purchases(ctx context.Context) error {
	list, err := c.cfg.Folder.Purchases()
	if err != nil {
		return err
	}
	opened, err := c.open(ctx)
	if err != nil {
		return err
	}
	judge, err := c.judge()
	if err != nil {
		return err
	}
	for _, p := range list {
		c.compare(Purchases, p.Place, p.Value.ID, func(o *one) error {
			return o.purchase(opened.Catalogue, judge, &p.Value)
		})
	}
	return nil
}

func (o *one) purchase(catalogue *webshop.Catalogue, judge webshop.Judge, p *golden.Purchase) error {
	bought, err := catalogue.Product(p.ASIN)
	if err != nil {
		return err
	}
	if err := o.wanted(catalogue, p); err != nil {
		return err
	}
	goal := &webshop.Goal{
		ASIN: p.Goal.ASIN, Query: p.Goal.Query, Title: p.Goal.Name, CategoryPath: p.Goal.Path, Attributes: p.Goal.Attributes,
		PriceUpper: p.Goal.PriceUpper, Options: choices(p.Goal.Options), Human: !p.Goal.Options.Named,
	}
	chosen := choices(p.Chosen)
	r, err := judge.Judge(goal, bought, chosen, p.Price)
	if err != nil {
		return err
	}
	got := partsOf(r)
	got["total"], got["num_attr_matches"], got["num_option_matches"] = r.Total, float64(r.Attributes.Hits), float64(r.Options.Hits)
	o.parts(got, p.Expected, within)
	o.same("nouns of the wanted title", r.Kind.Wanted, p.GoalNouns)
	o.same("nouns of the bought title", r.Kind.Bought, p.Nouns)
	o.same("nouns are guessed", r.Kind.Guessed, false)
	o.optionScores(goal, chosen, p.OptionScores)
	o.attributeScores(goal, bought, p.Attributes)
	return nil
}

// wanted compares what a goal says of the product that it was made from with the catalogue's.
func (o *one) wanted(catalogue *webshop.Catalogue, p *golden.Purchase) error {
	product, err := catalogue.Product(p.Goal.ASIN)
	if err != nil {
		return fmt.Errorf("goal: %w", err)
	}
	o.same("goal: query", product.Query, p.Goal.Query)
	o.same("goal: name", product.Title, p.Goal.Name)
	o.same("goal: product_category", product.CategoryPath, p.Goal.Path)
	if !p.Goal.Options.Named {
		asks := func(in webshop.Instruction) bool { return slices.Equal(in.Options, values(p.Goal.Options)) }
		o.same("goal: goal_options are of an instruction", slices.ContainsFunc(product.Human, asks), true)
		return nil
	}
	o.same("goal: how many goal_options", len(product.Options), len(p.Goal.Options.List))
	for _, one := range p.Goal.Options.List {
		has := func(o webshop.Option) bool { return o.Name == one.Name && slices.Contains(o.Values, one.Value) }
		o.same(fmt.Sprintf("goal: goal_options: %.60q is of the product", one), slices.ContainsFunc(product.Options, has), true)
	}
	return nil
}

func values(options golden.Options) []string {
	list := make([]string, len(options.List))
	for i, one := range options.List {
		list[i] = one.Value
	}
	return list
}

func choices(options golden.Options) []webshop.Choice {
	list := make([]webshop.Choice, len(options.List))
	for i, one := range options.List {
		list[i] = webshop.Choice(one)
	}
	return list
}

// optionScores compares each wanted option with each chosen value.
func (o *one) optionScores(goal *webshop.Goal, chosen []webshop.Choice, want []golden.OptionScore) {
	got := []golden.OptionScore{}
	for _, wanted := range goal.Options {
		for _, c := range chosen {
			as, value, score := reward.Compare(reward.Option(wanted), !goal.Human, c.Value)
			got = append(got, golden.OptionScore{Goal: as, Purchased: value, Score: score})
		}
	}
	o.same("how many pairs of options", len(got), len(want))
	for i := range min(len(got), len(want)) {
		name := fmt.Sprintf("pair %d of options", i+1)
		o.same(name+": wanted", []string(got[i].Goal), []string(want[i].Goal))
		o.same(name+": chosen", got[i].Purchased, want[i].Purchased)
		o.same(name+": score", got[i].Score, want[i].Score)
	}
}

// attributeScores compares each wanted attribute with the product's attribute that is nearest to it, the last by code
// point where several are.
func (o *one) attributeScores(goal *webshop.Goal, bought *webshop.Product, want []golden.BestAttribute) {
	o.same("how many attributes", len(goal.Attributes), len(want))
	for i := range min(len(goal.Attributes), len(want)) {
		best := golden.BestAttribute{Goal: goal.Attributes[i]}
		wanted := fuzzy.New(best.Goal)
		for _, a := range bought.Attributes {
			if s := fuzzy.Score(fuzzy.New(a), wanted); s > best.Score || s == best.Score && (best.Best == nil || a > *best.Best) {
				best.Score, best.Best = s, &a
			}
		}
		name := fmt.Sprintf("attribute %d", i+1)
		o.same(name+": wanted", best.Goal, want[i].Goal)
		o.same(name+": nearest", told(best.Best), told(want[i].Best))
		o.same(name+": score", best.Score, want[i].Score)
	}
}

func told(attribute *string) any {
	if attribute == nil {
		return "null"
	}
	return *attribute
}
