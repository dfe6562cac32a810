package pddl

import "slices"

// maxInstances is for how many objects, or combinations of them, a universal quantifier is told one by one.
const maxInstances = 1000

// maxTold is how many conditions that may come to, with those of quantifiers inside.
const maxTold = 50_000

// condBytes is about what a condition takes.
const condBytes = 200

// instantiate tells every universal quantifier as a conjunction over its objects, so that what it asks for is literals
// again. Quantifiers over very many combinations stay as they are, and those with an existential one inside, whose
// variable would need a slot for each.
func (c *compiler) instantiate(p *cond) *cond {
	switch p.op {
	case opAnd, opOr, opExists:
		out := *p
		out.subs = nil
		for _, s := range p.subs {
			out.subs = append(out.subs, c.instantiate(s))
		}
		if p.op == opExists {
			return &out
		}
		return flat(&out)
	case opForall:
		if existential(p.subs[0]) {
			return p
		}
		combinations := 1
		for _, v := range p.vars {
			if combinations *= max(1, c.problem.count[v.typ]); combinations > maxInstances {
				return p
			}
		}
		body := c.instantiate(p.subs[0]) // in which quantifiers may have been told already
		told := combinations * size(body)
		if told > maxTold || !c.meter.Keep(told*condBytes) {
			return p
		}
		bodies := []*cond{body}
		for _, v := range p.vars {
			var next []*cond
			for o := range c.problem.typeOf {
				if c.problem.Is(int32(o), v.typ) {
					for _, b := range bodies {
						next = append(next, c.put(b, v.slot, int32(o)))
					}
				}
			}
			bodies = next
		}
		return flat(&cond{op: opAnd, subs: bodies})
	}
	return p
}

// put is p with an object for a slot.
func (c *compiler) put(p *cond, slot int, object int32) *cond {
	out := *p
	out.free = nil
	for _, f := range p.free {
		if f != slot {
			out.free = append(out.free, f)
		}
	}
	switch p.op {
	case opAtom, opEqual:
		out.args = make([]term, len(p.args))
		for i, a := range p.args {
			out.args[i] = pick(a == term(slot), ^term(object), a)
		}
		return c.decide(&out)
	case opAnd, opOr, opExists, opForall:
		out.subs = nil
		for _, s := range p.subs {
			out.subs = append(out.subs, c.put(s, slot, object))
		}
		return flat(&out)
	}
	return p
}

// decide is what this problem makes of an atom or equality for good, or p itself.
func (c *compiler) decide(p *cond) *cond {
	if p.op == opEqual {
		switch {
		case p.args[0] == p.args[1]:
			return truth(!p.neg)
		case p.args[0] < 0 && p.args[1] < 0:
			return truth(p.neg)
		}
		return p
	}
	if len(p.free) > 0 || c.problem.Domain.Predicates[p.pred].Dynamic {
		return p
	}
	return truth(c.problem.init[p.pred].has(rowOf(p.args)) != p.neg)
}

// flat drops what is decided from a conjunction, a disjunction or a quantifier, and tells what is left of it simply.
func flat(p *cond) *cond {
	if p.op == opExists || p.op == opForall {
		if s := p.subs[0]; s.op == opTrue || s.op == opFalse {
			return s
		}
		return p
	}
	return gather(p.op, len(p.subs), func(i int) *cond { return p.subs[i] })
}

func existential(p *cond) bool { return p.op == opExists || slices.ContainsFunc(p.subs, existential) }
