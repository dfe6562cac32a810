package hints

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hone-rl/hone/env"
)

// Excluded is a game that has no records: a line of NAME.jsonl.excluded_games.jsonl. It holds no clock, host or
// attempt.
type Excluded struct {
	Game   string `json:"game"`
	Kind   string `json:"kind"`   // one of the kinds below
	Reason string `json:"reason"` // for people
}

// The kinds of exclusion. All but ExcludedByClock are functions of game and limits.
const (
	ExcludedByBudget = "budget"  // more counted work than allowed
	ExcludedByClock  = "clock"   // the wall-clock net under it
	ExcludedNoPlan   = "no_plan" // the expert finds no way to win
	ExcludedByError  = "error"   // the game file is faulty
)

// Exclude is the exclusion of game for the error that Generate, or the loading of the game, returned.
func Exclude(game string, err error) Excluded {
	kind := ExcludedByError
	var budget *env.BudgetError
	switch {
	case errors.As(err, &budget):
		kind = ExcludedByBudget
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Excluded{Game: game, Kind: ExcludedByClock, Reason: "the wall-clock net of the game ended"}
	case errors.Is(err, env.ErrNoPlan):
		kind = ExcludedNoPlan
	}
	return Excluded{Game: game, Kind: kind, Reason: err.Error()}
}

// WriteExcluded writes the games sorted by id, one a line.
func WriteExcluded(w io.Writer, games []Excluded) error {
	for _, e := range slices.SortedFunc(slices.Values(games), func(a, b Excluded) int { return cmp.Compare(a.Game, b.Game) }) {
		text, err := encode(e)
		if err != nil {
			return fmt.Errorf("writing excluded game %s: %w", e.Game, err)
		}
		if _, err := w.Write(text); err != nil {
			return fmt.Errorf("writing excluded game %s: %w", e.Game, err)
		}
	}
	return nil
}

// ReadExcluded reads what WriteExcluded wrote.
func ReadExcluded(r io.Reader) ([]Excluded, error) {
	var games []Excluded
	for l, err := range lines(r) {
		var e Excluded
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(l.text))
			d.DisallowUnknownFields()
			err = d.Decode(&e)
		}
		if err == nil && (e.Game == "" || !slices.Contains([]string{ExcludedByBudget, ExcludedByClock, ExcludedNoPlan, ExcludedByError}, e.Kind)) {
			err = fmt.Errorf("expected a game and a kind of exclusion, got game %q, kind %q", e.Game, e.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("excluded games line %d: %w", l.number, err)
		}
		games = append(games, e)
	}
	return games, nil
}
