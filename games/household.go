package games

import (
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/env/household"
)

// Household is the embedded game set: Activities.Household.
func Household(in activities.HouseholdGames) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		for game, err := range household.Generate(household.Config{Seed: in.Seed, Train: in.Train, ValidSeen: in.ValidSeen, ValidUnseen: in.ValidUnseen}) {
			file := activities.GameFile{ID: game.ID, Split: game.Split, Family: game.Family, Data: game.Data}
			if !yield(file, err) || err != nil {
				return
			}
		}
	}
}
