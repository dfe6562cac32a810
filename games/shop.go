package games

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/bazaar"
)

// Shop makes the games of a shop: Activities.Shop.
func (g *Games) Shop(ctx context.Context, in activities.ShopGames) (artifacts.Digest, iter.Seq2[activities.GameFile, error], error) {
	catalogue := in.Catalogue
	if catalogue == "" {
		var err error
		if catalogue, err = g.bazaar(ctx, in); err != nil {
			return "", nil, err
		}
	}
	of := goalShop{Catalogue: catalogue, Seed: webshop.FixedSeed, Human: in.Human}
	shop, err := g.shop(ctx, of) // with groups, too: what is wrong with the catalogue is told of here
	if err != nil {
		return "", nil, fmt.Errorf("catalogue %s: %w", catalogue.Short(), err)
	}
	if in.Groups != nil {
		return catalogue, g.grouped(ctx, in, of), nil
	}
	return catalogue, func(yield func(activities.GameFile, error) bool) {
		for _, split := range []struct {
			name string
			most int
		}{{webshop.Train, in.Train}, {webshop.Validation, in.Validation}, {webshop.Test, in.Test}} {
			if split.most == 0 {
				continue
			}
			all, err := shop.Games(split.name)
			if err != nil {
				yield(activities.GameFile{}, err)
				return
			}
			for _, game := range all[:min(split.most, len(all))] {
				if !yield(of.file(game, split.name)) {
					return
				}
			}
		}
	}, nil
}

// file is a goal's.
func (s goalShop) file(game *webshop.Game, split string) (activities.GameFile, error) {
	data, err := s.encode(game.ID())
	return activities.GameFile{ID: game.ID(), Split: split, Family: game.Family(), File: activities.GoalFileName, Data: data}, err
}

// bazaar stores the catalogue that ships with Hone.
func (g *Games) bazaar(ctx context.Context, in activities.ShopGames) (artifacts.Digest, error) {
	made, err := bazaar.Make(bazaar.Config{Seed: in.Seed, Products: in.Products})
	if err != nil {
		return "", activities.Wrong(err)
	}
	c, err := webshop.Read(webshop.Sources{
		Products: bytes.NewReader(made.Products), Attributes: bytes.NewReader(made.Attributes), Instructions: bytes.NewReader(made.Instructions),
	})
	if err != nil {
		return "", err
	}
	return storeCatalogue(ctx, g.store, c.Len(), []source{
		{productsFile, bytes.NewReader(made.Products)},
		{attributesFile, bytes.NewReader(made.Attributes)},
		{instructionsFile, bytes.NewReader(made.Instructions)},
		{nounsFile, bytes.NewReader(made.Nouns)},
	})
}
