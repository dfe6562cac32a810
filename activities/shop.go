package activities

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
)

// CatalogueRole is the role of a shop's catalogue among the inputs of its games.
const CatalogueRole = "catalogue"

// CatalogueName is the name of a stored catalogue.
func CatalogueName(d artifacts.Digest) string { return "catalogues/" + d.Hex() }

// ShopGames are goals of a shop, at most so many of each split.
type ShopGames struct {
	Catalogue artifacts.Digest `json:"catalogue,omitempty" yaml:"catalogue"` // a stored one; "": the one that ships with Hone
	Products  int              `json:"products,omitempty" yaml:"products"`   // of that; 0: 900
	Seed      uint64           `json:"seed,omitempty" yaml:"seed"`           // of that
	Human     bool             `json:"human,omitempty" yaml:"human"`         // goals in people's words, in place of synthetic ones

	Train      int `json:"train" yaml:"train"`
	Validation int `json:"validation" yaml:"validation"`
	Test       int `json:"test" yaml:"test"`

	// Groups has the games drawn as verl-agent draws them, where each group of environments has a shop of its own seed;
	// nil: all are of one shop, and no two splits share a goal.
	Groups *ShopGroups `json:"groups,omitempty" yaml:"groups"`
}

// MostShopGroups bounds groups of environments, each of which has a shop with prices and goals of its own.
const MostShopGroups = 128

// ShopGroups are verl-agent's.
type ShopGroups struct {
	Count int    `json:"count" yaml:"count"` // groups that are trained in at once: its 16 tasks of a step
	Seed  uint64 `json:"seed" yaml:"seed"`   // of the run
}

// ShopInput asks for the games of a shop.
type ShopInput struct {
	Key   artifacts.Digest `json:"key"`
	Games ShopGames        `json:"games"`
}

// GenerateShop stores the goals of a shop as one list. Its manifest has the catalogue as an input, and each game's file
// names it by digest.
func (a *Activities) GenerateShop(ctx context.Context, in ShopInput) (*GamesResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	beat.at(0, "games")
	catalogue, games, err := a.Shop(ctx, in.Games)
	if err != nil {
		return nil, classify(err)
	}
	n := 0
	m, err := StoreGames(ctx, a.Store, games, func(string) { n++; beat.at(n, "games") })
	if err != nil {
		return nil, classify(err)
	}
	if n == 0 {
		return nil, final(ErrTypeBadInput, fmt.Errorf("catalogue %s: it has no goal of the splits asked for", catalogue.Short()))
	}
	m.Inputs = []artifacts.Input{{Role: CatalogueRole, Digest: catalogue}}
	return a.publishMade(ctx, in.Key, m, in.Games, n, beat)
}

// Wrong is a final error of what is called by activities and outside of them: retrying cannot help.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return wrong{err, ErrTypeBadInput}
}
