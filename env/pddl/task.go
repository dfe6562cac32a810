package pddl

import "slices"

// task is a grounding made ready for search: what can matter for the goal. A state is the set of literals that hold in
// it, both those that say that a fact holds and those that say that it does not, as far as some step needs them.
type task struct {
	*grounding
	operators int                // grounded ones; more may be met in a loose grounding
	lits      []ground           // that are needed, goalLit first
	steps     []taskStep         // operator after operator, at the end those towards the goal
	first     []int32            // by operator: its first step; then that of the steps towards the goal, and the end
	needs     [][]int32          // by literal: the steps that need it
	watch     [][]int32          // by literal: the steps that need not be looked at where it does not hold
	free      []int32            // steps without a condition
	alike     [][]int32          // by operator: others that do the same and that it stands for
	adders    map[string][]int32 // operators by what they add
}

// taskStep is a groundStep whose literals are those of the task. Deletes come before additions.
type taskStep struct {
	op      int32
	pre     []int32
	post    []int32    // literals that it makes true
	on, off [2][]int32 // literals made true and false, by deletes and by additions
}

// bits is a set of literals.
type bits []uint64

func (b bits) has(l int32) bool { return b[l>>6]&(1<<(l&63)) != 0 }
func (b bits) set(l int32)      { b[l>>6] |= 1 << (l & 63) }
func (b bits) clear(l int32)    { b[l>>6] &^= 1 << (l & 63) }

func (b bits) all(lits []int32) bool {
	for _, l := range lits {
		if !b.has(l) {
			return false
		}
	}
	return true
}

// newTask keeps the steps that lead towards the goal.
func newTask(g *grounding, m *Meter) (*task, error) {
	t := &task{grounding: g, operators: len(g.ops)}
	of := make([][]int32, len(g.ops)+1)
	for i, s := range g.steps {
		op := pick(s.op < 0, int32(len(g.ops)), s.op)
		of[op] = append(of[op], int32(i))
	}
	needed := t.backwards(of, m)
	number := make([]int32, len(g.lits))
	for i := range number {
		number[i] = -1
		if needed[i] {
			number[i] = int32(len(t.lits))
			t.lits = append(t.lits, g.lits[i])
		}
	}
	t.link(of, number, t.opposites(number))
	t.needs, t.watch = make([][]int32, len(t.lits)), make([][]int32, len(t.lits))
	for i := range t.steps {
		for _, l := range t.steps[i].pre {
			t.needs[l] = append(t.needs[l], int32(i))
		}
	}
	for i := range t.steps {
		pre := t.steps[i].pre
		if len(pre) == 0 {
			t.free = append(t.free, int32(i))
			continue
		}
		rare := slices.MinFunc(pre, func(a, b int32) int { return len(t.needs[a]) - len(t.needs[b]) })
		t.watch[rare] = append(t.watch[rare], int32(i))
	}
	t.merge()
	m.Keep(len(t.steps)*entryBytes + len(t.lits)*entryBytes)
	return t, m.Err()
}

// backwards marks the literals from which steps lead to the goal. All steps of an operator go together.
func (t *task) backwards(of [][]int32, m *Meter) []bool {
	by := make([][]int32, len(t.grounding.lits))
	for i, s := range t.grounding.steps {
		for _, l := range s.post {
			by[l] = append(by[l], int32(i))
		}
	}
	needed, done := make([]bool, len(by)), make([]bool, len(t.grounding.steps))
	needed[goalLit] = true
	for stack := []int32{goalLit}; len(stack) > 0; {
		lit := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !m.Spend(1 + len(by[lit])) {
			break
		}
		for _, i := range by[lit] {
			if done[i] {
				continue
			}
			steps := []int32{i}
			if op := t.grounding.steps[i].op; op >= 0 {
				steps = of[op]
			}
			for _, k := range steps {
				done[k] = true
				for _, l := range t.grounding.steps[k].pre {
					if !needed[l] {
						needed[l] = true
						stack = append(stack, l)
					}
				}
			}
		}
	}
	return needed
}

