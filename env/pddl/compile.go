package pddl

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// A condition is compiled into programs, joins over the facts: each step binds variables by going through the facts
// that fit what is bound already, or tests what has become bound. Steps are picked greedily, the one expected to
// leave the fewest rows first, by the sizes of the first state.

type stepKind uint8

const (
	stepScan  stepKind = iota // bind by the facts of a predicate
	stepTest                  // an atom with all arguments bound
	stepEqual                 // an equality with both sides bound
	stepBind                  // an equality that binds one side
	stepEach                  // bind by going through the objects of a type
	stepAny                   // at least one of subs has a solution
	stepNone                  // none of subs has a solution
)

// term is an argument: a slot, or object ^t where negative.
type term int32

// argMode says what a scan does with an argument of a row.
type argMode uint8

const (
	argMatch argMode = iota // must equal the slot's value or constant
	argBind                 // becomes the slot's value if the type fits
)

type step struct {
	kind  stepKind
	neg   bool
	pred  int
	args  []term
	modes []argMode
	types []int // type that a bound argument must fit, -1 for any
	lead  int   // argument by whose order a scan goes, -1 if none is bound
	subs  []*program
	fluid bool // subs read what some action changes
}

// program yields the solutions of a conjunction. From step cut on everything wanted is bound, and one solution of
// the rest is enough.
type program struct {
	steps   []step
	cut     int
	lits    []literal // the atoms of the conjunction itself
	idles   bool      // a solution may be idle: if of every effect in idle one list has equal pairs only
	idle    [][][]pair
	repeats bool // the same wanted values may come out more than once
}

// pair is two arguments that may be equal.
type pair [2]term

type literal struct {
	neg  bool
	pred int
	args []term
}

type compiled struct {
	action   *Action
	programs []*program
	effects  []compiledEffect
	slots    int
	reads    []int // dynamic predicates on which applicability depends
	order    []int // in which the parameters order the operators
	// deltas finds operators by what has changed, compiled when first needed.
	deltas func() []delta
	hollow bool // no effect is sure to be one
}

type compiledEffect struct {
	literal
	always bool       // without condition and variables
	bare   bool       // without condition, and for one object at least
	fires  []*program // yields the assignments under which it comes true
	notes  []*program // yields all assignments: what is noted as deleted or not, fired or not
}

// cond is a formula whose constants are objects and whose trivial parts are gone.
type cond struct {
	op   op
	neg  bool
	pred int
	args []term
	vars []variable
	subs []*cond
	free []int // slots that must be bound before it can be tested
}

var (
	condTrue  = &cond{op: opTrue}
	condFalse = &cond{op: opFalse}
)

// compile compiles the goal and all actions. What can be read is small and nested little, but alternatives nested in
// each other multiply, so that the work is counted.
func (p *Problem) compile(file string, goal *formula, slots []int) error {
	m := NewMeter(context.Background(), maxCompile)
	p.fits = fittings{true, map[fitting]bool{}}
	defer func() { p.fits.open = false }()
	fail := func(file string, line int, what string) error {
		return &Error{file, line, fmt.Sprintf("the conditions up to those of %s come to more than %d steps when alternatives are multiplied out", what, maxCompile)}
	}
	p.compileRules(m)
	if m.Err() != nil {
		rule := p.Domain.derivations[0]
		return &Error{p.Domain.file, rule.line, fmt.Sprintf("working out %s and what else is derived from the first facts takes more than %d steps", p.Domain.Predicates[rule.pred].Name, maxCompile)}
	}
	c := &compiler{problem: p, types: slots, meter: m}
	p.goal, p.goalSlots = c.programs([]*cond{c.resolve(goal)}, nil, nil), slots
	p.goalReads = readsOf(p.Domain, p.goal, nil)
	p.goalDeltas = sync.OnceValue(func() []delta { return p.deltas(slots, (&compiler{problem: p, types: slots}).resolve(goal), nil, nil) })
	if m.Err() != nil {
		return fail(file, goal.line, "the goal")
	}
	p.actions = make([]compiled, len(p.Domain.Actions))
	p.reach = newReach(len(p.Domain.Actions))
	for i, a := range p.Domain.Actions {
		p.actions[i] = p.compileAction(a, m)
		if m.Err() != nil {
			return fail(p.Domain.file, a.line, "action "+a.Name)
		}
	}
	return nil
}

