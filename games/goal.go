package games

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/exact"
)

// goalFormat is what the file of a shop's goal begins with.
const goalFormat = "hone webshop goal/1"

// goalFile is the file of a goal of a shop. All goals of a shop name the same catalogue, which stands in the store once.
type goalFile struct {
	Format string `json:"format"` // goalFormat
	goalShop
	Game string `json:"game"` // its id, as package webshop names it
}

// goalShop is the shop that a goal is of.
type goalShop struct {
	Catalogue artifacts.Digest `json:"catalogue"`
	Seed      int64            `json:"seed"` // of prices, price bounds and the order of goals
	Human     bool             `json:"human,omitempty"`
}

// encode is the file of a goal.
func (s goalShop) encode(game string) ([]byte, error) {
	data, err := json.Marshal(goalFile{goalFormat, s, game})
	return append(data, '\n'), err
}

// maxGoal bounds the file of a goal, in bytes. Ids of games are short.
const maxGoal = 4096

// readGoal reads the file of a goal. It is false for a file that is another game's.
func readGoal(data []byte) (goal goalFile, ok bool, err error) {
	if !bytes.HasPrefix(data, []byte(`{"format":"`+goalFormat+`"`)) {
		return goal, false, nil
	}
	if len(data) > maxGoal {
		return goal, true, fmt.Errorf("%d bytes, expected at most %d", len(data), maxGoal)
	}
	if err := exact.UnmarshalKnown(data, &goal); err != nil {
		return goal, true, err
	}
	if err := goal.Catalogue.Validate(); err != nil {
		return goal, true, fmt.Errorf("catalogue: %w", err)
	}
	again, err := goal.encode(goal.Game)
	if err == nil && !bytes.Equal(again, data) {
		err = fmt.Errorf("%q, expected it as it is written: %q", data, again)
	}
	return goal, true, err
}