// opposites maps a literal to the number of its negation, -1 where that is not needed.
func (t *task) opposites(number []int32) []int32 {
	var key []byte
	out := make([]int32, len(number))
	for i, l := range t.grounding.lits {
		out[i] = -1
		if i != goalLit {
			key = literalKey(key[:0], !l.neg, l.pred, l.row)
			if o, ok := t.ids[string(key)]; ok {
				out[i] = number[o]
			}
		}
	}
	return out
}

// link takes over the steps of operators that do something needed, operator after operator.
func (t *task) link(of [][]int32, number, opposite []int32) {
	for _, list := range of {
		begin, wanted := len(t.steps), false
		t.first = append(t.first, int32(begin))
		for _, i := range list {
			s := t.grounding.steps[i]
			out := taskStep{op: s.op}
			for _, l := range s.post {
				k := pick(t.grounding.lits[l].neg, 0, 1)
				if number[l] >= 0 {
					out.post = append(out.post, number[l])
					out.on[k] = append(out.on[k], number[l])
				}
				if opposite[l] >= 0 {
					out.off[k] = append(out.off[k], opposite[l])
				}
			}
			if s.op < 0 && len(out.post) == 0 {
				continue // rules that nothing needs
			}
			for _, l := range s.pre {
				out.pre = append(out.pre, number[l])
			}
			wanted = wanted || len(out.post) > 0
			t.steps = append(t.steps, out)
		}
		if !wanted {
			t.steps = t.steps[:begin]
		}
	}
	t.first = append(t.first, int32(len(t.steps)))
}

// merge lets one operator stand for all that have the same steps.
func (t *task) merge() {
	t.alike = make([][]int32, len(t.ops))
	stand := map[string]int32{}
	var key []byte
	for op := range t.ops {
		steps := t.steps[t.first[op]:t.first[op+1]]
		key = key[:0]
		for _, s := range steps {
			for _, list := range [][]int32{s.pre, s.on[0], s.on[1], s.off[0], s.off[1]} {
				key = appendKey(appendKey(key, int32(len(list))), list...)
			}
		}
		first, ok := stand[string(key)]
		if !ok {
			first = int32(op)
			stand[string(key)] = first
		}
		t.alike[first] = append(t.alike[first], int32(op))
	}
}

// truth is the set of literals that hold in s.
func (t *task) truth(s *State) bits {
	b := make(bits, (len(t.lits)+63)/64)
	for i, l := range t.lits {
		if i != goalLit && s.facts[l.pred].has(l.row) != l.neg {
			b.set(int32(i))
		}
	}
	return b
}

// won reports whether a state fulfils the goal.
func (t *task) won(b bits) bool {
	return slices.ContainsFunc(t.steps[t.first[t.operators]:], func(s taskStep) bool {
		return slices.Contains(s.post, goalLit) && b.all(s.pre)
	})
}

// applicable are the operators that do something in a state, ascending, those that do the same only once.
func (t *task) applicable(b bits, m *Meter) []int32 {
	var list []int32
	add := func(steps []int32) {
		m.Spend(len(steps))
		for _, i := range steps {
			if s := &t.steps[i]; s.op >= 0 && len(t.alike[s.op]) > 0 && b.all(s.pre) {
				list = append(list, s.op)
			}
		}
	}
	add(t.free)
	for l := range t.watch {
		if len(t.watch[l]) > 0 && b.has(int32(l)) {
			add(t.watch[l])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// apply is the state after an operator, nil if it does nothing.
func (t *task) apply(b bits, op int32) bits {
	var fired [16]*taskStep
	steps := fired[:0]
	for i := t.first[op]; i < t.first[op+1]; i++ {
		if b.all(t.steps[i].pre) {
			steps = append(steps, &t.steps[i])
		}
	}
	if len(steps) == 0 {
		return nil
	}
	out := slices.Clone(b)
	for k := range 2 {
		for _, s := range steps {
			for _, l := range s.off[k] {
				out.clear(l)
			}
			for _, l := range s.on[k] {
				out.set(l)
			}
		}
	}
	return out
}
