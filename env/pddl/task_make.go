package pddl

import "slices"

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
