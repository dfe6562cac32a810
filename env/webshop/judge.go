package webshop

import (
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// Judge says how well what was bought fits a goal. It may be used from many goroutines.
type Judge interface {
	// Judge compares a product, bought with some options at a price in dollars, with what goal asks for. An error means
	// that the two cannot be compared, and ends an episode.
	Judge(goal *Goal, bought *Product, options []Choice, price float64) (reward.Reward, error)
}

// NewJudge judges as WebShop does, by the nouns of titles that tagger gives.
func NewJudge(tagger nouns.Tagger) Judge { return judge{tagger} }

type judge struct{ nouns.Tagger }

// Judge implements Judge.
func (j judge) Judge(goal *Goal, bought *Product, options []Choice, price float64) (reward.Reward, error) {
	wanted := reward.Goal{
		ASIN: goal.ASIN, Title: goal.Title, Query: goal.Query, CategoryPath: goal.CategoryPath,
		Attributes: goal.Attributes, Named: !goal.Human, MaxPrice: goal.PriceUpper,
	}
	for _, c := range goal.Options {
		wanted.Options = append(wanted.Options, reward.Option(c))
	}
	purchase := reward.Purchase{
		ASIN: bought.ASIN, Title: bought.Title, Description: bought.Description, Bullets: bought.Bullets,
		Query: bought.Query, CategoryPath: bought.CategoryPath, Attributes: bought.Attributes, Price: price,
	}
	for _, c := range options {
		purchase.Options = append(purchase.Options, c.Value)
	}
	return reward.Of(&wanted, &purchase, j.Tagger)
}
