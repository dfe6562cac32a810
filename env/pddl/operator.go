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

// operators works out the operators of one action. It stops soon after there are more than limit with the others
// that there are. Where the same operator may come out more than once, doubles are dropped when there are twice as
// many as allowed.
func (s *State) operators(i int, a *applicable, others, limit int, m *Meter) {
	c := &s.problem.actions[i]
	n := len(c.action.Params)
	r := s.runner(m, c.slots)
	a.rows, a.count = a.rows[:0], 0
	repeats := false
	r.all(c.programs, func(pr *program) {
		if c.hollow { // asked below, since it takes the runner; there may be more here than are operators
			if a.rows = append(a.rows, r.env[:n]...); m.Keep(4 * n) {
				a.count++
			}
			return
		}
		if m.stopped || pr.idles && (!m.Spend(len(c.effects)) || r.idle(pr)) {
			return
		}
		repeats = repeats || pr.repeats
		a.rows = append(a.rows, r.env[:n]...)
		a.count++
		if repeats && a.count > 2*max(limit, 1000) {
			a.distinct(n, len(s.problem.objects))
		}
		if a.count+others > limit && !repeats || a.count > 2*max(limit, 1000) {
			m.stop(&env.BudgetError{What: "operators", Limit: limit})
		}
	})
	if repeats || n == 0 || c.hollow {
		a.distinct(n, len(s.problem.objects))
	}
	if c.hollow {
		s.effective(i, a, m)
	}
}

// effective keeps those of an action's operators that have an effect on what can be reached.
func (s *State) effective(action int, a *applicable, m *Meter) {
	n, rows := len(s.problem.actions[action].action.Params), a.rows
	met := a.count
	a.rows, a.count = rows[:0], 0
	for k := range met {
		args := rows[k*n : k*n+n]
		if m.Err() == nil && len(s.listing(Operator{action, args}, m)) > 0 {
			a.rows = append(a.rows, args...)
			a.count++
		}
	}
}

// distinct drops operators, of n parameters, that are there already.
func (a *applicable) distinct(n, objects int) {
	if n == 0 {
		a.count = min(a.count, 1)
		return
	}
	if a.count > 1 {
		a.rows = sortRows(a.rows, n, 0, sortCounts(a.count, objects))
		a.count = len(a.rows) / n
	}
}

// idle reports whether the operator bound in r does nothing.
func (r *runner) idle(pr *program) bool {
effects:
	for _, ways := range pr.idle {
	ways:
		for _, way := range ways {
			for _, p := range way {
				if r.value(p[0]) != r.value(p[1]) {
					continue ways
				}
			}
			continue effects
		}
		return false
	}
	return true
}

// change is one literal about to come true.
type change struct {
	pred  int
	neg   bool
	fired bool
	row   []int32
}

// changeBytes is what a change takes beside its row.
const changeBytes = 64

// movedCells is how many numbers can be moved in a table in the time of one unit.
const movedCells = 64

// afford counts what it takes to make changes: copies of shared tables, and moves within sorted ones.
func (s *State) afford(changes []change, m *Meter) bool {
	copied := -1
	for i := range changes {
		r := s.facts[changes[i].pred]
		cells := r.arity * r.arity * (r.size + i)
		if pred := changes[i].pred; !s.own[pred] && pred != copied {
			copied = pred
			m.Keep(4 * cells)
		}
		if !m.Spend(cells / movedCells) {
			return false
		}
	}
	return m.Err() == nil
}

// Apply carries out an operator that applies. What is both deleted and added holds. When the meter stops, its error
// is returned and nothing has changed, unless it stopped among derived facts; then s must not be used.
func (s *State) Apply(op Operator, m *Meter) error {
	c := &s.problem.actions[op.Action]
	r := s.runner(m, c.slots)
	copy(r.env, op.Args)
	var buf [16]change
	changes := buf[:0]
	for i := range c.effects {
		e := &c.effects[i]
		note := func(fired bool) func(*program) {
			return func(*program) {
				if !m.Keep(changeBytes + 4*len(e.args)) {
					return
				}
				row := make([]int32, len(e.args))
				for k, a := range e.args {
					row[k] = r.value(a)
				}
				changes = append(changes, change{e.pred, e.neg, fired, row})
			}
		}
		if e.always {
			note(true)(nil)
			continue
		}
		r.all(e.notes, note(false))
		r.all(e.fires, note(true))
	}
	if !s.afford(changes, m) {
		return m.Err()
	}
	for _, ch := range changes {
		if ch.neg {
			s.unset(ch.pred, ch.row, ch.fired)
		}
	}
	for _, ch := range changes {
		if !ch.neg && ch.fired {
			s.set(ch.pred, ch.row)
		}
	}
	for _, ch := range changes {
		if d := s.deleted[ch.pred]; !ch.neg && !ch.fired && d != nil {
			s.writable(ch.pred)
			s.deleted[ch.pred].remove(ch.row)
		}
	}
	if !s.derive(func(pred int) bool {
		return slices.ContainsFunc(changes, func(ch change) bool { return ch.pred == pred })
	}, m) {
		return m.Err()
	}
	return nil
}
