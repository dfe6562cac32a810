package main

import (
	"iter"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// openGames reads game files, those with the same domain and grammar as one before quicker and into less memory.
func openGames() func(id string, data []byte) (env.Game, error) {
	library := &alfworld.Library{}
	return func(id string, data []byte) (env.Game, error) { return library.Parse(id, data) }
}

// generateHousehold is the embedded game set as the activities ask for it.
func generateHousehold(in activities.HouseholdGames) iter.Seq2[activities.GameFile, error] {
	return func(yield func(activities.GameFile, error) bool) {
		for game, err := range household.Generate(household.Config{Seed: in.Seed, Train: in.Train, ValidSeen: in.ValidSeen, ValidUnseen: in.ValidUnseen}) {
			file := activities.GameFile{ID: game.ID, Split: game.Split, Family: game.Family, Data: game.Data}
			if !yield(file, err) || err != nil {
				return
			}
		}
	}
}
