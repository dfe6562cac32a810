package hints

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ref is a game by name and family.
type Ref struct {
	Game   string
	Family string
}

// SplitConfig sets up the draw of validation games. Zero PerMille means 55, the published 5.5 %.
type SplitConfig struct {
	Seed     uint64 `json:"seed"`
	PerMille int    `json:"per_mille"` // share of games, of each family
}

// defaultPerMille is the share of the published dataset.
const defaultPerMille = 55

func (c SplitConfig) withDefaults() SplitConfig {
	if c.PerMille == 0 {
		c.PerMille = defaultPerMille
	}
	return c
}

// drawnAlways: a family of at least so many games has a validation game, however small the share.
const drawnAlways = 10

// Split draws the validation games: of each family of n games n·PerMille/1000, rounded half up, and at least one
// of ten or more. Drawn are those whose sha256("hone split/1", seed, id) is lowest, so that the draw is a function
// of seed and ids, whatever their order. The result is sorted by id; all other games are for training.
func Split(cfg SplitConfig, games []Ref) ([]string, error) {
	cfg = cfg.withDefaults()
	if cfg.PerMille < 0 || cfg.PerMille > 1000 {
		return nil, fmt.Errorf("splitting %d games: per_mille is %d, expected 1 to 1000", len(games), cfg.PerMille)
	}
	families := map[string][]lot{}
	known := map[string]bool{}
	for _, g := range games {
		if known[g.Game] {
			return nil, fmt.Errorf("splitting %d games: %s is there twice", len(games), g.Game)
		}
		known[g.Game] = true
		key := sha256.Sum256([]byte(strings.Join([]string{"hone split/1", strconv.FormatUint(cfg.Seed, 10), g.Game}, "\x00")))
		families[g.Family] = append(families[g.Family], lot{g.Game, key})
	}
	drawn := []string{}
	for _, lots := range families {
		slices.SortFunc(lots, func(a, b lot) int { return bytes.Compare(a.key[:], b.key[:]) })
		n := (2*len(lots)*cfg.PerMille + 1000) / 2000
		if n == 0 && len(lots) >= drawnAlways {
			n = 1
		}
		for _, l := range lots[:n] {
			drawn = append(drawn, l.game)
		}
	}
	slices.Sort(drawn)
	return drawn, nil
}

type lot struct {
	game string
	key  [sha256.Size]byte
}
