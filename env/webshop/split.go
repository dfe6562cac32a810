package webshop

import (
	"fmt"
	"strconv"
	"strings"
)

// Splits of a shop's goals: its first, the next, and all others. A goal is in one of them only.
const (
	Test       = "test"
	Validation = "validation"
	Train      = "train"
)

// Splits are their names.
var Splits = []string{Test, Validation, Train}

// FixedSeed is the seed of the shop that everybody plays in, the original's for the order of its goals.
const FixedSeed = 233

// parts are how many goals the test and the validation split have: 500 and 1,000, as in the original, of a shop with
// 5,000 or more, else a tenth and a fifth of all.
func parts(goals int) (test, validation int) {
	return min(500, goals/10), min(1000, goals/5)
}

// Games are the goals of a split, in the shop's order. Of goals that are the same but for their place there, which a
// product has where a value stands twice, the first one counts, so that no two splits share one. A product may still
// have goals in more than one.
func (s *Shop) Games(split string) ([]*Game, error) {
	from, to, err := s.bounds(split)
	if err != nil {
		return nil, err
	}
	var games []*Game
	seen := map[[2]int32]bool{}
	for number, w := range s.wishes[:to] {
		first, err := s.first(w)
		if err != nil {
			return nil, fmt.Errorf("webshop: %w", err)
		}
		id := [2]int32{w.product, first}
		if !seen[id] && number >= from {
			games = append(games, s.game(split, number, first))
		}
		seen[id] = true
	}
	return games, nil
}

// bounds are the numbers of the goals of a split, from and up to.
func (s *Shop) bounds(split string) (from, to int, err error) {
	test, validation := parts(len(s.wishes))
	switch split {
	case Test:
		return 0, test, nil
	case Validation:
		return test, test + validation, nil
	case Train:
		return test + validation, len(s.wishes), nil
	}
	return 0, 0, fmt.Errorf("webshop: split %.100q, expected one of %s", split, strings.Join(Splits, ", "))
}

// game is the goal of a number, which asks for what the product's first one of its kind does.
func (s *Shop) game(split string, number int, first int32) *Game {
	asin := s.catalogue.rows[s.wishes[number].product].asin
	return &Game{shop: s, number: number, id: fmt.Sprintf("%s/%s/%s/%d", s.list(), split, asin, first)}
}

// Number is the goal of a number as a game, named by its number: what a session of that number of the original is.
func (s *Shop) Number(number int) (*Game, error) {
	if number < 0 || number >= len(s.wishes) {
		return nil, fmt.Errorf("webshop: goal %d, expected 0 to %d", number, len(s.wishes)-1)
	}
	return &Game{shop: s, number: number, id: s.list() + "/number/" + strconv.Itoa(number)}, nil
}

// Find is the game of an id, as Games and Number name it.
func (s *Shop) Find(id string) (*Game, error) {
	rest, ok := strings.CutPrefix(id, s.list()+"/")
	kind, name, _ := strings.Cut(rest, "/")
	switch {
	case !ok:
		return nil, fmt.Errorf("webshop: game %.200q, expected one of %s", id, s.list())
	case kind == "number":
		number, err := strconv.Atoi(name)
		if err != nil || strconv.Itoa(number) != name {
			return nil, fmt.Errorf("webshop: game %.200q, expected a number at its end", id)
		}
		return s.Number(number)
	}
	from, to, err := s.bounds(kind)
	if err != nil {
		return nil, err
	}
	asin, variant := "", ""
	if i := strings.LastIndexByte(name, '/'); i >= 0 { // an asin may have one
		asin, variant = name[:i], name[i+1:]
	}
	product, known := s.catalogue.byASIN[asin]
	for number, w := range s.wishes[:to] { // the first of its kind, as in Games
		if !known || w.product != product {
			continue
		}
		first, err := s.first(w)
		if err != nil {
			return nil, fmt.Errorf("webshop: %w", err)
		}
		if strconv.Itoa(int(first)) == variant {
			if number < from {
				break
			}
			return s.game(kind, number, first), nil
		}
	}
	return nil, fmt.Errorf("webshop: there is no game %.200q", id)
}

// list is the name of the shop's list of games.
func (s *Shop) list() string {
	name := "webshop"
	if s.cfg.Human {
		name += "-human"
	}
	if s.cfg.Seed != FixedSeed {
		name += "-seed" + strconv.FormatInt(s.cfg.Seed, 10)
	}
	return name
}
