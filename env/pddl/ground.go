package pddl

import (
	"errors"
	"slices"

	"github.com/hone-rl/hone/env"
)

// grounding is a problem without variables, as far as it can be reached from a state when nothing is ever deleted.
// Propositions are literals: "not p" is one of its own, true at first where p is false and made true by deletes.
type grounding struct {
	lits  []ground
	ids   map[string]int32 // by key of the literal
	steps []groundStep
	ops   []Operator
	opIDs map[string]int32 // by key of the operator
	// loose says that the steps leave out conditions that are no literals: they show what may be reached, but not
	// whether an operator applies or the goal holds.
	loose bool
}

// ground is a literal with objects.
type ground struct {
	neg  bool
	pred int
	row  []int32
}

// groundStep is one way in which an operator brings about some literals: with the condition of one alternative of its
// precondition and, for a conditional effect, of that effect. The steps towards the goal have op -1 and cost nothing;
// steps of rules, by which facts follow from others without anybody's doing, are of that sort too.
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
	key     []byte
	next    []ground // facts found in this round
	err     error
}

// alternatives compiles conds so that every alternative is a program of its own, all of whose solutions come out; where
// coarse, what is no literal stays a condition that no literals tell.
func (p *Problem) alternatives(slots []int, conds []*cond, bound, want []int, coarse bool, m *Meter) []*program {
	all := map[int]bool{}
	for i, pred := range p.Domain.Predicates {
		all[i] = pred.Dynamic
	}
	c := &compiler{problem: p, types: slots, changed: all, meter: m}
	told := make([]*cond, len(conds))
	for i, cond := range conds {
		if coarse {
			told[i] = whole(cond)
		} else {
			told[i] = c.instantiate(cond)
		}
	}
	if coarse {
		c.changed, c.whole = nil, true
	}
	list := c.programs(told, bound, want)
	for _, pr := range list {
		pr.cut = len(pr.steps)
	}
	return list
}

// whole is p with variables of which one must exist hidden in a condition that is only tested.
func whole(p *cond) *cond {
	out := *p
	switch p.op {
	case opExists:
		return &cond{op: opOr, subs: []*cond{p}, free: p.free}
	case opAnd:
		out.subs = make([]*cond, len(p.subs))
		for i, s := range p.subs {
			out.subs[i] = whole(s)
		}
	}
	return &out
}

// relaxed is an action compiled for grounding.
type relaxed struct {
	action  int
	always  bool     // some effect is without condition
	reads   []int    // dynamic predicates on which its steps depend
	tried   []uint32 // versions of these when it was grounded last
	pre     []*program
	effects []relaxedEffect
	slots   int
}

type relaxedEffect struct {
	literal
	always    bool
	universal bool // its condition says something of all objects of a kind
	when      []*program
}

func (p *Problem) relax(i int, coarse bool, m *Meter) relaxed {
	a := p.Domain.Actions[i]
	c := &compiler{problem: p, types: a.slots, meter: m}
	params := make([]int, len(a.Params))
	for k := range params {
		params[k] = k
	}
	out := relaxed{action: i, slots: len(a.slots), pre: p.alternatives(a.slots, []*cond{c.resolve(a.condition)}, nil, params, coarse, m)}
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
			re.when = p.alternatives(a.slots, []*cond{holds}, params, want, coarse, m)
		}
		out.effects = append(out.effects, re)
		out.always = out.always || re.always
		out.reads = readsOf(p.Domain, re.when, out.reads)
	}
	out.reads = readsOf(p.Domain, out.pre, out.reads)
	return out
}

// ground grounds the problem from s on. More than limit steps are a *env.BudgetError. Where the operators are fewer and
// only the alternatives of their conditions come to more, it is grounded coarsely.
func (s *State) ground(limit int, m *Meter) (*grounding, error) {
	fine := *m
	g, err := s.groundBy(limit, false, &fine)
	var budget *env.BudgetError
	if !errors.As(err, &budget) || budget.What != "operators" || s.problem.instances(limit) > limit {
		*m = fine
		return g, err
	}
	m.used, m.paid = fine.used, fine.paid
	return s.groundBy(limit, true, m)
}

// instances is how many operators there may be, as far as that is below limit.
func (p *Problem) instances(limit int) int {
	all := 0
	for _, a := range p.Domain.Actions {
		n := 1
		for _, param := range a.Params {
			n = min(n*p.count[param.Type], limit+1)
		}
		all = min(all+n, limit+1)
	}
	return all
}

