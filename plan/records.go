package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// Records are those of the dataset.
type Records struct {
	Train      int    `json:"train"`
	Validation int    `json:"validation"`
	Source     Source `json:"source"`
}

// Source is where a figure comes from.
type Source string

// The sources of figures.
const (
	Given     Source = "given"     // by who asked
	Dataset   Source = "dataset"   // counted in the stored one
	Estimated Source = "estimated" // from the number of games
	Nowhere   Source = "unknown"
)

// perGame are records a game by plan: docs/games.md, counted on ALFWorld's 3,553 training games.
var perGame = map[env.PlanKind]float64{
	env.Straight: 6.04, env.Search: 6.83, env.Planner: 6.01, env.Explore: 10.86, env.Walkthrough: 5.99,
}

// shopping are those of the goals of the catalogue that ships with Hone, by their buyers.
var shopping = map[env.PlanKind]float64{env.Straight: 4.95, env.Search: 4.95}

// each is records a game.
func (p *planner) each() float64 {
	if p.Spec.Games.Shop != nil {
		return shopping[p.Spec.Hints.Plan]
	}
	return perGame[p.Spec.Hints.Plan]
}

// records finds the number of records.
func (p *planner) records(ctx context.Context, dataset artifacts.Digest) error {
	dataset = cmp.Or(dataset, p.Spec.Hints.Dataset)
	h, r := p.Spec.Hints, &p.Records
	switch {
	case p.Count > 0:
		*r = Records{Train: p.Count, Source: Given}
	case dataset != "" && p.Store != nil:
		m, err := artifacts.GetManifest(ctx, p.Store, dataset)
		if errors.Is(err, artifacts.ErrNotFound) && dataset == h.Dataset {
			return fmt.Errorf("hints.dataset %s: the store has no such dataset", dataset)
		}
		if err != nil {
			return err
		}
		var said struct {
			Train, Validation hints.Part
		}
		if err := json.Unmarshal(m.Summary, &said); err != nil {
			return fmt.Errorf("dataset %s: %w", dataset.Short(), err)
		}
		*r = Records{Train: said.Train.Records, Validation: said.Validation.Records, Source: Dataset}
	case p.games[trainGames] > 0:
		each := p.each()
		all := float64(p.games[trainGames]) * each
		// A detour's way back is about as long as a plan.
		all += all * float64(h.Recovery.PerGame) * float64(h.Recovery.Share) / 1000
		held := all * float64(h.Validation) / 1000
		*r = Records{Train: int(all - held), Validation: int(held), Source: Estimated}
	default:
		r.Source = Nowhere
	}
	return nil
}
