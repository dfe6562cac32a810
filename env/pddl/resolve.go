package pddl

// resolve puts objects for constants and drops what this problem decides for good: atoms of predicates that no
// action changes, quantifiers over nothing, atoms about objects that the problem does not have (never true).
func (c *compiler) resolve(f *formula) *cond {
	switch f.op {
	case opAtom:
		return c.resolveAtom(f)
	case opEqual:
		args := c.terms(f.args)
		if args == nil {
			return truth(f.neg)
		}
		if args[0] == args[1] {
			return truth(!f.neg)
		}
		if args[0] < 0 && args[1] < 0 {
			return truth(f.neg)
		}
		return &cond{op: opEqual, neg: f.neg, args: args, free: slotsOf(args)}
	case opAnd, opOr:
		return c.resolveList(f)
	case opExists, opForall:
		for _, v := range f.vars {
			if c.problem.count[v.typ] == 0 {
				return truth(f.op == opForall)
			}
		}
		sub := c.resolve(f.subs[0])
		if sub.op == opTrue || sub.op == opFalse {
			return sub
		}
		out := &cond{op: f.op, vars: f.vars, subs: []*cond{sub}}
		for _, s := range sub.free {
			inner := false
			for _, v := range f.vars {
				inner = inner || v.slot == s
			}
			if !inner {
				out.free = append(out.free, s)
			}
		}
		return out
	case opFalse:
		return condFalse
	default:
		return condTrue
	}
}

func truth(is bool) *cond { return pick(is, condTrue, condFalse) }

func (c *compiler) resolveAtom(f *formula) *cond {
	args := c.terms(f.args)
	if args == nil && len(f.args) > 0 {
		return truth(f.neg)
	}
	if !c.problem.Domain.Predicates[f.pred].Dynamic {
		rel := c.problem.init[f.pred]
		if rel.size == 0 {
			return truth(f.neg)
		}
		if free := slotsOf(args); len(free) == 0 {
			return truth(rel.has(rowOf(args)) != f.neg)
		}
	}
	return &cond{op: opAtom, neg: f.neg, pred: f.pred, args: args, free: slotsOf(args)}
}

func (c *compiler) resolveList(f *formula) *cond {
	return gather(f.op, len(f.subs), func(i int) *cond { return c.resolve(f.subs[i]) })
}

// gather is the conjunction or disjunction of n conditions without what is decided, told as simply as can be. What
// follows one that decides it all is not asked for.
func gather(o op, n int, sub func(i int) *cond) *cond {
	neutral, final := opTrue, opFalse
	if o == opOr {
		neutral, final = opFalse, opTrue
	}
	out := &cond{op: o}
	for i := range n {
		s := sub(i)
		switch s.op {
		case neutral:
			continue
		case final:
			return s
		case o:
			out.subs = append(out.subs, s.subs...)
		default:
			out.subs = append(out.subs, s)
		}
		out.free = union(out.free, s.free)
	}
	switch len(out.subs) {
	case 0:
		return truth(o == opAnd)
	case 1:
		return out.subs[0]
	}
	return out
}

// terms resolves arguments, nil if one is a constant that the problem does not have.
func (c *compiler) terms(args []ref) []term {
	out := make([]term, len(args))
	for i, a := range args {
		out[i] = term(a.slot)
		if a.slot < 0 {
			o := c.problem.Object(a.name)
			if o < 0 {
				return nil
			}
			out[i] = ^term(o)
		}
	}
	return out
}

// rowOf is the objects of arguments none of which is a slot.
func rowOf(args []term) []int32 {
	row := make([]int32, len(args))
	for i, a := range args {
		row[i] = int32(^a)
	}
	return row
}

func slotsOf(args []term) []int {
	var list []int
	for _, a := range args {
		if a >= 0 {
			list = union(list, []int{int(a)})
		}
	}
	return list
}

func union(list, more []int) []int {
	for _, m := range more {
		have := false
		for _, l := range list {
			have = have || l == m
		}
		if !have {
			list = append(list[:len(list):len(list)], m)
		}
	}
	return list
}

// negate is the negation of c in negation normal form.
func negate(c *cond) *cond {
	switch c.op {
	case opTrue:
		return condFalse
	case opFalse:
		return condTrue
	case opAtom, opEqual:
		n := *c
		n.neg = !c.neg
		return &n
	}
	n := &cond{vars: c.vars, free: c.free}
	n.op = map[op]op{opAnd: opOr, opOr: opAnd, opExists: opForall, opForall: opExists}[c.op]
	for _, s := range c.subs {
		n.subs = append(n.subs, negate(s))
	}
	return n
}
