package pddl

import (
	"slices"

	"github.com/hone-rl/hone/env"
)

// grounding is a problem without variables, as far as it can be reached from a state when nothing is ever deleted.
// Propositions are literals: "not p" is one of its own, true at first where p is false and made true by deletes.
// It is what the relaxed-plan heuristic works on; states and operators stay those of State.
type grounding struct {
	lits  []ground
	ids   map[string]int32 // by key of the literal
	steps []groundStep
	ops   []Operator
	needs [][]int32 // by literal: the steps that need it
}

// ground is a literal with objects.
type ground struct {
	neg  bool
	pred int
	row  []int32
}

// groundStep is one way in which an operator brings about some literals: with the condition of one alternative of its
// precondition and, for a conditional effect, of that effect. The steps towards the goal have op -1.
type groundStep struct {
	op   int32
	pre  []int32
	post []int32
}

// entryBytes is about what an entry of a table or list takes beside its numbers.
const entryBytes = 100

// goalLit is the literal that the steps towards the goal bring about.
const goalLit = 0

type grounder struct {
	*grounding
	problem *Problem
	reached *State
	meter   *Meter
	limit   int
	seen    map[string]bool
	opIDs   map[string]int32
	key     []byte
	next    []ground // facts found in this round
	err     error
}

// alternatives compiles conds so that every alternative is a program of its own, all of whose solutions come out.
func (p *Problem) alternatives(slots []int, conds []*cond, bound, want []int, m *Meter) []*program {
	all := map[int]bool{}
	for i, pred := range p.Domain.Predicates {
		all[i] = pred.Dynamic
	}
	c := &compiler{problem: p, types: slots, changed: all, meter: m}
	list := c.programs(conds, bound, want)
	for _, pr := range list {
		pr.cut = len(pr.steps)
	}
	return list
}

// relaxed is an action compiled for grounding.
type relaxed struct {
	action  int
	pre     []*program
	effects []relaxedEffect
	slots   int
}

type relaxedEffect struct {
	literal
	always bool
	when   []*program
}

func (p *Problem) relax(i int, m *Meter) relaxed {
	a := p.Domain.Actions[i]
	c := &compiler{problem: p, types: a.slots, meter: m}
	params := make([]int, len(a.Params))
	for k := range params {
		params[k] = k
	}
	out := relaxed{action: i, slots: len(a.slots), pre: p.alternatives(a.slots, []*cond{c.resolve(a.condition)}, nil, params, m)}
	for _, e := range a.effects {
		lit := literal{neg: e.neg, pred: e.pred, args: c.terms(e.args)}
		if lit.args == nil && len(e.args) > 0 {
			continue
		}
		re := relaxedEffect{literal: lit, always: len(e.vars) == 0 && e.condition == nil}
		if !re.always {
			want := make([]int, len(e.vars))
			for k, v := range e.vars {
				want[k] = v.slot
			}
			holds := condTrue
			if e.condition != nil {
				holds = c.resolve(e.condition)
			}
			re.when = p.alternatives(a.slots, []*cond{holds}, params, want, m)
		}
		out.effects = append(out.effects, re)
	}
	return out
}

// ground grounds the problem from s on. More than limit steps are a *env.BudgetError.
func (s *State) ground(limit int, m *Meter) (*grounding, error) {
	g := &grounder{
		grounding: &grounding{ids: map[string]int32{}, lits: []ground{{}}, needs: [][]int32{nil}},
		problem:   s.problem, reached: s.Clone(), meter: m, limit: limit, seen: map[string]bool{}, opIDs: map[string]int32{},
	}
	actions := make([]relaxed, len(s.problem.Domain.Actions))
	for i := range actions {
		actions[i] = s.problem.relax(i, m)
	}
	for grown := true; grown && g.err == nil; {
		for i := range actions {
			g.action(&actions[i])
		}
		grown = false
		for _, f := range g.next {
			g.reached.writable(f.pred)
			facts := g.reached.facts[f.pred]
			if !m.Spend(facts.arity * facts.arity * facts.size / movedCells) {
				return nil, m.Err()
			}
			grown = facts.insert(f.row) || grown
		}
		g.next = g.next[:0]
	}
	c := &compiler{problem: s.problem, types: s.problem.goalSlots, meter: m}
	goal := s.problem.alternatives(s.problem.goalSlots, []*cond{c.resolve(s.problem.written)}, nil, nil, m)
	r := g.runner(len(s.problem.goalSlots))
	r.all(goal, func(pr *program) {
		g.add(groundStep{op: -1, pre: g.literals(r, pr.lits, nil), post: []int32{goalLit}})
	})
	if m.Err() != nil {
		return nil, m.Err()
	}
	return g.grounding, g.err
}

