package pddl

import "slices"

// State is the facts that hold, and which were deleted by an operator and not added since. It belongs to one
// goroutine; Clone gives an independent one.
type State struct {
	problem *Problem
	facts   []*relation
	deleted []*relation // of dynamic predicates, nil where none ever was
	own     []bool      // facts[i] and deleted[i] are this state's alone and may be written
	version []uint32    // of facts[i], counted up by every change
	history history
	// finding and applying are used by what is being done, nil until then.
	finding  *finding
	applying *applying
	run      runner
	goal     struct { // whether it holds, if that is known
		known, won bool
		at, since  uint64 // changes of what it reads, and of everything
		work       int    // that it took to look for it everywhere
	}
}

// Start is the first state of the problem.
func (p *Problem) Start() *State {
	n := len(p.init)
	s := &State{problem: p, facts: make([]*relation, n), deleted: make([]*relation, n), own: make([]bool, n), version: make([]uint32, n)}
	copy(s.facts, p.init)
	return s
}

// Problem is what s is a state of.
func (s *State) Problem() *Problem { return s.problem }

// Clone is a copy. Facts are shared until one of the two changes them.
func (s *State) Clone() *State {
	c := s.problem.Start()
	copy(c.facts, s.facts)
	copy(c.deleted, s.deleted)
	copy(c.version, s.version)
	clear(s.own)
	c.goal, c.history.count = s.goal, s.history.count
	return c
}

// Has reports whether the fact holds.
func (s *State) Has(pred int, args ...int32) bool { return s.facts[pred].has(args) }

// Deleted reports whether an operator deleted the fact and none added it since.
func (s *State) Deleted(pred int, args ...int32) bool {
	return s.deleted[pred] != nil && s.deleted[pred].has(args)
}

// Size is the number of facts of a predicate.
func (s *State) Size(pred int) int { return s.facts[pred].size }

// Match calls visit with the arguments of every fact of pred that has them where want has them (-1 for any), in the
// order of all arguments, until visit returns false. The arguments are only lent. It returns how many facts were
// looked at without a visit.
func (s *State) Match(pred int, want []int32, visit func(args []int32) bool) int {
	return matchRows(s.facts[pred], want, visit)
}

// MatchDeleted is Match over the facts that an operator deleted and none added since.
func (s *State) MatchDeleted(pred int, want []int32, visit func(args []int32) bool) int {
	if s.deleted[pred] == nil {
		return 0
	}
	return matchRows(s.deleted[pred], want, visit)
}

func matchRows(r *relation, want []int32, visit func([]int32) bool) (passed int) {
	if r.size == 0 {
		return 0
	}
	if r.arity == 0 {
		visit(nil)
		return 0
	}
	if !slices.ContainsFunc(want, func(v int32) bool { return v < 0 }) {
		if r.has(want) {
			visit(want)
		}
		return 0
	}
	rows := r.order[0]
	for k, v := range want {
		if v >= 0 {
			if part := r.span(k, v); len(part) < len(rows) {
				rows = part
			}
		}
	}
next:
	for ; len(rows) > 0; rows = rows[r.arity:] {
		row := rows[:r.arity]
		for k, v := range want {
			if v >= 0 && row[k] != v {
				passed++
				continue next
			}
		}
		if !visit(row) {
			break
		}
	}
	return passed
}

// Won reports whether the goal holds. It looks again only if something that the goal reads has changed, and then,
// where much would have to be looked at, only for what has to do with the changes.
func (s *State) Won(m *Meter) bool {
	p, at := s.problem, s.changes(s.problem.goalReads)
	if s.goal.known && s.goal.at == at {
		return s.goal.won && m.Spend(0)
	}
	r := s.runner(m, len(p.goalSlots))
	won, sure := s.wonNow(r)
	if !sure {
		before := m.Used()
		won = r.any(p.goal)
		s.goal.work = m.Used() - before
	}
	won = won && !m.stopped
	s.goal.known, s.goal.won, s.goal.at, s.goal.since = !m.stopped, won, at, s.history.count
	return won
}

// wonNow reports whether a goal that did not hold does because of what has changed since, and whether that is sure.
// Conditions have negations only before atoms: an atom makes them true only by coming true itself.
func (s *State) wonNow(r *runner) (won, sure bool) {
	p := s.problem
	if !s.goal.known || s.goal.won || s.goal.work < deltaWork {
		return false, false
	}
	changes, ok := s.recent(p.goalReads, s.goal.since, s.goal.at)
	if !ok {
		return false, false
	}
	deltas := p.goalDeltas()
	for _, ch := range changes {
		for i := range deltas {
			d := &deltas[i]
			if ch.added != d.neg && d.bind(p, p.goalSlots, ch, r.env) && r.any(d.programs) {
				return true, true
			}
		}
	}
	return false, deltas != nil
}

// runner is the state's runner with an environment of n slots. Runs do not nest.
func (s *State) runner(m *Meter, n int) *runner {
	r := &s.run
	r.problem, r.facts, r.meter = s.problem, s.facts, m
	if cap(r.env) < n {
		r.env = make([]int32, n)
	}
	r.env = r.env[:n]
	return r
}

// writable makes facts[pred] and deleted[pred] this state's alone.
func (s *State) writable(pred int) {
	if s.own[pred] {
		return
	}
	s.own[pred] = true
	s.facts[pred] = s.facts[pred].clone()
	if s.deleted[pred] != nil {
		s.deleted[pred] = s.deleted[pred].clone()
	}
}

func (s *State) set(pred int, row []int32) {
	s.writable(pred)
	if d := s.deleted[pred]; d != nil {
		d.remove(row)
	}
	if s.facts[pred].insert(row) {
		s.version[pred]++
		s.history.note(pred, true, row)
	}
}

func (s *State) unset(pred int, row []int32, fired bool) {
	s.writable(pred)
	if s.deleted[pred] == nil {
		s.deleted[pred] = newRelation(len(row), nil, 0)
	}
	s.deleted[pred].insert(row)
	if fired && s.facts[pred].remove(row) {
		s.version[pred]++
		s.history.note(pred, false, row)
	}
}
