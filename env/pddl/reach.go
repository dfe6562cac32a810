package pddl

import "slices"

// ALFWorld's engine grounds a problem before it is played: facts that no action could ever bring about, were all
// denials in conditions true, do not exist for it, and an operator that has no effect on those that do is not offered.
// Its texts see facts by the same list of effects. Hardly any problem shows the difference, so reach and outcomes are
// worked out only where one could: for actions that add nothing for certain, and for what a text asks of predicates
// that conditional effects change.

// reach keeps what a problem can reach, once that was asked for.
type reach struct {
	facts  *once[[]*relation] // by predicate
	listed []*once[*outcomes] // by action
}

func newReach(actions int) reach {
	r := reach{newOnce[[]*relation](), make([]*once[*outcomes], actions)}
	for i := range r.listed {
		r.listed[i] = newOnce[*outcomes]()
	}
	return r
}

// reachable are the facts that can come about, first ones included. When the meter stops there are none.
func (p *Problem) reachable(m *Meter) []*relation {
	facts, ok := p.reach.facts.get(m, func() []*relation { return p.reached(m) })
	if !ok {
		return nil
	}
	return facts
}

// reached works out the facts that can come about.
func (p *Problem) reached(m *Meter) []*relation {
	s := p.Start()
	type source struct {
		slots    int
		programs []*program
		head     literal
	}
	var sources []source
	for _, d := range p.Domain.derivations {
		head := literal{pred: d.pred, args: make([]term, len(d.params))}
		for i, slot := range d.params {
			head.args[i] = term(slot)
		}
		types := slices.Clone(d.slots)
		condition := affirm(d.condition, &types)
		c := &compiler{problem: p, types: types, meter: m}
		sources = append(sources, source{len(types), c.programs([]*cond{c.resolve(condition)}, nil, d.params), head})
	}
	for _, a := range p.Domain.Actions {
		for _, e := range a.effects {
			types := untyped(a.slots, &e)
			condition, when := affirm(a.condition, &types), &formula{op: opTrue}
			if e.condition != nil {
				when = affirm(e.condition, &types)
			}
			c := &compiler{problem: p, types: types, meter: m}
			args := c.terms(e.args)
			if e.neg || args == nil && len(e.args) > 0 {
				continue
			}
			conds := []*cond{c.resolve(condition), c.resolve(when)}
			want := make([]int, len(a.Params), len(a.Params)+len(e.vars))
			for i := range want {
				want[i] = i
			}
			for _, v := range e.vars {
				want = append(want, v.slot)
			}
			sources = append(sources, source{len(types), c.programs(conds, nil, want), literal{pred: e.pred, args: args}})
		}
	}
	for grown := true; grown; {
		grown = false
		for _, src := range sources {
			var rows []int32
			r := s.runner(m, src.slots)
			r.all(src.programs, func(*program) {
				row := r.ground(src.head.args)
				if !s.facts[src.head.pred].has(row) && m.Keep(entryBytes+4*len(row)*len(row)) {
					grown = true
					if rows = append(rows, row...); len(row) == 0 {
						rows = []int32{0} // marks presence
					}
				}
			})
			if pred := src.head.pred; len(rows) > 0 {
				s.writable(pred)
				s.facts[pred] = s.facts[pred].with(rows, len(p.objects))
			}
			if m.Err() != nil {
				return nil
			}
		}
	}
	return s.facts
}

// with is the rows of r and more, of objects 0 to objects-1.
func (r *relation) with(rows []int32, objects int) *relation {
	if r.arity > 0 && r.size > 0 {
		rows = slices.Concat(r.order[0], rows)
	}
	return newRelation(r.arity, rows, objects)
}

func (r *runner) ground(args []term) []int32 {
	row := make([]int32, len(args))
	for k, a := range args {
		row[k] = r.value(a)
	}
	return row
}

// affirm is f with everything that it denies taken for true, universal conditions among it. Where an atom names a
// variable twice, the reference translator looks at the first place only: the others get new slots in types.
func affirm(f *formula, types *[]int) *formula {
	switch {
	case f.neg || f.op == opForall:
		return &formula{op: opTrue}
	case f.op == opAtom:
		out := *f
		out.args = slices.Clone(f.args)
		for i, a := range f.args {
			if a.slot >= 0 && slices.ContainsFunc(f.args[:i], func(b ref) bool { return b.slot == a.slot }) {
				out.args[i].slot = len(*types)
				*types = append(*types, typeObject)
			}
		}
		return &out
	}
	return within(f, func(sub *formula) *formula { return affirm(sub, types) })
}

// opaque is f with universal conditions taken for true.
func opaque(f *formula) *formula {
	if f.op == opForall {
		return &formula{op: opTrue}
	}
	return within(f, opaque)
}

// within is f with every part changed.
func within(f *formula, change func(*formula) *formula) *formula {
	if len(f.subs) == 0 {
		return f
	}
	out := *f
	out.subs = make([]*formula, len(f.subs))
	for i, s := range f.subs {
		out.subs[i] = change(s)
	}
	return &out
}

// untyped is the types of an action's slots with those of an effect's variables, and of what its condition says to
// exist, left open: that is how the reference translator asks what an effect could ever bring about.
func untyped(slots []int, e *effect) []int {
	out := slices.Clone(slots)
	open := func(vars []variable) {
		for _, v := range vars {
			out[v.slot] = typeObject
		}
	}
	open(e.vars)
	var visit func(*formula)
	visit = func(f *formula) {
		open(f.vars)
		for _, s := range f.subs {
			visit(s)
		}
	}
	if e.condition != nil {
		visit(e.condition)
	}
	return out
}
