// Package retention says what of a store is to be kept, and removes the rest: whole runs by rules, and what no run reaches.
package retention

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/artifacts"
)

// Rules say which finished runs are kept. With none of Keep, Last and Within all are but those of Drop. Runs that are not
// finished are kept, unless Drop has them.
type Rules struct {
	Keep   []string      // these runs
	Last   int           // of each spec's name the last so many
	Within time.Duration // those that ended in the last so long
	Drop   []string      // these go, finished or not, whatever else says
	Going  []string      // these go on, as who knows of it says, and stay: they may be a finished run's, that does more

	// Grace is how old has to be what goes. Default 24 hours; it has to be longer than a blob takes from being stored to
	// being named, which artifacts.Freshness bounds from below.
	Grace time.Duration
}

// DefaultGrace is the default of Rules.Grace.
const DefaultGrace = 24 * time.Hour

// ErrRules is in the error of rules that are wrong or do not fit the store's runs.
var ErrRules = errors.New("wrong rules")

func (r Rules) check(s *survey) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if r.Last < 0 {
		bad("keep the last %d: expected 1 or more", r.Last)
	}
	if r.Within < 0 {
		bad("keep within %s: expected a time above 0", r.Within)
	}
	if r.Grace < 0 {
		bad("grace %s: expected 0 or more", r.Grace)
	}
	for _, id := range slices.Concat(r.Keep, r.Drop) {
		removed := slices.Contains(s.noticed, NoticeName(id))
		switch {
		case s.runs[id] != nil, removed && slices.Contains(r.Drop, id): // what is dropped and gone may have left blobs
		case removed:
			bad("%q: to be kept, and %w", id, ErrRemoved)
		default:
			bad("%q: no such run in this store; hone list shows the runs", id)
		}
	}
	for _, id := range r.Drop {
		if slices.Contains(r.Keep, id) {
			bad("%q: to be kept and to be dropped, expected one of both", id)
		}
		if slices.Contains(r.Going, id) {
			bad("%q: to be dropped, and it is going on; hone cancel stops it", id)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRules, errors.Join(errs...))
}

// State says what becomes of a run and why.
type State string

// The states of runs.
const (
	Kept       State = "kept"         // by the rules
	Unfinished State = "not finished" // kept: it may be going on, or is
	Young      State = "too young"    // kept: no rule has it, but not all of it is as old as the grace period
	Goes       State = "goes"
)

// Run is a run in a store.
type Run struct {
	ID    string    `json:"run"`
	Name  string    `json:"name"` // its spec's, which its id begins with
	State State     `json:"state"`
	Why   string    `json:"why"`   // it has that state
	Ended time.Time `json:"ended"` // or was last heard of, by the store's clock

	began    time.Time // when its first name was written
	finished bool
	partial  bool // some of it has been removed, by a removal that was killed
	names    []artifacts.Object
}

// judge sets the states of runs.
func (r Rules) judge(runs map[string]*Run, now time.Time) {
	byName := map[string][]*Run{}
	for _, run := range runs {
		if run.finished {
			byName[run.Name] = append(byName[run.Name], run)
		}
	}
	last := map[string]bool{}
	for _, all := range byName {
		slices.SortFunc(all, func(a, b *Run) int {
			if c := b.Ended.Compare(a.Ended); c != 0 {
				return c
			}
			return strings.Compare(a.ID, b.ID)
		})
		for _, run := range all[:min(r.Last, len(all))] {
			last[run.ID] = true
		}
	}
	some := len(r.Keep) > 0 || r.Last > 0 || r.Within > 0
	for _, run := range runs {
		switch {
		case slices.Contains(r.Going, run.ID):
			run.State, run.Why = Unfinished, "it is going on"
		case slices.Contains(r.Keep, run.ID) && run.finished:
			run.State, run.Why = Kept, "it is to be kept"
		case slices.Contains(r.Drop, run.ID): // not if it is to be kept: check
			run.State, run.Why = Goes, "it is to be dropped"
		case run.partial:
			run.State, run.Why = Goes, "some of it has gone before"
		case !run.finished:
			run.State, run.Why = Unfinished, "it may be going on, or be gone on with"
		case !some:
			run.State, run.Why = Kept, "no rule is given"
		case last[run.ID]:
			run.State, run.Why = Kept, fmt.Sprintf("one of the last %d of %s", r.Last, run.Name)
		case r.Within > 0 && now.Sub(run.Ended) <= r.Within:
			run.State, run.Why = Kept, fmt.Sprintf("it ended within %s", r.Within)
		default:
			run.State, run.Why = Goes, "no rule keeps it"
		}
		if run.State == Goes && now.Sub(run.Ended) < r.Grace {
			run.State, run.Why = Young, fmt.Sprintf("%s, but it was written to within %s", run.Why, r.Grace)
		}
	}
}
