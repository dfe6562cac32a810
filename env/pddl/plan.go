package pddl

import "slices"

// compiler plans the programs of one action or goal.
type compiler struct {
	problem *Problem
	types   []int        // of the slots
	meter   *Meter       // counts conditions looked at
	changed map[int]bool // predicates that the action changes: an "or" over them is split, so that each
	// alternative is an operator of its own when it is asked whether it does anything
	whole bool // an "or" is tested and never split
}

// draft is a program being planned.
type draft struct {
	pending []*cond
	bound   []bool
	need    []int // slots that must be bound in the end
	want    []int
	out     program
}

// What a program and each of its steps take, with its literal.
const programBytes, stepBytes = 200, 200

// programs plans the solutions of all conds: which values wanted slots can have, given the bound ones.
func (c *compiler) programs(conds []*cond, bound, want []int) []*program {
	d := &draft{pending: conds, bound: make([]bool, len(c.types)), need: want, want: want}
	for _, s := range bound {
		d.bound[s] = true
	}
	d.out.cut = -1
	var list []*program
	c.finish(d, &list)
	if len(list) > 1 {
		for _, p := range list {
			p.repeats = true
		}
	}
	return list
}

// finish plans the rest of d and adds the programs that come of it to list.
func (c *compiler) finish(d *draft, list *[]*program) {
	for {
		if !c.meter.Spend(1+len(d.pending)) || !d.flatten() {
			return
		}
		if c.changed != nil && len(*list) < maxPrograms {
			if i := slices.IndexFunc(d.pending, c.mustSplit); i >= 0 {
				c.split(d, i, list)
				return
			}
		}
		if d.test(c); c.meter.stopped { // and some conditions are left where they were
			return
		}
		if d.out.cut < 0 && !slices.ContainsFunc(d.want, func(s int) bool { return !d.bound[s] }) {
			d.out.cut = len(d.out.steps)
		}
		d.need = slices.DeleteFunc(slices.Clone(d.need), func(s int) bool { return d.bound[s] })
		if len(d.pending) == 0 && len(d.need) == 0 {
			out := d.out
			c.meter.Keep(programBytes + stepBytes*len(out.steps))
			*list = append(*list, &out)
			return
		}
		if i := c.best(d); i >= 0 {
			d.take(c, i)
			continue
		}
		if i := slices.IndexFunc(d.pending, func(p *cond) bool { return p.op == opOr }); i >= 0 && !c.whole && len(*list) < maxPrograms {
			c.split(d, i, list)
			return
		}
		d.each(c)
	}
}

// flatten takes conjunctions and existential quantifiers apart; false if the conjunction can never hold.
func (d *draft) flatten() bool {
	var flat []*cond
	for queue := slices.Clone(d.pending); len(queue) > 0; {
		p := queue[0]
		queue = queue[1:]
		switch p.op {
		case opTrue:
		case opFalse:
			return false
		case opAnd:
			queue = append(slices.Clone(p.subs), queue...)
		case opExists:
			for _, v := range p.vars {
				d.need = append(d.need[:len(d.need):len(d.need)], v.slot)
			}
			queue = append(slices.Clone(p.subs), queue...)
		default:
			flat = append(flat, p)
		}
	}
	d.pending = flat
	return true
}

func (c *compiler) mustSplit(p *cond) bool {
	return p.op == opOr && slices.ContainsFunc(p.subs, c.touches)
}

func (c *compiler) touches(p *cond) bool {
	return p.op == opAtom && c.changed[p.pred] || slices.ContainsFunc(p.subs, c.touches)
}

// split plans each alternative of the i-th pending condition as a program of its own.
func (c *compiler) split(d *draft, i int, list *[]*program) {
	for _, sub := range d.pending[i].subs {
		next := &draft{bound: slices.Clone(d.bound), need: d.need, want: d.want, out: d.out}
		next.pending = slices.Concat([]*cond{sub}, d.pending[:i], d.pending[i+1:])
		next.out.steps = slices.Clone(d.out.steps)
		next.out.lits = slices.Clone(d.out.lits)
		c.finish(next, list)
	}
}

// test adds a step for every pending condition whose slots are all bound, atoms first.
func (d *draft) test(c *compiler) {
	var later, rest []*cond
	for _, p := range d.pending {
		switch {
		case slices.ContainsFunc(p.free, func(s int) bool { return !d.bound[s] }):
			rest = append(rest, p)
		case p.op == opAtom:
			d.out.steps = append(d.out.steps, step{kind: stepTest, neg: p.neg, pred: p.pred, args: p.args})
			d.out.lits = append(d.out.lits, literal{p.neg, p.pred, p.args})
		case p.op == opEqual:
			d.out.steps = append(d.out.steps, step{kind: stepEqual, neg: p.neg, args: p.args})
		default:
			later = append(later, p)
		}
	}
	for _, p := range later {
		var bound []int
		for s, is := range d.bound {
			if is {
				bound = append(bound, s)
			}
		}
		if !c.meter.Spend(size(p)) {
			return
		}
		sub := &compiler{problem: c.problem, types: c.types, meter: c.meter}
		s := step{kind: stepAny}
		if p.op == opForall {
			body := &cond{op: opExists, vars: p.vars, subs: []*cond{negate(p.subs[0])}}
			s.kind, s.subs = stepNone, sub.programs([]*cond{body}, bound, nil)
		} else {
			for _, alt := range p.subs {
				s.subs = append(s.subs, sub.programs([]*cond{alt}, bound, nil)...)
			}
		}
		s.fluid = len(readsOf(c.problem.Domain, s.subs, nil)) > 0
		d.out.steps = append(d.out.steps, s)
	}
	d.pending = rest
}

