package hints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/exact"
)

// Excluded is a game that has no records, or a detour of one that has: a line of NAME.jsonl.excluded_games.jsonl. It
// holds no clock and no host.
type Excluded struct {
	Game     string `json:"game"`
	Detour   int    `json:"detour,omitempty"`   // its number; 0: the whole game
	Kind     string `json:"kind"`               // one of the kinds below
	Attempts int    `json:"attempts,omitempty"` // times that it was played; only of a whole game that the clock excluded
	Reason   string `json:"reason"`             // for people
}

// The kinds of exclusion. All but ExcludedByClock are functions of game and limits.
const (
	ExcludedByBudget = "budget"  // more counted work than allowed
	ExcludedByClock  = "clock"   // the wall-clock net under it
	ExcludedNoPlan   = "no_plan" // the expert finds no way to win
	ExcludedByError  = "error"   // the game file is faulty
)

// maxReason bounds a reason, in bytes: it may quote a game. More says that it goes on.
const (
	maxReason = 1000
	more      = "…"
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
	reason := strings.ReplaceAll(strings.ToValidUTF8(err.Error(), "\ufffd"), "\n", "; ")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason-len(more)], "") + more
	}
	return Excluded{Game: game, Kind: kind, Reason: reason}
}

// ExcludeDetour is Exclude for detour n of game.
func ExcludeDetour(game string, n int, err error) Excluded {
	e := Exclude(game, err)
	e.Detour = n
	return e
}

// WriteExcluded writes the games sorted by id, then detour, one a line.
func WriteExcluded(w io.Writer, games []Excluded) error {
	for _, e := range slices.SortedFunc(slices.Values(games), func(a, b Excluded) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(a.Detour, b.Detour))
	}) {
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
			err = exact.UnmarshalKnown(l.text, &e)
		}
		if err == nil && (e.Game == "" || e.Detour < 0 || e.Attempts < 0 || !slices.Contains([]string{ExcludedByBudget, ExcludedByClock, ExcludedNoPlan, ExcludedByError}, e.Kind)) {
			err = fmt.Errorf("expected a game, a detour from 1 if any, and a kind of exclusion, got game %q, detour %d, kind %q, attempts %d", e.Game, e.Detour, e.Kind, e.Attempts)
		}
		if err != nil {
			return nil, fmt.Errorf("excluded games line %d: %w", l.number, err)
		}
		games = append(games, e)
	}
	return games, nil
}
