package pddl

// runner executes programs on a state.
type runner struct {
	problem *Problem
	facts   []*relation
	env     []int32
	row     [MaxArity]int32
	meter   *Meter
	relaxed bool           // facts may only be added: what must be false counts as false
	emit    func(*program) // called for every solution of an emitting program, nil within tests
}

func (r *runner) value(a term) int32 {
	if a < 0 {
		return int32(^a)
	}
	return r.env[a]
}

// all yields every solution of the programs to emit.
func (r *runner) all(programs []*program, emit func(*program)) {
	r.emit = emit
	for _, pr := range programs {
		r.run(pr, 0, true)
	}
}

// any reports whether one of the programs has a solution.
func (r *runner) any(programs []*program) bool {
	for _, pr := range programs {
		if r.run(pr, 0, false) {
			return true
		}
	}
	return false
}

// run goes on from step i and reports whether a solution was found. Within the part before the cut of an emitting
// program it goes on to the next candidate after each.
func (r *runner) run(pr *program, i int, emitting bool) bool {
	if i == len(pr.steps) {
		if emitting {
			r.emit(pr)
		}
		return true
	}
	if !r.meter.Spend(1) {
		return true
	}
	s := &pr.steps[i]
	once := !emitting || i >= pr.cut
	switch s.kind {
	case stepScan:
		return r.scan(pr, i, emitting, once)
	case stepTest:
		holds := r.relaxed && s.neg && r.problem.Domain.Predicates[s.pred].Dynamic
		return (holds || r.test(s.pred, s.args) != s.neg) && r.run(pr, i+1, emitting)
	case stepEqual:
		return (r.value(s.args[0]) == r.value(s.args[1])) != s.neg && r.run(pr, i+1, emitting)
	case stepBind:
		v := r.value(s.args[0])
		if !r.problem.Is(v, s.types[0]) {
			return false
		}
		r.env[s.args[1]] = v
		return r.run(pr, i+1, emitting)
	case stepEach:
		found := false
		for o := range r.problem.typeOf {
			if !r.meter.Spend(1) {
				return true
			}
			if !r.problem.Is(int32(o), s.types[0]) {
				continue
			}
			r.env[s.args[0]] = int32(o)
			if r.run(pr, i+1, emitting) {
				if once {
					return true
				}
				found = true
			}
		}
		return found
	case stepAny:
		return r.any(s.subs) && r.run(pr, i+1, emitting)
	default:
		if r.relaxed && s.fluid {
			return r.run(pr, i+1, emitting)
		}
		return !r.any(s.subs) && !r.meter.stopped && r.run(pr, i+1, emitting)
	}
}

func (r *runner) test(pred int, args []term) bool {
	row := r.row[:len(args)]
	for k, a := range args {
		row[k] = r.value(a)
	}
	return r.facts[pred].has(row)
}

func (r *runner) scan(pr *program, i int, emitting, once bool) bool {
	s := &pr.steps[i]
	rel := r.facts[s.pred]
	if rel.size == 0 {
		return false
	}
	if rel.arity == 0 {
		return r.run(pr, i+1, emitting)
	}
	rows := rel.order[0]
	if s.lead >= 0 {
		rows = rel.span(s.lead, r.value(s.args[s.lead]))
	}
	found, last := false, emitting && !once && i+1 == len(pr.steps)
	for ; len(rows) > 0; rows = rows[rel.arity:] {
		if !r.meter.Spend(1) {
			return true
		}
		if !r.match(s, rows[:rel.arity]) {
			continue
		}
		if last {
			r.emit(pr)
			found = true
			continue
		}
		if r.run(pr, i+1, emitting) {
			if once {
				return true
			}
			found = true
		}
	}
	return found
}

// match binds the free arguments of s to row, if the rest is equal and the types fit.
func (r *runner) match(s *step, row []int32) bool {
	for k, a := range s.args {
		if s.modes[k] == argMatch {
			if r.value(a) != row[k] {
				return false
			}
			continue
		}
		if t := s.types[k]; t >= 0 && !r.problem.Is(row[k], t) {
			return false
		}
		r.env[a] = row[k]
	}
	return true
}
