package pddl

import (
	"context"
	"slices"
)

// A change of a fact can make a difference only to those operators whose arguments agree with it where an atom of
// the condition names both, whatever else the condition is made of. So where much was looked at to find an action's
// operators, and few of them agree with what has changed, only those are looked for again: by programs in which the
// arguments they have in common are bound from the beginning.

// maxDeltas is how many atoms of a condition, and how many different changes, are followed.
const maxDeltas = 16

// futileSteps is for how many steps an action is not followed after most of its operators have changed at once.
const futileSteps = 15

// deltaWork is the work above which it pays to look only for what has changed. Tests change it.
var deltaWork = 256

// delta is what a changed fact makes a difference to.
type delta struct {
	pred     int
	neg      bool // the atom is negated
	args     []term
	bound    []int      // slots that the fact binds; the others among args may be anything
	programs []*program // find what agrees with them
}

// deltas compiles a condition for every atom in it that can change; nil where that does not pay. Bound are, of the
// slots that the atom names, those in params; or where that is nil, those of variables of which it is enough that
// one exists.
func (p *Problem) deltas(slots []int, condition *cond, params []int, effects map[int]bool) []delta {
	list := p.atoms(condition, params, params == nil, nil)
	if len(list) > maxDeltas {
		return nil
	}
	m := NewMeter(context.Background(), maxCompile/100)
	for i := range list {
		c := &compiler{problem: p, types: slots, meter: m, changed: effects}
		list[i].programs = c.programs([]*cond{condition}, list[i].bound, params)
		if m.Err() != nil {
			return nil
		}
	}
	return list
}

// atoms adds the atoms of a condition that can change, with those of their slots that may be bound. Where open,
// variables of which one must exist may be.
func (p *Problem) atoms(c *cond, may []int, open bool, list []delta) []delta {
	switch c.op {
	case opAtom:
		if !p.Domain.Predicates[c.pred].Dynamic {
			break
		}
		d := delta{pred: c.pred, neg: c.neg, args: c.args}
		for _, s := range slotsOf(c.args) {
			if slices.Contains(may, s) {
				d.bound = append(d.bound, s)
			}
		}
		list = append(list, d)
	case opExists:
		for _, v := range c.vars {
			if open {
				may = append(may[:len(may):len(may)], v.slot)
			}
		}
	case opForall:
		open = false
	}
	for _, s := range c.subs {
		list = p.atoms(s, may, open, list)
	}
	return list
}

// bind puts a changed fact's arguments into env; false if the atom does not speak of it.
func (d *delta) bind(p *Problem, slots []int, ch changed, env []int32) bool {
	if ch.pred != d.pred {
		return false
	}
	for _, s := range d.bound {
		env[s] = -1
	}
	for k, a := range d.args {
		v := ch.row[k]
		switch {
		case a < 0:
			if int32(^a) != v {
				return false
			}
		case slices.Contains(d.bound, int(a)):
			if env[a] >= 0 && env[a] != v || !p.Is(v, slots[a]) {
				return false
			}
			env[a] = v
		}
	}
	return true
}

// recent is what has changed of the given predicates since there were so many changes of all and of them; false if
// that is not known.
func (s *State) recent(preds []int, all, of uint64) ([]changed, bool) {
	changes, ok := s.history.since(all)
	if !ok {
		return nil, false
	}
	n := uint64(0)
	for _, ch := range changes {
		if slices.Contains(preds, ch.pred) {
			n++
		}
	}
	return changes, n == s.changes(preds)-of
}
