package games

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/env/webshop"
)

// grouped are the goals that verl-agent's groups play: of training those of its resets, one after the other, until there
// are as many as asked for, and of validation those of its first. A goal that comes again counts once; since training and
// validation have other seeds, the same purchase may be in both.
func (g *Games) grouped(ctx context.Context, in activities.ShopGames, of goalShop) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		for _, part := range []struct {
			split      string
			groups     int
			most       int
			validation bool
		}{{webshop.Train, in.Groups.Count, in.Train, false}, {webshop.Validation, in.Validation, in.Validation, true}} {
			if part.most == 0 {
				continue
			}
			if part.groups < 1 || part.groups > activities.MostShopGroups {
				yield(activities.GameFile{}, activities.Wrong(fmt.Errorf("%d groups of %s, expected 1 to %d", part.groups, part.split, activities.MostShopGroups)))
				return
			}
			cfg, err := g.catalogues.get(ctx, of.Catalogue, func(ctx context.Context) (webshop.Config, error) {
				return g.openCatalogue(ctx, of.Catalogue)
			})
			if err != nil {
				yield(activities.GameFile{}, err)
				return
			}
			cfg.Seed, cfg.Human = int64(in.Groups.Seed), of.Human
			groups, err := webshop.NewGroups(webshop.GroupsConfig{Shop: cfg, Groups: part.groups, Validation: part.validation})
			if err != nil && !errors.Is(err, webshop.ErrBadStore) { // a folder that is damaged is written anew
				err = activities.Wrong(err)
			}
			if err != nil {
				yield(activities.GameFile{}, err)
				return
			}
			if !of.drawn(groups, cfg.Seed, part.split, part.most, yield) {
				return
			}
		}
	}
}

// resets is how often tasks are drawn at most for so many games: goals come again, and the last ones are rare.
func resets(most, groups int) int { return 10 * (most/groups + 1) }

// drawn yields the distinct games of resets, each in the shop of its group.
func (s goalShop) drawn(groups *webshop.Groups, base int64, split string, most int, yield func(activities.GameFile, error) bool) bool {
	seen := map[string]bool{}
	for range resets(most, groups.Len()) {
		games, err := groups.Next()
		if err != nil {
			return yield(activities.GameFile{}, err)
		}
		for i, game := range games {
			if len(seen) == most {
				return true
			}
			if seen[game.ID()] {
				continue
			}
			seen[game.ID()] = true
			of := s
			of.Seed = groups.Seed(i)
			if !yield(of.file(game, split)) {
				return false
			}
		}
	}
	return true
}
