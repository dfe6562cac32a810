package pddl

import (
	"container/heap"
	"hash/fnv"
	"slices"

	"github.com/hone-rl/hone/env"
)

// node is an operator applied after a parent's.
type node struct {
	parent *node
	op     Operator
	depth  int
}

// openNode is a node still to be expanded, with its parent's estimate.
type openNode struct {
	*node
	state *State // of the parent
	key   int
	order int
}

type openList []openNode

func (o openList) Len() int { return len(o) }
func (o openList) Less(i, j int) bool {
	return o[i].key < o[j].key || o[i].key == o[j].key && o[i].order < o[j].order
}
func (o openList) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *openList) Push(x any)   { *o = append(*o, x.(openNode)) }
func (o *openList) Pop() any {
	last := (*o)[len(*o)-1]
	(*o)[len(*o)-1] = openNode{}
	*o = (*o)[:len(*o)-1]
	return last
}

const (
	// openBytes is what an operator on the open list takes.
	openBytes = 160
	// stateBytes is what a state takes for every predicate, beside its own facts.
	stateBytes = 24
)

// estimateWeight is how much more an estimated step counts than one taken: higher finds plans sooner, lower
// shorter ones.
const estimateWeight = 3

// Plan looks for operators that lead from s to the goal: best-first by steps taken and a relaxed-plan estimate,
// operators of the relaxed plan first, then without the operators that turn out to be needless. It is a function of
// the state. At most limits.States states are expanded and limits.Operators ground operators held, else the error
// is a *env.BudgetError; env.ErrNoPlan means that there is none.
func (s *State) Plan(limits env.Limits, m *Meter) ([]Operator, error) {
	g, err := s.ground(limits.Operators, m)
	if err != nil {
		return nil, err
	}
	f := &finder{heuristic: newHeuristic(g), start: s, limits: limits, meter: m, closed: map[[16]byte]bool{}}
	f.relevant = s.problem.relevant()
	plan, err := f.find()
	if err != nil {
		return nil, err
	}
	return f.trim(plan)
}

type finder struct {
	*heuristic
	start    *State
	limits   env.Limits
	meter    *Meter
	closed   map[[16]byte]bool
	relevant []bool // predicates that tell states apart
	open     openList
	pushed   int
	expanded int
}

func (f *finder) find() ([]Operator, error) {
	if err := f.expand(nil, f.start.Clone()); err != nil {
		return nil, err
	}
	for len(f.open) > 0 {
		next := heap.Pop(&f.open).(openNode)
		state := next.state.Clone()
		f.meter.Keep(stateBytes * len(state.facts))
		if err := state.Apply(next.op, f.meter); err != nil {
			return nil, err
		}
		if state.Won(f.meter) {
			plan := make([]Operator, next.depth)
			for n := next.node; n != nil; n = n.parent {
				plan[n.depth-1] = n.op
			}
			return plan, nil
		}
		if err := f.expand(next.node, state); err != nil {
			return nil, err
		}
	}
	if err := f.meter.Err(); err != nil {
		return nil, err
	}
	return nil, env.ErrNoPlan
}

// expand puts what can be done in a new state on the open list.
func (f *finder) expand(n *node, state *State) error {
	if err := f.meter.Err(); err != nil {
		return err
	}
	hash := state.hash(f.relevant)
	if f.closed[hash] {
		return nil
	}
	f.closed[hash] = true
	if f.expanded++; f.expanded > f.limits.States {
		return &env.BudgetError{What: "states", Limit: f.limits.States}
	}
	h := f.estimate(state, f.meter)
	if h < 0 {
		return f.meter.Err()
	}
	begin := map[string]bool{}
	for i, in := range f.inPlan {
		if in {
			begin[operatorKey(f.ops[i])] = true
		}
	}
	var ops Applicable
	if err := ops.Update(state, f.limits.Operators, f.meter); err != nil {
		return err
	}
	depth := 1
	if n != nil {
		depth = n.depth + 1
	}
	for a := range ops.actions {
		for i := range ops.Count(a) {
			op := ops.At(a, i)
			key := 2 * (depth + estimateWeight*h)
			if !begin[operatorKey(op)] {
				key++
				key += 2 * estimateWeight // as if it did not come nearer
			}
			f.pushed++
			f.meter.Keep(openBytes)
			heap.Push(&f.open, openNode{&node{n, op, depth}, state, key, f.pushed})
		}
	}
	return nil
}

func operatorKey(op Operator) string {
	return string(appendKey(appendKey(nil, int32(op.Action)), op.Args...))
}

// trim leaves out every operator without which the rest still leads to the goal, the first ones first.
func (f *finder) trim(plan []Operator) ([]Operator, error) {
	for i := 0; i < len(plan); {
		shorter, err := f.retrace(slices.Delete(slices.Clone(plan), i, i+1))
		if err != nil {
			return nil, err
		}
		if shorter != nil {
			plan = shorter
		} else {
			i++
		}
	}
	return plan, nil
}

// retrace carries out a plan of which something was left out, with operators that add the same where one does not
// apply any more (to go there from elsewhere); nil if that does not lead to the goal.
func (f *finder) retrace(plan []Operator) ([]Operator, error) {
	state := f.start.Clone()
	for i, op := range plan {
		ops, err := state.Operators(op.Action, f.limits.Operators, f.meter)
		if err != nil {
			return nil, err
		}
		best, most := -1, -1
		for k, o := range ops {
			if n := equalArgs(o, op); n > most && state.problem.addsSame(o, op) {
				best, most = k, n
			}
		}
		if best < 0 {
			return nil, nil
		}
		plan[i] = ops[best]
		if err := state.Apply(plan[i], f.meter); err != nil {
			return nil, err
		}
	}
	if !state.Won(f.meter) {
		return nil, f.meter.Err()
	}
	return plan, nil
}

func equalArgs(a, b Operator) int {
	n := 0
	for i := range a.Args {
		if a.Args[i] == b.Args[i] {
			n++
		}
	}
	return n
}

// addsSame reports whether two operators of one action agree on every parameter that its additions name.
func (p *Problem) addsSame(a, b Operator) bool {
	for _, e := range p.actions[a.Action].effects {
		for _, t := range e.args {
			if !e.neg && t >= 0 && int(t) < len(a.Args) && a.Args[t] != b.Args[t] {
				return false
			}
		}
	}
	return true
}

// hash tells states apart by the facts of the relevant predicates.
func (s *State) hash(relevant []bool) (sum [16]byte) {
	h := fnv.New128a()
	var buf []byte
	for p, r := range s.facts {
		if !relevant[p] {
			continue
		}
		buf = appendKey(buf[:0], int32(p), int32(r.size))
		if r.arity > 0 {
			buf = appendKey(buf, r.order[0]...)
		}
		_, _ = h.Write(buf) // never fails
	}
	h.Sum(sum[:0])
	return sum
}

// relevant marks the dynamic predicates that some condition or the goal reads.
func (p *Problem) relevant() []bool {
	is := make([]bool, len(p.Domain.Predicates))
	mark := func(programs []*program) {
		for _, pred := range readsOf(p.Domain, programs, nil) {
			is[pred] = true
		}
	}
	mark(p.goal)
	for i := range p.actions {
		mark(p.actions[i].programs)
		for _, e := range p.actions[i].effects {
			mark(e.fires)
		}
	}
	return is
}
