package hints

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Audit is what an audit found. Counts are of records; every count of a sound dataset is zero.
type Audit struct {
	Records  int               `json:"records"`
	Games    int               `json:"games"`
	Counts   map[Leak]int      `json:"counts"`             // all seven, zeros too
	Examples map[Leak][]string `json:"examples,omitempty"` // the first three each, by line
}

// Err is nil if nothing was found, else an error that says what, how often and where first.
func (a Audit) Err() error {
	var found []string
	for _, l := range Leaks {
		if n := a.Counts[l]; n > 0 {
			found = append(found, fmt.Sprintf("%s: %d records, first %s", l, n, a.Examples[l][0]))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("hint audit: %s", strings.Join(found, "; "))
}

// RunAudit audits a whole dataset, one record after the other.
func RunAudit(records iter.Seq2[Record, error]) (Audit, error) {
	a := NewAuditor()
	for r, err := range records {
		if err != nil {
			return Audit{}, err
		}
		if err := a.Add(r); err != nil {
			return Audit{}, err
		}
	}
	return a.Result(), nil
}

// Auditor audits records as they come, in the order of the file. It keeps some hundred bytes a game.
type Auditor struct {
	records int
	games   map[string]*gameAudit
	found   map[Leak]*finding
}

// NewAuditor begins an audit.
func NewAuditor() *Auditor {
	a := &Auditor{games: map[string]*gameAudit{}, found: map[Leak]*finding{}}
	for _, l := range Leaks {
		a.found[l] = &finding{}
	}
	return a
}

// Add takes in the next record; its line is how many have been added.
func (a *Auditor) Add(r Record) error {
	a.records++
	g := a.games[r.Game]
	if g == nil {
		g = &gameAudit{taken: map[string]map[string]bool{}, hints: map[string]*heldHint{}}
		a.games[r.Game] = g
	}
	h, err := g.hold(r.H)
	if err != nil {
		return fmt.Errorf("auditing line %d: %w", a.records, err)
	}
	at := place{a.records, r.Game, r.at()}
	h.at = append(h.at, at)
	if r.Detour == 0 { // H tells how the game is won from its first state
		g.take(r.Y)
	}
	switch {
	case h.equals(r.Y):
		a.found[HintEqualsCommand].add(at, r.Y)
	case h.holds(r.Y):
		a.found[CommandInHint].add(at, r.Y)
	}
	if h.instances {
		a.found[DigitsInHint].add(at, h.hint.Text())
	}
	if !r.X.Allows(r.Y) {
		a.found[CommandNotAdmissible].add(at, r.Y)
	}
	if h != g.first {
		a.found[HintDiffers].add(at, h.hint.Text())
	}
	return nil
}

// Result ends the audit: only now all commands of a game are known.
func (a *Auditor) Result() Audit {
	for _, id := range slices.Sorted(maps.Keys(a.games)) {
		for _, h := range a.games[id].hints {
			if leak, why := a.games[id].source(h.hint); leak != "" {
				for _, at := range h.at {
					a.found[leak].add(at, why)
				}
			}
		}
	}
	result := Audit{Records: a.records, Games: len(a.games), Counts: map[Leak]int{}}
	for _, l := range Leaks {
		f := a.found[l]
		result.Counts[l] = f.count
		if f.count > 0 {
			if result.Examples == nil {
				result.Examples = map[Leak][]string{}
			}
			result.Examples[l] = f.texts()
		}
	}
	a.games, a.found = nil, nil
	return result
}
