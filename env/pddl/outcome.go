package pddl

import "slices"

// outcomes is an action compiled for listing the effects of its operators as ALFWorld's engine lists them.
type outcomes struct {
	pre     []*program // alternatives of the precondition, for given parameters
	effects []relaxedEffect
	slots   int
}

// outcomes are those of an action; nil when the meter stops.
func (p *Problem) outcomes(action int, m *Meter) *outcomes {
	o, ok := p.reach.listed[action].get(m, func() *outcomes { return p.compileOutcomes(action, m) })
	if !ok {
		return nil
	}
	return o
}

func (p *Problem) compileOutcomes(action int, m *Meter) *outcomes {
	a := p.Domain.Actions[action]
	o := &outcomes{slots: len(a.slots)}
	params := make([]int, len(a.Params))
	for i := range params {
		params[i] = i
	}
	c := &compiler{problem: p, types: a.slots, meter: m}
	o.pre = p.split(a.slots, c.resolve(opaque(a.condition)), params, nil, m)
	for _, e := range a.effects {
		re := relaxedEffect{literal: literal{neg: e.neg, pred: e.pred, args: c.terms(e.args)}, always: len(e.vars) == 0 && e.condition == nil}
		if re.args == nil && len(e.args) > 0 {
			continue
		}
		if !re.always {
			holds := condTrue
			if e.condition != nil {
				holds = c.resolve(opaque(e.condition))
			}
			want := make([]int, len(e.vars))
			for k, v := range e.vars {
				want[k] = v.slot
			}
			re.when = p.split(a.slots, holds, params, want, m)
			re.universal = e.condition != nil && p.universal(e.condition)
		}
		o.effects = append(o.effects, re)
	}
	return o
}

// split compiles a condition so that every alternative is a program of its own, all of whose solutions come out; what
// is said of all objects is no literal.
func (p *Problem) split(slots []int, holds *cond, bound, want []int, m *Meter) []*program {
	c := &compiler{problem: p, types: slots, meter: m, changed: map[int]bool{}}
	for i, pred := range p.Domain.Predicates {
		c.changed[i] = pred.Dynamic
	}
	list := c.programs([]*cond{holds}, bound, want)
	for _, pr := range list {
		pr.cut = len(pr.steps)
	}
	return list
}

// A fact with objects, or its denial, as a key.
type groundKey string

func keyOf(neg bool, pred int, row []int32) groundKey {
	return groundKey(literalKey(nil, neg, pred, row))
}

func (k groundKey) denial() groundKey { return groundKey([]byte{1 - k[0]}) + k[1:] }

// premise is a set of literals that hold together.
type premise map[groundKey]bool

// denies reports whether the two cannot both hold.
func (a premise) denies(b premise) bool {
	for k := range a {
		if b[k.denial()] {
			return true
		}
	}
	return false
}

func (a premise) equal(b premise) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// listed is what an operator may do to one fact.
type listed struct {
	pred    int
	row     []int32
	adds    []premise
	deletes []premise
}

// listing is the facts that an operator adds and deletes, whether the conditions of its effects hold or not, for an
// alternative of its precondition that holds in s; nil where there is none or no effect is left.
func (s *State) listing(op Operator, m *Meter) []change {
	facts := s.problem.reachable(m)
	if facts == nil {
		return nil
	}
	o := s.problem.outcomes(op.Action, m)
	if o == nil {
		return nil
	}
	var list []change
	r := &runner{problem: s.problem, facts: s.facts, env: make([]int32, o.slots), meter: m}
	copy(r.env, op.Args)
	r.all(o.pre, func(pr *program) {
		if len(list) > 0 {
			return
		}
		if pre, ok := premiseOf(r, pr.lits, facts); ok {
			list = s.problem.list(o, op, pre, facts, m)
		}
	})
	return list
}

// premiseOf is what lits say of facts that can change; false if they deny each other or need what can not be reached.
func premiseOf(r *runner, lits []literal, reachable []*relation) (premise, bool) {
	p := premise{}
	for _, l := range lits {
		if !r.problem.Domain.Predicates[l.pred].Dynamic {
			continue
		}
		row := r.ground(l.args)
		switch {
		case reachable[l.pred].has(row):
			k := keyOf(l.neg, l.pred, row)
			if p[k.denial()] {
				return nil, false
			}
			p[k] = true
		case !l.neg:
			return nil, false
		}
	}
	return p, true
}

// universal reports whether f says something of all objects of a kind that there are.
func (p *Problem) universal(f *formula) bool {
	if f.op == opForall {
		return !slices.ContainsFunc(f.vars, func(v variable) bool { return p.count[v.typ] == 0 })
	}
	return slices.ContainsFunc(f.subs, p.universal)
}

func (p *Problem) list(o *outcomes, op Operator, pre premise, facts []*relation, m *Meter) []change {
	byKey := map[groundKey]*listed{}
	var order []groundKey
	r := &runner{problem: p, facts: facts, env: make([]int32, o.slots), meter: m, relaxed: true}
	copy(r.env, op.Args)
	for i := range o.effects {
		e := &o.effects[i]
		note := func(when premise) {
			row := r.ground(e.args)
			if !facts[e.pred].has(row) || !m.Keep(entryBytes+4*len(row)) {
				return
			}
			k := keyOf(false, e.pred, row)
			if byKey[k] == nil {
				byKey[k] = &listed{pred: e.pred, row: row}
				order = append(order, k)
			}
			if l := byKey[k]; e.neg {
				l.deletes = append(l.deletes, when)
			} else {
				l.adds = append(l.adds, when)
			}
		}
		if e.always {
			note(premise{})
			continue
		}
		r.all(e.when, func(pr *program) {
			if when, ok := premiseOf(r, pr.lits, facts); ok {
				if e.universal {
					// For the reference translator that is a derived fact of this effect's own.
					when[keyOf(false, -1-i, nil)] = true
				}
				note(when)
			}
		})
	}
	var list []change
	for _, k := range order {
		l := byKey[k]
		if !pre[k] && slices.ContainsFunc(l.adds, func(when premise) bool { return !when.denies(pre) }) {
			list = append(list, change{l.pred, false, true, l.row})
		}
		if !pre[k.denial()] && slices.ContainsFunc(l.deletes, func(when premise) bool { return l.deleted(k, when, pre, m) }) {
			list = append(list, change{l.pred, true, true, l.row})
		}
	}
	return list
}

// deleted reports whether the fact k could be true, deleted under when, and no effect add it again.
func (l *listed) deleted(k groundKey, when, pre premise, m *Meter) bool {
	if slices.ContainsFunc(l.adds, when.equal) || when[k.denial()] {
		return false
	}
	all := premise{k: true}
	for _, from := range []premise{pre, when} {
		for c := range from {
			if all[c.denial()] {
				return false
			}
			all[c] = true
		}
	}
	return unmet(all, l.adds, m)
}

// unmet reports whether there is a way for none of the conditions to hold, given what does.
func unmet(given premise, conditions []premise, m *Meter) bool {
	if len(conditions) == 0 {
		return true
	}
	for c := range conditions[0] {
		if given[c] || !m.Spend(1) {
			continue
		}
		no, had := c.denial(), given[c.denial()]
		given[no] = true
		ok := unmet(given, conditions[1:], m)
		if !had {
			delete(given, no)
		}
		if ok {
			return true
		}
	}
	return false
}
