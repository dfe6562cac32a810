package workflows

import (
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/bazaar"
)

// shopping says what is wrong with a run on a shop.
func (s *Spec) shopping() (wrong []error) {
	shop := s.Games.Shop
	if shop == nil {
		return nil
	}
	need, also := under("games.shop.", &wrong)
	need(shop.Train > 0 && min(shop.Validation, shop.Test) >= 0, "train %d, validation %d, test %d: expected train above 0, no count below 0",
		shop.Train, shop.Validation, shop.Test)
	need(max(shop.Train, shop.Validation, shop.Test) <= maxCount, "train, validation, test: expected at most %d games a split", maxCount)
	need(shop.Products >= 0 && shop.Products <= bazaar.MostProducts, "products %d: expected 0, for %d, to %d", shop.Products,
		bazaar.DefaultProducts, bazaar.MostProducts)
	if shop.Catalogue != "" {
		also("catalogue: ", shop.Catalogue.Validate())
		need(shop.Products == 0 && shop.Seed == 0, "catalogue: expected no products and seed beside it, which are of the catalogue that ships with Hone")
	}
	if g := shop.Groups; g != nil {
		need(g.Count >= 1 && g.Count <= activities.MostShopGroups, "groups.count %d: expected 1 to %d", g.Count, activities.MostShopGroups)
		need(g.Seed <= mostGroupSeed, "groups.seed %d: expected at most %d, of 32 bits with the seeds of all groups", g.Seed, mostGroupSeed)
		need(shop.Validation <= activities.MostShopGroups, "validation %d: expected at most %d, since each has a shop of its own with groups", shop.Validation, activities.MostShopGroups)
		need(shop.Test == 0, "test %d: expected none with groups, which know training and validation", shop.Test)
	}
	need, _ = under("", &wrong)
	for _, step := range []string{"teacher", "student", "distilled", "evaluation"} {
		need(!s.Does(step), "stages: expected no %s with games.shop: it has its models choose of a list of commands, and searches are free text. "+
			"cold_start and grpo are for shops, and grpo.validate plays what they train", step)
	}
	need(slices.Contains([]env.PlanKind{env.Straight, env.Search}, s.Hints.Plan) && !s.Hints.Prefer,
		"hints.plan %s, hints.walkthrough %t: expected %s or %s with games.shop, and no walkthrough", s.Hints.Plan, s.Hints.Prefer, env.Search, env.Straight)
	if s.GRPO != nil {
		need(s.GRPO.World == ask.Shop, "grpo.world %s: expected %s, as the games are", s.GRPO.World, ask.Shop)
	}
	return wrong
}

// mostGroupSeed is the highest seed of groups, all of whose seeds have 32 bits.
const mostGroupSeed = 1<<32 - 1 - 1000 - activities.MostShopGroups

// made are how many games a run makes of each split, at most for a shop; nil where a stored list knows.
func (g GamesSpec) made() map[string]int {
	switch {
	case g.Household != nil:
		return PerSplit(*g.Household)
	case g.Shop != nil:
		return map[string]int{webshop.Train: g.Shop.Train, webshop.Validation: g.Shop.Validation, webshop.Test: g.Shop.Test}
	}
	return nil
}

// Made is how many games of a split a run makes, at most; 0 where a stored list knows.
func (g GamesSpec) Made(split string) int { return g.made()[split] }

// All is how many games a run makes, at most; 0 where a stored list knows.
func (g GamesSpec) All() (n int) {
	for _, count := range g.made() {
		n += count
	}
	return n
}

// source is the source's field, of those that make games.
func (g GamesSpec) source() string {
	if g.Shop != nil {
		return "games.shop"
	}
	return "games.household"
}

// shopSplits are the splits of a shop, in the order of specs.
var shopSplits = []string{webshop.Train, webshop.Validation, webshop.Test}