func (g *grounder) runner(slots int) *runner {
	return &runner{problem: g.problem, facts: g.reached.facts, env: make([]int32, slots), meter: g.meter, relaxed: true}
}

// action adds the steps of one action that are not known yet.
func (g *grounder) action(a *relaxed) {
	r, inner := g.runner(a.slots), g.runner(a.slots)
	for i, pr := range a.pre {
		r.all([]*program{pr}, func(*program) {
			if g.err != nil {
				return
			}
			copy(inner.env, r.env)
			pre := g.literals(r, pr.lits, nil)
			var post []int32
			for k := range a.effects {
				e := &a.effects[k]
				if e.always {
					post = append(post, g.literals(r, []literal{e.literal}, nil)...)
					g.reach(r, e.literal)
					continue
				}
				for j, w := range e.when {
					inner.all([]*program{w}, func(*program) {
						g.once(a, i, 1+k*maxPrograms+j, inner.env, func(op int32) {
							g.add(groundStep{op, g.literals(inner, w.lits, pre), g.literals(inner, []literal{e.literal}, nil)})
							g.reach(inner, e.literal)
						})
					})
				}
			}
			if len(post) > 0 {
				g.once(a, i, 0, r.env, func(op int32) { g.add(groundStep{op, pre, post}) })
			}
		})
	}
}

// once calls f for a solution that has not been met before, with the number of its operator.
func (g *grounder) once(a *relaxed, alternative, part int, env []int32, f func(op int32)) {
	g.key = appendKey(g.key[:0], int32(a.action), int32(alternative), int32(part))
	g.key = appendKey(g.key, env...)
	if g.seen[string(g.key)] || !g.meter.Keep(entryBytes+len(g.key)) {
		return
	}
	g.seen[string(g.key)] = true
	args := env[:len(g.problem.Domain.Actions[a.action].Params)]
	g.key = appendKey(g.key[:0], int32(a.action))
	g.key = appendKey(g.key, args...)
	op, ok := g.opIDs[string(g.key)]
	if !ok {
		op = int32(len(g.ops))
		g.opIDs[string(g.key)] = op
		g.ops = append(g.ops, Operator{a.action, slices.Clone(args)})
	}
	f(op)
}

func appendKey(key []byte, values ...int32) []byte {
	for _, v := range values {
		key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return key
}

func (g *grounder) add(s groundStep) {
	if len(g.steps) >= g.limit {
		g.err = &env.BudgetError{What: "operators", Limit: g.limit}
		g.meter.stop(g.err)
		return
	}
	slices.Sort(s.pre)
	s.pre = slices.Compact(s.pre)
	g.meter.Keep(entryBytes + 8*len(s.pre) + 4*len(s.post))
	for _, l := range s.pre {
		g.needs[l] = append(g.needs[l], int32(len(g.steps)))
	}
	g.steps = append(g.steps, s)
}

// literals are the numbers of the dynamic literals among lits, after those in list.
func (g *grounder) literals(r *runner, lits []literal, list []int32) []int32 {
	list = slices.Clone(list)
	for _, l := range lits {
		if !g.problem.Domain.Predicates[l.pred].Dynamic {
			continue
		}
		if !g.meter.Spend(1) {
			return list
		}
		row := make([]int32, len(l.args))
		for k, a := range l.args {
			row[k] = r.value(a)
		}
		list = append(list, g.id(l.neg, l.pred, row))
	}
	return list
}

func (g *grounder) id(neg bool, pred int, row []int32) int32 {
	key := literalKey(nil, neg, pred, row)
	id, ok := g.ids[string(key)]
	if !ok {
		g.meter.Keep(entryBytes + 8*len(row))
		id = int32(len(g.lits))
		g.ids[string(key)] = id
		g.lits = append(g.lits, ground{neg, pred, row})
		g.needs = append(g.needs, nil)
	}
	return id
}

func literalKey(key []byte, neg bool, pred int, row []int32) []byte {
	key = append(key, pick(neg, byte(1), byte(0)))
	key = appendKey(key, int32(pred))
	return appendKey(key, row...)
}

// reach notes that a literal can become a fact.
func (g *grounder) reach(r *runner, l literal) {
	if l.neg {
		return
	}
	row := make([]int32, len(l.args))
	for k, a := range l.args {
		row[k] = r.value(a)
	}
	if !g.reached.facts[l.pred].has(row) && g.meter.Keep(entryBytes+4*len(row)) {
		g.next = append(g.next, ground{pred: l.pred, row: row})
	}
}
