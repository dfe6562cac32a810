package pddl

import "slices"

// trim leaves out every operator without which the rest of a plan still leads to the goal, the first ones first.
func (t *task) trim(start bits, plan []int32, m *Meter) []int32 {
	if t.adders == nil {
		t.adders = map[string][]int32{}
		for op := range int32(t.operators) {
			key := t.adds(op)
			t.adders[key] = append(t.adders[key], op)
		}
	}
	for i := 0; i < len(plan) && m.Spend(len(plan)); {
		if shorter := t.without(start, plan, i); shorter != nil {
			plan = shorter
		} else {
			i++
		}
	}
	return plan
}

// without is a plan without its i-th operator: others that add the same stand in for operators that do not apply any
// more (to go there from elsewhere). It is nil if that does not lead to the goal.
func (t *task) without(start bits, plan []int32, i int) []int32 {
	b := start
	out := slices.Delete(slices.Clone(plan), i, i+1)
	for k, op := range out {
		next := t.apply(b, op)
		if next == nil {
			for _, other := range t.adders[t.adds(op)] {
				if next = t.apply(b, other); next != nil {
					out[k] = other
					break
				}
			}
		}
		if next == nil {
			return nil
		}
		b = next
	}
	if !t.won(b) {
		return nil
	}
	return out
}

// adds is a key of what an operator adds.
func (t *task) adds(op int32) string {
	var key []byte
	for _, s := range t.steps[t.first[op]:t.first[op+1]] {
		key = appendKey(key, s.on[1]...)
	}
	return string(key)
}

// name is the operators of a plan. Of several that do the same, it takes the one that has most to do with the next.
func (f *finder) name(plan []int32) []Operator {
	out := make([]Operator, len(plan))
	for i := len(plan) - 1; i >= 0; i-- {
		out[i] = f.ops[plan[i]]
		if f.loose || i == len(plan)-1 {
			continue
		}
		most := -1
		for _, op := range f.alike[plan[i]] {
			n := 0
			for _, o := range f.ops[op].Args {
				if slices.Contains(out[i+1].Args, o) {
					n++
				}
			}
			if n > most {
				out[i], most = f.ops[op], n
			}
		}
	}
	return out
}