// size is the number of conditions in p.
func size(p *cond) int {
	n := 1
	for _, s := range p.subs {
		n += size(s)
	}
	return n
}

// best is the pending condition that binds the fewest rows, -1 if none binds.
func (c *compiler) best(d *draft) int {
	found, least := -1, 0.0
	for i, p := range d.pending {
		if p.neg {
			continue
		}
		if p.op == opEqual && (c.isBound(d, p.args[0]) || c.isBound(d, p.args[1])) {
			return i
		}
		if p.op != opAtom {
			continue
		}
		rows := float64(c.problem.init[p.pred].size)
		for k, a := range p.args {
			if c.isBound(d, a) {
				rows /= float64(max(1, c.distinct(p.pred, k)))
			}
		}
		if found < 0 || rows < least {
			found, least = i, rows
		}
	}
	return found
}

func (c *compiler) isBound(d *draft, a term) bool { return a < 0 || d.bound[a] }

// distinct is the number of different values of an argument in the first state.
func (c *compiler) distinct(pred, k int) int {
	if rel := c.problem.init[pred]; rel.distinct != nil {
		return rel.distinct[k]
	}
	return 0
}

// take adds the binding step of the i-th pending condition.
func (d *draft) take(c *compiler, i int) {
	p := d.pending[i]
	d.pending = slices.Delete(slices.Clone(d.pending), i, i+1)
	if p.op == opEqual {
		args := p.args
		if !c.isBound(d, args[0]) {
			args = []term{args[1], args[0]}
		}
		slot := int(args[1])
		d.out.steps = append(d.out.steps, step{kind: stepBind, args: args, types: []int{c.types[slot]}})
		d.bind(slot)
		return
	}
	s := step{kind: stepScan, pred: p.pred, args: p.args, lead: -1}
	most := 0
	for k, a := range p.args {
		if c.isBound(d, a) {
			if n := c.distinct(p.pred, k); s.lead < 0 || n > most {
				s.lead, most = k, n
			}
		}
	}
	for _, a := range p.args {
		mode, typ := argMatch, -1
		if !c.isBound(d, a) {
			mode = argBind
			if t := c.types[a]; c.problem.count[t] < c.problem.Objects() && !c.fits(p.pred, len(s.modes), t) {
				typ = t
			}
			d.bind(int(a))
		}
		s.modes, s.types = append(s.modes, mode), append(s.types, typ)
	}
	d.out.steps = append(d.out.steps, s)
	d.out.lits = append(d.out.lits, literal{false, p.pred, p.args})
}

// fits reports whether what stands at an argument of a predicate's facts always is of a type. Of predicates that no
// action changes the facts are known; that is asked of the same argument many times.
func (c *compiler) fits(pred, k, t int) bool {
	if c.problem.Domain.Predicates[pred].Dynamic {
		return false
	}
	asked := fitting{pred, k, t}
	known := &c.problem.fits
	if fit, ok := known.list[asked]; ok {
		return fit
	}
	rel := c.problem.init[pred]
	c.meter.Spend(rel.size / passedLiterals)
	fit := true
	for i := k; fit && i < len(rel.order[0]); i += rel.arity {
		fit = c.problem.Is(rel.order[0][i], t)
	}
	if known.open {
		known.list[asked] = fit
	}
	return fit
}

// fitting asks whether an argument of a predicate is of a type.
type fitting struct{ pred, arg, typ int }

// fittings are answers. They are kept only while a problem is read, so that later every call finds the same ones, and
// calls at the same time.
type fittings struct {
	open bool
	list map[fitting]bool
}

// each binds the needed slot of the smallest type by going through its objects.
func (d *draft) each(c *compiler) {
	slot := -1
	pick := func(s int) {
		if !d.bound[s] && (slot < 0 || c.problem.count[c.types[s]] < c.problem.count[c.types[slot]]) {
			slot = s
		}
	}
	for _, s := range d.need {
		pick(s)
	}
	for _, p := range d.pending {
		for _, s := range p.free {
			pick(s)
		}
	}
	d.out.steps = append(d.out.steps, step{kind: stepEach, args: []term{term(slot)}, types: []int{c.types[slot]}})
	d.bind(slot)
}

// bind marks a slot as bound; one that is not wanted and comes before the cut lets wanted values repeat.
func (d *draft) bind(slot int) {
	d.bound[slot] = true
	if d.out.cut < 0 && !slices.Contains(d.want, slot) {
		d.out.repeats = true
	}
}
