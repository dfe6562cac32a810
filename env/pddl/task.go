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
