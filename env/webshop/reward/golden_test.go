package reward_test

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/check/checktest"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/reward"
	"github.com/hone-rl/hone/internal/outside"
)

// TestRecorded compares all 200 purchases, part by part, with the scores of their options and attributes, and the
// words of colours.
func TestRecorded(t *testing.T) {
	kinds := []check.Kind{check.Purchases, check.Tables}
	checktest.Golden(t, check.Config{Kinds: kinds}, checktest.Want{check.Purchases: 200, check.Tables: 2})
}

// recorded are the recorded purchases, as they are judged.
func recorded(t testing.TB) (goals []reward.Goal, bought []reward.Purchase, table *nouns.Table) {
	t.Helper()
	folder := golden.Folder(outside.Shared(t, "webshop-golden"))
	data, err := folder.Data()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := webshop.Open(webshop.Files{Products: data.Products, Attributes: data.Attributes})
	if err != nil {
		t.Fatal(err)
	}
	if table, err = nouns.Load(data.Nouns); err != nil {
		t.Fatal(err)
	}
	list, err := folder.Purchases()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range list {
		c := at.Value
		p, err := catalogue.Product(c.ASIN)
		if err != nil {
			t.Fatal(err)
		}
		one := reward.Purchase{
			ASIN: p.ASIN, Title: p.Title, Description: p.Description, Bullets: p.Bullets, Query: p.Query,
			CategoryPath: p.CategoryPath, Attributes: p.Attributes, Price: c.Price,
		}
		for _, o := range c.Chosen.List {
			one.Options = append(one.Options, o.Value)
		}
		goal := reward.Goal{
			ASIN: c.Goal.ASIN, Title: c.Goal.Name, Query: c.Goal.Query, CategoryPath: c.Goal.Path,
			Attributes: c.Goal.Attributes, MaxPrice: c.Goal.PriceUpper, Named: c.Goal.Options.Named,
		}
		for _, o := range c.Goal.Options.List {
			goal.Options = append(goal.Options, reward.Option(o))
		}
		goals, bought = append(goals, goal), append(bought, one)
	}
	return goals, bought, table
}
