package main

import (
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

func openGame(id string, data []byte) (env.Game, error) { return alfworld.Parse(id, data) }

// generateHousehold is the embedded game set as the activities ask for it.
func generateHousehold(in activities.HouseholdSplit) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		for game, err := range household.Generate(household.Config{Seed: in.Seed, Split: in.Split, Count: in.Count, Balanced: in.Balanced}) {
			file := activities.GameFile{ID: game.ID, Split: game.Split, Family: game.Family, Data: game.Data}
			if !yield(file, err) || err != nil {
				return
			}
		}
	}
}