func (p *Problem) compileAction(a *Action, m *Meter) compiled {
	c := &compiler{problem: p, types: a.slots, meter: m}
	out := compiled{action: a, slots: len(a.slots)}
	params := make([]int, len(a.Params))
	for i := range params {
		params[i] = i
	}
	c.changed = map[int]bool{}
	for _, e := range a.effects {
		c.changed[e.pred] = true
	}
	out.programs = c.programs([]*cond{c.resolve(a.condition)}, nil, params)
	changed := c.changed
	c.changed = nil
	for _, e := range a.effects {
		lit := literal{neg: e.neg, pred: e.pred, args: c.terms(e.args)}
		if lit.args == nil && len(e.args) > 0 {
			continue // about an object that this problem does not have
		}
		ce := compiledEffect{literal: lit, always: len(e.vars) == 0 && e.condition == nil}
		ce.bare = e.condition == nil && !slices.ContainsFunc(e.vars, func(v variable) bool { return p.count[v.typ] == 0 })
		if !ce.always {
			want := make([]int, len(e.vars))
			for i, v := range e.vars {
				want[i] = v.slot
			}
			holds := condTrue
			if e.condition != nil {
				holds = c.resolve(e.condition)
			}
			ce.fires = c.programs([]*cond{holds}, params, want)
			ce.notes = c.programs(nil, params, want)
		}
		out.effects = append(out.effects, ce)
	}
	out.reads = readsOf(p.Domain, out.programs, nil)
	out.order = out.orderOf()
	out.idleness(out.programs, m)
	out.hollow = !slices.ContainsFunc(out.programs, func(pr *program) bool { return pr.idles }) &&
		!slices.ContainsFunc(out.effects, out.sure)
	hollow := out.hollow
	out.deltas = sync.OnceValue(func() []delta {
		if hollow {
			return nil
		}
		list := p.deltas(a.slots, (&compiler{problem: p, types: a.slots}).resolve(a.condition), params, changed)
		idle := NewMeter(context.Background(), maxCompile/100)
		for i := range list {
			if !out.idleness(list[i].programs, idle) || idle.Err() != nil {
				return nil
			}
		}
		return list
	})
	return out
}

// sure reports whether an effect is one of every operator: what it adds is no part of the precondition, or what it
// deletes is and is not added again.
func (c *compiled) sure(e compiledEffect) bool {
	if e.neg {
		return e.always && c.requires(e.literal) && !slices.ContainsFunc(c.effects, func(o compiledEffect) bool {
			return !o.neg && o.pred == e.pred && slices.Equal(o.args, e.args)
		})
	}
	return e.bare && (!e.always || !c.requires(e.literal))
}

func readsOf(d *Domain, programs []*program, list []int) []int {
	add := func(pred int) {
		if !d.Predicates[pred].Dynamic {
			return
		}
		for _, have := range list {
			if have == pred {
				return
			}
		}
		list = append(list, pred)
	}
	for _, pr := range programs {
		for _, s := range pr.steps {
			switch s.kind {
			case stepScan, stepTest:
				add(s.pred)
			case stepAny, stepNone:
				list = readsOf(d, s.subs, list)
			}
		}
	}
	return list
}

// idleness works out when operators do nothing. It reports whether that follows from their arguments alone.
func (c *compiled) idleness(programs []*program, m *Meter) bool {
	follows := true
	for _, pr := range programs {
		pr.idle = idleness(c, pr, m)
		pr.idles = len(pr.idle) > 0 || len(c.effects) == 0
		for _, ways := range pr.idle {
			for _, pairs := range ways {
				for _, p := range pairs {
					follows = follows && int(max(p[0], p[1])) < len(c.action.Params)
				}
			}
		}
	}
	return follows
}

// idleness works out when an operator found by pr does nothing but what its condition already says: the reference
// translator leaves such operators out, so that one cannot go where one is. Every effect must be an atom of the
// condition, or a delete of what is added again. Effects times effects may be many, so that they are counted.
func idleness(c *compiled, pr *program, m *Meter) (idle [][][]pair) {
	for _, e := range c.effects {
		if !e.always {
			return nil
		}
		ways := waysOf(c, pr, &e.literal, m)
		if len(ways) == 0 || m.Err() != nil {
			return nil
		}
		idle = append(idle, ways)
	}
	return idle
}

// waysOf lists what must be equal for an effect to change nothing: one of the lists. One that is empty stands for all.
func waysOf(c *compiled, pr *program, e *literal, m *Meter) (ways [][]pair) {
	same := func(args []term) bool {
		way, ok := equal(args, e.args)
		switch {
		case ok && len(way) == 0:
			ways = [][]pair{nil}
			return true
		case ok && m.Keep(wayBytes+pairBytes*len(way)):
			ways = append(ways, way)
		}
		return !m.Spend(1)
	}
	for i := range pr.lits {
		if l := &pr.lits[i]; l.pred == e.pred && l.neg == e.neg && same(l.args) {
			return ways
		}
	}
	if !m.Spend((len(pr.lits) + len(c.effects)) / passedLiterals) {
		return nil
	}
	for i := range c.effects {
		if o := &c.effects[i]; e.neg && !o.neg && o.pred == e.pred && same(o.args) {
			return ways
		}
	}
	return ways
}

// passedLiterals is how many literals can be passed over in the time of one unit.
const passedLiterals = 8

// What a way and each of its pairs take.
const wayBytes, pairBytes = 48, 16

// equal lists what must be equal for a and b to be so; false if they never are.
func equal(a, b []term) (pairs []pair, can bool) {
	for i := range a {
		switch {
		case a[i] == b[i]:
		case a[i] < 0 && b[i] < 0:
			return nil, false
		default:
			pairs = append(pairs, pair{a[i], b[i]})
		}
	}
	return pairs, true
}
