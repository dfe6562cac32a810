// Package games joins the games that runs are about: it opens their files, whatever environment they are of, makes those
// that ship with Hone, and keeps the catalogues of shops in a store.
package games

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/webshop"
)

// Games opens game files. Its methods may be called from many goroutines.
type Games struct {
	store   artifacts.Store
	folder  string
	most    int // products in memory
	library alfworld.Library

	catalogues kept[artifacts.Digest, webshop.Config]
	shops      kept[goalShop, *webshop.Shop]
}

// Config says what games are opened with.
type Config struct {
	Store artifacts.Store // of the catalogues of shops
	// Folder is where large catalogues are kept with their indexes, from one process to the next, and read from; "": each
	// process has them in memory.
	Folder string
	// InMemory is up to how many products a catalogue is held in memory with a folder, too; 0 is 20,000, which are opened in
	// seconds.
	InMemory int
}

// inMemory is the default of Config.InMemory.
const inMemory = 20_000

// How much is kept open. Shops of one catalogue share it; verl-agent's groups have a shop each.
const (
	openCatalogues = 2
	openShops      = 256
)

// New opens games.
func New(cfg Config) *Games {
	g := &Games{store: cfg.Store, folder: cfg.Folder, most: cmp.Or(cfg.InMemory, inMemory)}
	g.catalogues.most, g.shops.most = openCatalogues, openShops
	return g
}

// Open reads a game file: ALFWorld's, those with the same domain and grammar as one before quicker and into less memory,
// or a goal of a shop, whose catalogue is read once. Activities.OpenGame says what its errors are.
func (g *Games) Open(ctx context.Context, id string, data []byte) (env.Game, error) {
	goal, ok, err := readGoal(data)
	if !ok {
		game, err := g.library.Parse(id, data)
		if err != nil { // a game's nil is not always nil
			return nil, err
		}
		return game, nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", env.ErrBadGame, id, err)
	case goal.Game != id:
		return nil, fmt.Errorf("%w: %s: it is the goal %s", env.ErrBadGame, id, goal.Game)
	}
	shop, err := g.shop(ctx, goal.goalShop)
	if err != nil {
		return nil, fmt.Errorf("%w: catalogue %s of %s: %w", activities.ErrUnread, goal.Catalogue.Short(), id, err)
	}
	game, err := shop.Find(goal.Game)
	if errors.Is(err, webshop.ErrBadStore) {
		return nil, fmt.Errorf("%w: %s: %w", activities.ErrUnread, id, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", env.ErrBadGame, err)
	}
	return game, nil
}

// shop is a catalogue with the prices and goals of a seed.
func (g *Games) shop(ctx context.Context, s goalShop) (*webshop.Shop, error) {
	return g.shops.get(ctx, s, func(ctx context.Context) (*webshop.Shop, error) {
		cfg, err := g.catalogues.get(ctx, s.Catalogue, func(ctx context.Context) (webshop.Config, error) {
			return g.openCatalogue(ctx, s.Catalogue)
		})
		if err != nil {
			return nil, err
		}
		cfg.Seed, cfg.Human = s.Seed, s.Human
		shop, err := webshop.New(cfg)
		if errors.Is(err, env.ErrBadGame) {
			err = activities.Wrong(err) // it is what is stored, and stays so
		}
		return shop, err
	})
}
