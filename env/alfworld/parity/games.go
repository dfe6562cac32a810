package parity

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// Drawn is a game to be played on both engines.
type Drawn struct {
	ID, Family string
	Data       []byte // the game file
	rank       uint64
}

// legacyShare is how many of the real games are played with the texts of the old vintage: one in so many.
const legacyShare = 6

// draw keeps the games of each family that rank first under the seed.
type draw struct {
	seed      uint64
	perFamily int
	by        map[string][]Drawn
}

func (d *draw) rank(id string) uint64 {
	return dice(d.seed, "rank/"+id).Uint64()
}

func (d *draw) add(id, family string, data []byte) {
	g := Drawn{ID: id, Family: family, Data: data, rank: d.rank(id)}
	list := d.by[family]
	i, _ := slices.BinarySearchFunc(list, g, func(a, b Drawn) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.ID, b.ID))
	})
	if i < d.perFamily {
		list = slices.Insert(list, i, g)
		d.by[family] = list[:min(len(list), d.perFamily)]
	}
}

// games are those kept, family after family.
func (d *draw) games() []Drawn {
	var all []Drawn
	for _, f := range alfworld.Families {
		all = append(all, d.by[f]...)
	}
	return all
}

// DrawReal draws games of a packed list in ALFWorld's layout (games.jsonl.xz, alfred.pddl, alfred.twl2 and legacy/
// beside it), as many of each family, some of them with the texts of the old vintage.
func DrawReal(seed uint64, folder string, perFamily int) ([]Drawn, error) {
	old := perFamily / legacyShare
	now := &draw{seed: seed, perFamily: perFamily - old, by: map[string][]Drawn{}}
	legacy := &draw{seed: seed, perFamily: old, by: map[string][]Drawn{}}
	err := eachReal(folder, func(g alfworld.Imported) {
		if !isLegacy(seed, g.ID) {
			now.add(g.ID, g.Family, g.Data)
		}
	})
	if err != nil {
		return nil, err
	}
	err = WithLegacy(folder, func(folder string) error {
		return eachReal(folder, func(g alfworld.Imported) {
			if isLegacy(seed, g.ID) {
				legacy.add("legacy/"+g.ID, g.Family, g.Data)
			}
		})
	})
	return slices.Concat(now.games(), legacy.games()), err
}

func isLegacy(seed uint64, id string) bool {
	return dice(seed, "vintage/"+id).Uint64()%legacyShare == 0
}

func eachReal(folder string, visit func(alfworld.Imported)) error {
	src, err := alfworld.Import(folder)
	if err != nil {
		return err
	}
	for g, err := range src.Games() {
		if err != nil {
			return err
		}
		visit(g)
	}
	return nil
}

// WithLegacy calls use with a folder in which the games of a packed list have the texts of the old vintage, and
// removes it again.
func WithLegacy(folder string, use func(folder string) error) (err error) {
	temp, err := os.MkdirTemp("", "legacy-games-")
	if err != nil {
		return fmt.Errorf("making a folder of the old vintage: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	for name, target := range map[string]string{
		"games.jsonl.xz": "games.jsonl.xz", "alfred.pddl": "legacy/alfred.pddl", "alfred.twl2": "legacy/alfred.twl2",
	} {
		full, err := filepath.Abs(filepath.Join(folder, filepath.FromSlash(target)))
		if err != nil {
			return fmt.Errorf("making a folder of the old vintage: %w", err)
		}
		if err := os.Symlink(full, filepath.Join(temp, name)); err != nil {
			return fmt.Errorf("making a folder of the old vintage: %w", err)
		}
	}
	return use(temp)
}

// DrawHousehold makes games of our own in the language of rules, as many of each family.
func DrawHousehold(seed uint64, perFamily int, rules household.Rules) ([]Drawn, error) {
	var list []Drawn
	unseen := perFamily / 2 // each split deals whole rounds of the families
	cfg := household.Config{
		Seed: seed, Train: (perFamily - unseen) * len(household.Families), ValidUnseen: unseen * len(household.Families),
		Mix: household.EvenMix, Rules: rules,
	}
	for g, err := range household.Generate(cfg) {
		if err != nil {
			return nil, err
		}
		list = append(list, Drawn{ID: g.ID, Family: g.Family, Data: g.Data})
	}
	return list, nil
}

// DrawGolden are all games of a folder of golden transcripts.
func DrawGolden(folder string) ([]Drawn, error) {
	var list []Drawn
	err := eachReal(folder, func(g alfworld.Imported) {
		list = append(list, Drawn{ID: "golden/" + g.ID, Family: g.Family, Data: g.Data})
	})
	return list, err
}
