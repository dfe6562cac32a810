package pddl

import (
	"slices"

	"github.com/hone-rl/hone/env"
)

// pattern is arguments that operators may agree with: -1 for any.
type pattern struct {
	args []int32
	by   *delta
}

func (t *pattern) fits(args []int32) bool {
	for i, v := range t.args {
		if v >= 0 && args[i] != v {
			return false
		}
	}
	return true
}

// follow brings the operators of action i up to date by looking only for those that agree with what has changed. It
// reports whether it has; else nothing has changed, and all must be looked for.
func (s *State) follow(i int, a *applicable, limit int, m *Meter) bool {
	c := &s.problem.actions[i]
	if a.futile > 0 {
		a.futile--
		return false
	}
	if !a.known || a.work < deltaWork {
		return false
	}
	changes, ok := s.recent(c.reads, a.since, a.at)
	if !ok {
		return false
	}
	patterns, ok := s.patterns(c, changes, m)
	if !ok {
		return false
	}
	if len(patterns) == 0 {
		return true
	}
	n := len(c.action.Params)
	kept, ok := a.without(patterns, n)
	if !ok || !m.Spend(a.count) {
		return false
	}
	found := s.agreeing(c, patterns, limit, m)
	if a.lent {
		a.rows, a.lent = nil, false
	}
	a.rows = merge(a.rows[:0], kept, found, n, c.order)
	a.count = len(a.rows) / n
	a.generation++
	return true
}

// without is the arguments of those operators that agree with none of the patterns; false if most do. An action of
// which that is so once is mostly one of which it is so in every step, such as going from one place to all others.
func (a *applicable) without(patterns []pattern, n int) (kept []int32, ok bool) {
	kept, gone := a.spare[:0], 0
	for rows := a.rows; len(rows) > 0; rows = rows[n:] {
		if !slices.ContainsFunc(patterns, func(t pattern) bool { return t.fits(rows[:n]) }) {
			kept = append(kept, rows[:n]...)
		} else if gone++; 2*gone > a.count {
			a.futile = futileSteps
			return nil, false
		}
	}
	a.spare = kept
	return kept, true
}

// patterns are what the changes make a difference to; false if that is too much.
func (s *State) patterns(c *compiled, changes []changed, m *Meter) (list []pattern, ok bool) {
	deltas := c.deltas()
	if deltas == nil {
		return nil, false
	}
	r := s.runner(m, c.slots)
	for _, ch := range changes {
		for k := range deltas {
			d := &deltas[k]
			if !d.bind(s.problem, c.action.slots, ch, r.env) {
				continue
			}
			t := pattern{make([]int32, len(c.action.Params)), d}
			for i := range t.args {
				t.args[i] = -1
			}
			for _, slot := range d.bound {
				t.args[slot] = r.env[slot]
			}
			if slices.ContainsFunc(list, func(o pattern) bool { return slices.Equal(o.args, t.args) }) {
				continue
			}
			if list = append(list, t); len(d.bound) == 0 || len(list) > maxDeltas {
				return nil, false
			}
		}
	}
	return list, true
}

// agreeing are the operators that agree with one of the patterns, in their order.
func (s *State) agreeing(c *compiled, patterns []pattern, limit int, m *Meter) [][]int32 {
	r, n := s.runner(m, c.slots), len(c.action.Params)
	var found [][]int32
	for _, t := range patterns {
		for _, slot := range t.by.bound {
			r.env[slot] = t.args[slot]
		}
		r.all(t.by.programs, func(pr *program) {
			if m.stopped || pr.idles && (!m.Spend(len(c.effects)) || r.idle(pr)) {
				return
			}
			if found = append(found, slices.Clone(r.env[:n])); len(found) > 2*max(limit, 1000) {
				m.stop(&env.BudgetError{What: "operators", Limit: limit})
			}
		})
	}
	slices.SortFunc(found, func(a, b []int32) int { return compareBy(c.order, a, b) })
	return slices.CompactFunc(found, slices.Equal[[]int32])
}

// compareBy compares operators by their arguments, in the given order of these.
func compareBy(order []int, a, b []int32) int {
	for _, k := range order {
		if d := int(a[k]) - int(b[k]); d != 0 {
			return d
		}
	}
	return 0
}

// merge appends two ordered lists to list in order.
func merge(list, rows []int32, found [][]int32, n int, order []int) []int32 {
	for _, f := range found {
		at := 0
		for at < len(rows) && compareBy(order, rows[at:at+n], f) < 0 {
			at += n
		}
		list = append(append(list, rows[:at]...), f...)
		rows = rows[at:]
	}
	return append(list, rows...)
}

// orderOf is in which order of their arguments the operators of an action come out: where there is one program and no
// doubles, that in which it binds them; else from left to right.
func (c *compiled) orderOf() []int {
	order := make([]int, 0, len(c.action.Params))
	add := func(a term) {
		if a >= 0 && int(a) < len(c.action.Params) && !slices.Contains(order, int(a)) {
			order = append(order, int(a))
		}
	}
	if len(c.programs) == 1 && !c.programs[0].repeats {
		for _, s := range c.programs[0].steps {
			switch s.kind {
			case stepScan, stepEach:
				for _, a := range s.args {
					add(a)
				}
			case stepBind:
				add(s.args[1])
			}
		}
	}
	for i := range c.action.Params {
		add(term(i))
	}
	return order
}
