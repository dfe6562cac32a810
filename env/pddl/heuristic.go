package pddl

// heuristic estimates how far the goal is by a plan that ignores deletes, built from additive costs.
type heuristic struct {
	*task
	cost      []int32 // of literals, -1 for unreached
	supporter []int32 // step that brings a literal about most cheaply
	unmet     []int32 // by step: conditions not reached yet
	sum       []int32 // by step: cost of its conditions
	count     []int32 // by step: of its conditions
	unneeding []int32 // steps without conditions
	buckets   [][]int32
	inPlan    []bool // by operator
	plan      []int32
	visited   []bool    // by literal
	wanted    [][]int32 // literals of the relaxed plan, by cost
	made      []bool    // by step
	chosen    []int32
}

func newHeuristic(t *task) *heuristic {
	h := &heuristic{
		task: t, cost: make([]int32, len(t.lits)), supporter: make([]int32, len(t.lits)),
		unmet: make([]int32, len(t.steps)), sum: make([]int32, len(t.steps)), count: make([]int32, len(t.steps)),
		inPlan: make([]bool, t.operators), visited: make([]bool, len(t.lits)), made: make([]bool, len(t.steps)),
	}
	for i := range t.steps {
		if h.count[i] = int32(len(t.steps[i].pre)); h.count[i] == 0 {
			h.unneeding = append(h.unneeding, int32(i))
		}
	}
	return h
}

// maxCost keeps the sums of costs in few buckets.
const maxCost = 100_000

// perUnit is how many literals and steps are looked at in the time of one condition test on facts.
const perUnit = 8

// estimate is the length of a relaxed plan from a state, -1 if there is none. Afterwards plan holds its operators.
// So many literals and steps looked at count as one unit of m.
func (h *heuristic) estimate(b bits, m *Meter) int {
	if !m.Spend(1 + (len(h.lits)+len(h.steps))/perUnit) {
		return -1
	}
	h.reset(b)
	looked := 0
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
		if looked += 1 + len(h.needs[lit]); looked >= perUnit {
			if !m.Spend(looked / perUnit) {
				return -1
			}
			looked %= perUnit
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

func (h *heuristic) reset(b bits) {
	for i := range h.buckets {
		h.buckets[i] = h.buckets[i][:0]
	}
	for _, op := range h.plan {
		h.inPlan[op] = false
	}
	h.plan = h.plan[:0]
	for _, st := range h.chosen {
		h.made[st] = false
	}
	h.chosen = h.chosen[:0]
	clear(h.visited)
	clear(h.sum)
	copy(h.unmet, h.count)
	for i := range h.cost {
		h.cost[i], h.supporter[i] = -1, -1
		if b.has(int32(i)) {
			h.improve(int32(i), 0, -1)
		}
	}
	for _, st := range h.unneeding {
		h.reach(st)
	}
}

// reach notes that a step can be made. Those that are nobody's doing cost nothing.
func (h *heuristic) reach(st int32) {
	c := h.price(st)
	for _, lit := range h.steps[st].post {
		h.improve(lit, c, st)
	}
}

// price is what a step costs with all that it needs.
func (h *heuristic) price(st int32) int32 {
	if h.steps[st].op < 0 {
		return h.sum[st]
	}
	return min(h.sum[st]+1, maxCost)
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

// extract finds the operators of the relaxed plan and counts them: from the dearest literal that is wanted down, a step
// that brings it about. What else the step brings about, as cheaply as anything, need not be brought about again.
func (h *heuristic) extract() int {
	top := int(h.cost[goalLit])
	for len(h.wanted) <= top {
		h.wanted = append(h.wanted, nil)
	}
	h.want(goalLit)
	for c := top; c >= 0; c-- {
		for i := 0; i < len(h.wanted[c]); i++ { //nolint:intrange // grows on the way
			st := h.supporter[h.wanted[c][i]]
			if st < 0 || h.made[st] {
				continue
			}
			h.made[st] = true
			h.chosen = append(h.chosen, st)
			s := &h.steps[st]
			if s.op >= 0 && !h.inPlan[s.op] {
				h.inPlan[s.op] = true
				h.plan = append(h.plan, s.op)
			}
			for _, lit := range s.post {
				if h.cost[lit] >= h.price(st) {
					h.supporter[lit] = st
				}
			}
			for _, lit := range s.pre {
				h.want(lit)
			}
		}
		h.wanted[c] = h.wanted[c][:0]
	}
	return len(h.plan)
}

func (h *heuristic) want(lit int32) {
	if !h.visited[lit] {
		h.visited[lit] = true
		h.wanted[h.cost[lit]] = append(h.wanted[h.cost[lit]], lit)
	}
}
