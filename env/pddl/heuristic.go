package pddl

// heuristic estimates how far the goal is by a plan that ignores deletes, built from additive costs.
type heuristic struct {
	*grounding
	cost      []int32 // of literals, -1 for unreached
	supporter []int32 // step that brings a literal about most cheaply
	unmet     []int32 // by step: conditions not reached yet
	sum       []int32 // by step: cost of its conditions
	buckets   [][]int32
	inPlan    []bool // by operator
	visited   []bool // by literal
}

func newHeuristic(g *grounding) *heuristic {
	return &heuristic{
		grounding: g, cost: make([]int32, len(g.lits)), supporter: make([]int32, len(g.lits)),
		unmet: make([]int32, len(g.steps)), sum: make([]int32, len(g.steps)),
		inPlan: make([]bool, len(g.ops)), visited: make([]bool, len(g.lits)),
	}
}

// maxCost keeps the sums of costs in few buckets.
const maxCost = 100_000

// estimate is the length of a relaxed plan from s, -1 if there is none. Afterwards preferred tells which operators
// begin it. Every step looked at counts as one unit of m.
func (h *heuristic) estimate(s *State, m *Meter) int {
	if !m.Spend(len(h.lits) + len(h.steps)) {
		return -1
	}
	h.reset(s)
	for c, i := 0, 0; c < len(h.buckets); { // both grow on the way
		if i == len(h.buckets[c]) {
			c, i = c+1, 0
			continue
		}
		lit := h.buckets[c][i]
		i++
		if int(h.cost[lit]) != c {
			continue
		}
		if lit == goalLit {
			return h.extract()
		}
		if !m.Spend(1 + len(h.needs[lit])) {
			return -1
		}
		for _, st := range h.needs[lit] {
			h.sum[st] += h.cost[lit]
			if h.unmet[st]--; h.unmet[st] == 0 {
				h.reach(st)
			}
		}
	}
	return -1
}

func (h *heuristic) reset(s *State) {
	for i := range h.cost {
		h.cost[i], h.supporter[i], h.visited[i] = -1, -1, false
	}
	for i := range h.buckets {
		h.buckets[i] = h.buckets[i][:0]
	}
	for i := range h.inPlan {
		h.inPlan[i] = false
	}
	for i, l := range h.lits {
		if i != goalLit && s.facts[l.pred].has(l.row) != l.neg {
			h.improve(int32(i), 0, -1)
		}
	}
	for i := range h.steps {
		h.sum[i] = 0
		if h.unmet[i] = int32(len(h.steps[i].pre)); h.unmet[i] == 0 {
			h.reach(int32(i))
		}
	}
}

func (h *heuristic) reach(st int32) {
	c := min(h.sum[st]+1, maxCost)
	for _, lit := range h.steps[st].post {
		h.improve(lit, c, st)
	}
}

func (h *heuristic) improve(lit, c, st int32) {
	if have := h.cost[lit]; have >= 0 && have <= c {
		return
	}
	h.cost[lit], h.supporter[lit] = c, st
	for len(h.buckets) <= int(c) {
		h.buckets = append(h.buckets, nil)
	}
	h.buckets[c] = append(h.buckets[c], lit)
}

// extract marks the operators of the relaxed plan and counts them.
func (h *heuristic) extract() int {
	n := 0
	for stack := []int32{goalLit}; len(stack) > 0; {
		lit := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		st := h.supporter[lit]
		if h.visited[lit] || st < 0 {
			continue
		}
		h.visited[lit] = true
		if op := h.steps[st].op; op >= 0 && !h.inPlan[op] {
			h.inPlan[op] = true
			n++
		}
		stack = append(stack, h.steps[st].pre...)
	}
	return n
}
