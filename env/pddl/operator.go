package pddl

import (
	"slices"

	"github.com/hone-rl/hone/env"
)

// Operator is an action with objects for its parameters.
type Operator struct {
	Action int     // index into Domain.Actions
	Args   []int32 // one object a parameter
}

// Applicable keeps the operators that apply in a state, action by action, and works out again only those actions
// whose conditions read something that has changed. The zero value is ready.
type Applicable struct {
	actions []applicable
}

type applicable struct {
	known      bool
	generation int
	at, since  uint64 // changes of what the action reads, and of everything, at the time of rows
	work       int    // that it took to look for all of them
	spare      []int32
	futile     int     // steps in which it is not tried to follow the changes
	rows       []int32 // arguments, one operator after the other
	count      int
	lent       bool // rows belong to another Applicable too
}

// Clone is a copy that goes on from here, for a clone of the state. The original must not be updated any more.
func (a *Applicable) Clone() Applicable {
	c := Applicable{actions: slices.Clone(a.actions)}
	for i := range c.actions {
		c.actions[i].lent, c.actions[i].spare = true, nil
	}
	return c
}

// Update brings a up to date with s. More than limit operators at once are a *env.BudgetError; when the meter
// stops, its error is returned and a must not be used.
func (a *Applicable) Update(s *State, limit int, m *Meter) error {
	if a.actions == nil {
		a.actions = make([]applicable, len(s.problem.actions))
	}
	total := 0
	for i := range a.actions {
		if !a.actions[i].fresh(s, i) {
			if s.follow(i, &a.actions[i], limit, m) {
				if m.Err() != nil {
					a.actions[i].known = false
					return m.Err()
				}
				a.actions[i].remember(s, i)
				total += a.actions[i].count
				continue
			}
			a.actions[i].known = false
			if a.actions[i].lent {
				a.actions[i].rows, a.actions[i].lent = nil, false
			}
			before := m.Used()
			s.operators(i, &a.actions[i], total, limit, m)
			if m.Err() != nil {
				return m.Err()
			}
			a.actions[i].work = m.Used() - before
			a.actions[i].generation++
			if total+a.actions[i].count > limit {
				return &env.BudgetError{What: "operators", Limit: limit}
			}
			a.actions[i].remember(s, i)
		}
		total += a.actions[i].count
	}
	if total > limit {
		return &env.BudgetError{What: "operators", Limit: limit}
	}
	return nil
}

// Count is the number of operators of one action.
func (a *Applicable) Count(action int) int { return a.actions[action].count }

// Generation is counted up whenever the operators of an action are worked out again.
func (a *Applicable) Generation(action int) int { return a.actions[action].generation }

// Rows are the arguments of an action's operators, one operator after the other. They are only lent.
func (a *Applicable) Rows(action int) []int32 { return a.actions[action].rows }

// At is the i-th operator of an action, in an order that follows from the state. Its arguments are only lent.
func (a *Applicable) At(action, i int) Operator {
	k := len(a.actions[action].rows) / max(1, a.actions[action].count)
	return Operator{action, a.actions[action].rows[i*k : i*k+k]}
}

func (a *applicable) fresh(s *State, i int) bool {
	return a.known && a.at == s.changes(s.problem.actions[i].reads)
}

func (a *applicable) remember(s *State, i int) {
	a.known, a.at, a.since = true, s.changes(s.problem.actions[i].reads), s.history.count
}

// Operators are the operators of one action that apply, at most limit of them.
func (s *State) Operators(action, limit int, m *Meter) ([]Operator, error) {
	var a applicable
	s.operators(action, &a, 0, limit, m)
	if m.Err() != nil {
		return nil, m.Err()
	}
	list := make([]Operator, a.count)
	k := len(s.problem.actions[action].action.Params)
	for i := range list {
		list[i] = Operator{action, a.rows[i*k : i*k+k]}
	}
	return list, nil
}