func (s *State) groundBy(limit int, coarse bool, m *Meter) (*grounding, error) {
	g := &grounder{
		grounding: &grounding{ids: map[string]int32{}, lits: []ground{{}}, opIDs: map[string]int32{}},
		problem:   s.problem, reached: s.Clone(), meter: m, limit: limit, seen: map[string]bool{},
	}
	actions := make([]relaxed, len(s.problem.Domain.Actions))
	for i := range actions {
		actions[i] = s.problem.relax(i, coarse, m)
		g.loose = g.loose || loosely(actions[i].pre)
		for _, e := range actions[i].effects {
			g.loose = g.loose || loosely(e.when)
		}
	}
	rules := s.problem.relaxRules(coarse, m)
	g.loose = g.loose || len(rules) > 0 // no operator's steps say what rules make of it
	for grown := true; grown && g.err == nil; {
		for i := range actions {
			if !actions[i].current(g.reached) {
				g.action(&actions[i])
			}
		}
		for i := range rules {
			g.rule(&rules[i])
		}
		grown = false
		for _, f := range g.next {
			g.reached.writable(f.pred)
			facts := g.reached.facts[f.pred]
			if !m.Spend(facts.arity * facts.arity * facts.size / movedCells) {
				return nil, m.Err()
			}
			if facts.insert(f.row) {
				g.reached.version[f.pred]++
				grown = true
			}
		}
		g.next = g.next[:0]
	}
	c := &compiler{problem: s.problem, types: s.problem.goalSlots, meter: m}
	goal := s.problem.alternatives(s.problem.goalSlots, []*cond{c.resolve(s.problem.written)}, nil, nil, coarse, m)
	g.loose = g.loose || loosely(goal)
	r := g.runner(len(s.problem.goalSlots))
	r.all(goal, func(pr *program) {
		g.add(groundStep{op: -1, pre: g.literals(r, pr.lits, nil), post: []int32{goalLit}})
	})
	if m.Err() != nil {
		return nil, m.Err()
	}
	return g.grounding, g.err
}

// current reports whether nothing that the action depends on has changed since it was asked last.
func (a *relaxed) current(s *State) bool {
	same := a.tried != nil
	if !same {
		a.tried = make([]uint32, len(a.reads))
	}
	for i, pred := range a.reads {
		same = same && a.tried[i] == s.version[pred]
		a.tried[i] = s.version[pred]
	}
	return same
}

// loosely reports whether programs have conditions on what changes that are no literals.
func loosely(programs []*program) bool {
	return slices.ContainsFunc(programs, func(pr *program) bool {
		return slices.ContainsFunc(pr.steps, func(s step) bool { return s.fluid })
	})
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
			if a.always {
				g.once(a, i, 0, r.env, func(op int32) {
					s := groundStep{op: op, pre: g.literals(r, pr.lits, nil)}
					for k := range a.effects {
						if e := &a.effects[k]; e.always {
							s.post = append(s.post, g.literal(r, e.literal))
							g.reach(r, e.literal)
						}
					}
					g.add(s)
				})
			}
			for k := range a.effects {
				e := &a.effects[k]
				if len(e.when) > 0 {
					copy(inner.env, r.env)
				}
				for j, w := range e.when {
					inner.all([]*program{w}, func(*program) {
						g.once(a, i, 1+k*maxPrograms+j, inner.env, func(op int32) {
							pre := g.literals(inner, w.lits, g.literals(r, pr.lits, nil))
							g.add(groundStep{op, pre, []int32{g.literal(inner, e.literal)}})
							g.reach(inner, e.literal)
						})
					})
				}
			}
		})
	}
}

// once calls f for a solution that has not been met before, with the number of its operator.
func (g *grounder) once(a *relaxed, alternative, part int, env []int32, f func(op int32)) {
	g.key = appendKey(g.key[:0], int32(a.action), int32(alternative), int32(part))
	g.key = appendKey(g.key, env...)
	if g.err != nil || g.seen[string(g.key)] || !g.meter.Keep(entryBytes+len(g.key)) {
		return
	}
	g.seen[string(g.key)] = true
	args := env[:len(g.problem.Domain.Actions[a.action].Params)]
	f(g.opID(Operator{a.action, args}))
}

// opID is the number of an operator.
func (g *grounding) opID(o Operator) int32 {
	var buf [64]byte
	key := appendKey(appendKey(buf[:0], int32(o.Action)), o.Args...)
	op, ok := g.opIDs[string(key)]
	if !ok {
		op = int32(len(g.ops))
		g.opIDs[string(key)] = op
		g.ops = append(g.ops, Operator{o.Action, slices.Clone(o.Args)})
	}
	return op
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
	g.steps = append(g.steps, s)
}

// literals are the numbers of the dynamic literals among lits, after those in list.
func (g *grounder) literals(r *runner, lits []literal, list []int32) []int32 {
	for _, l := range lits {
		if g.problem.Domain.Predicates[l.pred].Dynamic {
			list = append(list, g.literal(r, l))
		}
	}
	return list
}

// literal is the number of a literal.
func (g *grounder) literal(r *runner, l literal) int32 {
	g.meter.Spend(1)
	g.key = append(g.key[:0], pick(l.neg, byte(1), byte(0)))
	g.key = appendKey(g.key, int32(l.pred))
	for _, a := range l.args {
		g.key = appendKey(g.key, r.value(a))
	}
	id, ok := g.ids[string(g.key)]
	if !ok {
		row := make([]int32, len(l.args))
		for k, a := range l.args {
			row[k] = r.value(a)
		}
		g.meter.Keep(entryBytes + 8*len(row))
		id = int32(len(g.lits))
		g.ids[string(g.key)] = id
		g.lits = append(g.lits, ground{l.neg, l.pred, row})
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
