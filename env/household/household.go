// Package household makes the games that ship with Hone: a household of kitchens, living rooms, bedrooms and
// bathrooms with the six task families of ALFWorld, written as game.tw-pddl files so that whatever plays ALFWorld
// plays them. Rules, texts, rooms and tasks are our own; predicates, types and actions bear ALFWorld's names,
// because these are the interface.
//
// A scene is the furniture of one room: which receptacles there are and which are reached from the same place. A
// game lays out things in a scene and asks for one task. What a game holds is a function of the seed, its split and
// its index, and of the games before it only as far as a repeat is passed over.
package household

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// Splits of a game list. ValidSeen draws from the same scenes as Train (of which a short list of Train may not meet
// each), with tasks that Train never asks for in them; the scenes of ValidUnseen occur nowhere else.
const (
	Train       = "train"
	ValidSeen   = "valid_seen"
	ValidUnseen = "valid_unseen"
)

// Families are the task families in ALFWorld's order.
var Families = []string{
	"pick_and_place_simple", "look_at_obj_in_light", "pick_clean_then_place_in_recep",
	"pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", "pick_two_obj_and_place",
}

// Mix weighs the families, in the order of Families.
type Mix [6]int

var (
	// ALFWorldMix has the families as often as ALFWorld's train split has them. It is the default.
	ALFWorldMix = Mix{790, 308, 650, 459, 533, 813}
	// EvenMix has every family equally often.
	EvenMix = Mix{1, 1, 1, 1, 1, 1}
)

// Config says which games to make. The first games of a longer list are those of a shorter one.
type Config struct {
	Seed        uint64
	Train       int // games of each split; none of the three given means ALFWorld's 3553, 140 and 134
	ValidSeen   int
	ValidUnseen int
	Mix         Mix   // all zero means ALFWorldMix
	Rules       Rules // zero means our own
}

// Game is one game.
type Game struct {
	ID     string // household/<split>/<family>-<target>-<destination or lamp>-<scene>/<index>
	Split  string
	Family string
	Task   Task
	Data   []byte // the game.tw-pddl file
}

// Task is what a game asks for, by kinds as ALFWorld spells them ("SinkBasin").
type Task struct {
	Target      string
	Destination string    // "" for the look family
	Lamp        string    // the look family's, else ""
	Scene       int       // number of the room, which says what kind of room it is as in ALFWorld
	Sentences   [2]string // the task in the words of our own rules, whatever the game's
}

// Solved is the game's file with a walkthrough, a list of commands that wins.
func (g Game) Solved(walkthrough []string) ([]byte, error) {
	list, err := json.Marshal(walkthrough)
	if err != nil {
		return nil, fmt.Errorf("household: walkthrough of %s: %w", g.ID, err)
	}
	before, ok := bytes.CutSuffix(g.Data, []byte("null}\n")) // the walkthrough is last
	if !ok {
		return nil, fmt.Errorf("household: %s has a walkthrough already", g.ID)
	}
	return slices.Concat(before, list, []byte("}\n")), nil
}

// Trial is the game's place in a folder of ALFWorld's layout, below json_2.1.1: split/task/trial.
func (g Game) Trial() string {
	number := g.ID[strings.LastIndex(g.ID, "/")+1:]
	return fmt.Sprintf("%s/%s-%s-None-%s%s-%d/trial_%s", g.Split, g.Family, g.Task.Target, g.Task.Destination, g.Task.Lamp, g.Task.Scene, number)
}

// Scenes of one kind of room. ALFWorld has 27 in train and one in valid_unseen.
const (
	knownScenes  = 27
	unseenScenes = 5
)

// attempts bounds the draws for one game. Eight draws of nine go to the other side of the split, and a repeat is
// next to impossible, so that the bound is met only by a Mix of tasks that the scenes do not have.
const attempts = 5000

// Generate makes the games of cfg, split after split in the order train, valid_seen, valid_unseen. An error ends
// the sequence.
func Generate(cfg Config) iter.Seq2[Game, error] {
	return func(yield func(Game, error) bool) {
		cfg, err := cfg.complete()
		if err != nil {
			yield(Game{}, err)
			return
		}
		m := &maker{seed: cfg.Seed, seen: map[string]bool{}}
		if m.language, err = cfg.Rules.language(); err != nil {
			yield(Game{}, err)
			return
		}
		if m.scenes, err = buildScenes(cfg.Seed); err != nil {
			yield(Game{}, err)
			return
		}
		for _, part := range []struct {
			split string
			games int
		}{{Train, cfg.Train}, {ValidSeen, cfg.ValidSeen}, {ValidUnseen, cfg.ValidUnseen}} {
			deal := dealer{mix: cfg.Mix}
			for index := range part.games {
				game, err := m.game(part.split, deal.next(), index)
				if !yield(game, err) || err != nil {
					return
				}
			}
		}
	}
}

// Check says what is wrong with cfg, as Generate would.
func (cfg Config) Check() error {
	cfg, err := cfg.complete()
	if err != nil {
		return err
	}
	_, err = cfg.Rules.language()
	return err
}

func (cfg Config) complete() (Config, error) {
	if cfg.Train < 0 || cfg.ValidSeen < 0 || cfg.ValidUnseen < 0 {
		return cfg, fmt.Errorf("household: %d, %d and %d games wanted, none may be negative", cfg.Train, cfg.ValidSeen, cfg.ValidUnseen)
	}
	if cfg.Train == 0 && cfg.ValidSeen == 0 && cfg.ValidUnseen == 0 {
		cfg.Train, cfg.ValidSeen, cfg.ValidUnseen = 3553, 140, 134
	}
	if cfg.Mix == (Mix{}) {
		cfg.Mix = ALFWorldMix
	}
	for i, weight := range cfg.Mix {
		if weight < 0 {
			return cfg, fmt.Errorf("household: weight %d of family %s, must not be negative", weight, Families[i])
		}
	}
	return cfg, nil
}

// maker makes the games of one list.
type maker struct {
	seed     uint64
	language *language
	scenes   *scenes
	seen     map[string]bool // fingerprints
}

func (m *maker) game(split, family string, index int) (Game, error) {
	for attempt := range attempts {
		d := newDice("game", m.seed, split, index, attempt)
		t, ok := m.drawTask(d, split, family)
		if !ok {
			continue
		}
		laid, ok := layOut(d, t, m.language)
		if !ok {
			continue
		}
		id := fmt.Sprintf("household/%s/%s-%s-%s-%d/%04d", split, t.family, t.target.kind, t.end(), t.scene.number, index)
		text := laid.problem(id)
		mark, err := fingerprint(text)
		if err != nil {
			return Game{}, fmt.Errorf("household: game %s: %w", id, err)
		}
		if m.seen[mark] {
			continue
		}
		m.seen[mark] = true
		data, err := laid.file(id, text)
		if err != nil {
			return Game{}, err
		}
		return Game{ID: id, Split: split, Family: t.family, Task: t.tell(), Data: data}, nil
	}
	return Game{}, fmt.Errorf("household: no %s game %d of %s in %d draws", family, index, split, attempts)
}

// dealer deals the families out so that any number of first games comes as near to the mix as can be.
type dealer struct {
	mix   Mix
	count Mix
	dealt int
}

func (d *dealer) next() string {
	total := 0
	for _, weight := range d.mix {
		total += weight
	}
	d.dealt++
	best, lack := 0, math.MinInt
	for f, weight := range d.mix {
		if l := weight*d.dealt - d.count[f]*total; weight > 0 && l > lack {
			best, lack = f, l
		}
	}
	d.count[best]++
	return Families[best]
}
