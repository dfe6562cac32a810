package pddl

import (
	"container/heap"

	"github.com/hone-rl/hone/env"
)

const (
	// firstWeight is how much more an estimated step counts than one taken until there is a plan: higher finds one
	// sooner, lower a shorter one.
	firstWeight = 3
	// improveStates bounds the search for a shorter plan.
	improveStates = 2_000
)

// Plan looks for operators that lead from s to the goal. It is a function of the state. First it goes best-first by
// steps taken and a relaxed-plan estimate that counts more; then it counts both the same and looks for a shorter plan,
// in up to improveStates states and a quarter of what the limits leave. At most limits.States states are estimated
// and limits.Operators ground operators held, else the error is a *env.BudgetError; env.ErrNoPlan means that there
// is no plan.
//
// What is kept of a state takes a bit for every literal that matters and 4 bytes for every operator that applies; the
// meter counts it.
func (s *State) Plan(limits env.Limits, m *Meter) ([]Operator, error) {
	if s.Won(m) || m.Err() != nil {
		return nil, m.Err()
	}
	g, err := s.ground(limits.Operators, m)
	if err != nil {
		return nil, err
	}
	t, err := newTask(g, m)
	if err != nil {
		return nil, err
	}
	f := &finder{heuristic: newHeuristic(t), start: s, limits: limits, meter: m, met: len(t.ops)}
	if t.loose {
		f.relevant = s.problem.relevant()
	}
	if err := f.find(firstWeight, limits.States, m.limit); err != nil {
		return nil, err
	}
	if f.plan == nil {
		return nil, env.ErrNoPlan
	}
	if err := f.find(1, min(improveStates, (limits.States-f.expanded)/4), m.Used()+(m.limit-m.Used())/4); err != nil {
		return nil, err
	}
	return f.name(f.plan), m.Err()
}

// finder searches through states.
type finder struct {
	*heuristic
	start    *State
	limits   env.Limits
	meter    *Meter
	relevant []bool // predicates that tell states apart, for a loose grounding
	best     map[[16]byte]int
	open     openList
	pushed   int
	expanded int
	met      int     // operators that the meter knows of
	plan     []int32 // the shortest one found, nil for none
}

// find looks for a plan shorter than f.plan, in up to so many states and up to so much work. Where there is none yet,
// running out of either is an error.
func (f *finder) find(weight, states, work int) error {
	f.best, f.open = map[[16]byte]int{}, nil
	first := f.plan == nil
	states += f.expanded
	root := &node{bits: f.truth(f.start)}
	if f.loose {
		root.state = f.start
	}
	if err := f.visit(root, weight); err != nil {
		return err
	}
	for len(f.open) > 0 {
		at := &f.open[0]
		if !first && (at.key >= len(f.plan) || f.expanded >= states || f.meter.Used() >= work) {
			return f.meter.Err()
		}
		from, op := at.node, at.ops[0]
		if at.ops = at.ops[1:]; len(at.ops) == 0 {
			heap.Pop(&f.open)
		}
		next, err := f.follow(from, op)
		if err != nil {
			return err
		}
		if next == nil || !first && next.depth >= len(f.plan) {
			continue
		}
		if f.done(next) {
			f.plan = make([]int32, next.depth)
			for n := next; n.parent != nil; n = n.parent {
				f.plan[n.depth-1] = n.op
			}
			if !f.loose {
				f.plan = f.trim(root.bits, f.plan, f.meter)
			}
			if first {
				return f.meter.Err()
			}
			continue
		}
		if first && f.expanded >= states {
			return &env.BudgetError{What: "states", Limit: f.limits.States}
		}
		if err := f.visit(next, weight); err != nil {
			return err
		}
	}
	return f.meter.Err()
}

// follow is the state after an operator, nil if that does nothing.
func (f *finder) follow(n *node, op int32) (*node, error) {
	next := &node{parent: n, op: op, depth: n.depth + 1}
	if !f.meter.Spend(1 + len(n.bits)/perUnit) {
		return nil, f.meter.Err()
	}
	if !f.loose {
		if next.bits = f.apply(n.bits, op); next.bits == nil {
			return nil, nil
		}
		return next, nil
	}
	next.state = n.state.Clone()
	if err := next.state.Apply(f.ops[op], f.meter); err != nil {
		return nil, err
	}
	next.bits = f.truth(next.state)
	return next, nil
}

func (f *finder) done(n *node) bool {
	if f.loose {
		return n.state.Won(f.meter)
	}
	return f.won(n.bits)
}

// visit estimates a state that has not been reached in as few steps before, and opens its successors: those that begin
// the relaxed plan before the others.
func (f *finder) visit(n *node, weight int) error {
	key := f.key(n)
	if depth, ok := f.best[key]; ok && depth <= n.depth {
		return f.meter.Err()
	}
	f.best[key] = n.depth
	f.expanded++
	h := f.estimate(n.bits, f.meter)
	if h < 0 || f.plan != nil && n.depth+h >= len(f.plan) {
		return f.meter.Err()
	}
	ops, err := f.successors(n)
	if err != nil {
		return err
	}
	f.meter.Keep(nodeBytes + 8*len(n.bits) + 4*len(ops))
	if f.loose {
		f.meter.Keep(stateBytes * len(n.state.facts))
	}
	var begin, rest []int32
	for _, op := range ops {
		if int(op) < len(f.inPlan) && f.inPlan[op] {
			begin = append(begin, op)
		} else {
			rest = append(rest, op)
		}
	}
	for i, list := range [][]int32{begin, rest} {
		if len(list) > 0 { // the others as if they did not come nearer
			f.pushed++
			left := max(h-1+i, 0)
			key := n.depth + 1 + weight*left
			if weight == 1 {
				key = n.depth + h // it may come nearer all the same
			}
			heap.Push(&f.open, branch{n, list, key, left, f.pushed})
		}
	}
	return f.meter.Err()
}

func (f *finder) successors(n *node) ([]int32, error) {
	if !f.loose {
		return f.applicable(n.bits, f.meter), nil
	}
	var now Applicable
	if err := now.Update(n.state, f.limits.Operators, f.meter); err != nil {
		return nil, err
	}
	var list []int32
	for a := range now.actions {
		for i := range now.Count(a) {
			list = append(list, f.opID(now.At(a, i)))
		}
	}
	if met := len(f.ops) - f.met; met > 0 { // that no relaxed plan has
		f.met = len(f.ops)
		f.meter.Keep(met * entryBytes)
	}
	return list, nil
}
