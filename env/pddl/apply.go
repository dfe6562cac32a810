package pddl

import "slices"

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
	if s.applying == nil {
		s.applying = &applying{}
		s.applying.emit = s.applying.note
	}
	c, a := &s.problem.actions[op.Action], s.applying
	a.runner, a.changes, a.rows = s.runner(m, c.slots), a.changes[:0], a.rows[:0]
	copy(a.env, op.Args)
	for i := range c.effects {
		a.effect, a.fired = &c.effects[i], true
		if a.effect.always {
			a.note(nil)
			continue
		}
		a.fired = false
		a.all(a.effect.notes, a.emit)
		a.fired = true
		a.all(a.effect.fires, a.emit)
	}
	changes := a.changes
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
	if len(s.problem.rules.list) > 0 && !s.derive(func(pred int) bool {
		return slices.ContainsFunc(changes, func(ch change) bool { return ch.pred == pred })
	}, m) {
		return m.Err()
	}
	return nil
}

// applying is the changes of an operator being carried out. A state has one, so that most take no memory.
type applying struct {
	*runner
	emit    func(*program) // note
	effect  *compiledEffect
	fired   bool
	changes []change
	rows    []int32 // of changes
}

// note notes the change that is bound now.
func (a *applying) note(*program) {
	e := a.effect
	if !a.meter.Keep(changeBytes + 4*len(e.args)) {
		return
	}
	at := len(a.rows)
	for _, t := range e.args {
		a.rows = append(a.rows, a.value(t))
	}
	a.changes = append(a.changes, change{e.pred, e.neg, a.fired, a.rows[at:len(a.rows):len(a.rows)]})
}
