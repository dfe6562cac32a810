package pddl

import "github.com/hone-rl/hone/env"

// operators works out the operators of one action. It stops soon after there are more than limit with the others
// that there are. Where the same operator may come out more than once, doubles are dropped when there are twice as
// many as allowed.
func (s *State) operators(i int, a *applicable, others, limit int, m *Meter) {
	if s.finding == nil {
		s.finding = &finding{}
		s.finding.emit = s.finding.take
	}
	f, c := s.finding, &s.problem.actions[i]
	f.runner, f.into, f.others, f.limit, f.repeats = s.runner(m, c.slots), a, others, limit, false
	f.params, f.effects = len(c.action.Params), len(c.effects)
	a.rows, a.count = a.rows[:0], 0
	f.hollow = c.hollow
	f.all(c.programs, f.emit)
	if f.repeats || f.params == 0 || f.hollow {
		a.distinct(f.params, len(s.problem.objects))
	}
	f.into = nil
	if f.hollow {
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

// finding is the operators of one action being found. A state has one, so that finding them takes no memory.
type finding struct {
	*runner
	emit            func(*program) // take
	into            *applicable
	params, effects int // how many
	others, limit   int
	repeats, hollow bool
}

// take takes the operator that is bound now.
func (f *finding) take(pr *program) {
	a, most := f.into, 2*max(f.limit, 1000)
	if f.hollow { // asked later, since that takes the runner; there may be more here than are operators
		if a.rows = append(a.rows, f.env[:f.params]...); f.meter.Keep(4 * f.params) {
			a.count++
		}
		return
	}
	if f.meter.stopped || pr.idles && (!f.meter.Spend(f.effects) || f.idle(pr)) {
		return
	}
	f.repeats = f.repeats || pr.repeats
	a.rows = append(a.rows, f.env[:f.params]...)
	a.count++
	if f.repeats && a.count > most {
		a.distinct(f.params, len(f.problem.objects))
	}
	if a.count+f.others > f.limit && !f.repeats || a.count > most {
		f.meter.stop(&env.BudgetError{What: "operators", Limit: f.limit})
	}
}
