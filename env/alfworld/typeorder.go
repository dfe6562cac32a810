package alfworld

import "github.com/hone-rl/hone/env/pddl"

// maxTypeOrder bounds a typeOrder; an atom with more combinations of types has its facts in the order of their ids.
const maxTypeOrder = 4096

// typeOrder says at which places the facts come whose arguments are of given types (typeKey). ALFWorld's engine goes
// through combinations of subtypes, breadth first, and through some of them twice, so that their facts come twice.
type typeOrder map[typeKey][]int

// typeKey is the types of up to 8 arguments.
type typeKey [8]int16

// orderOf is the order of an atom's facts; nil where each argument has only one type.
func orderOf(d *pddl.Domain, types []int) typeOrder {
	below := map[int][]int{}
	many := false
	for _, t := range types {
		if t >= 0 && below[t] == nil {
			below[t] = d.Subtypes(t)
			many = many || len(below[t]) > 0
		}
	}
	var start typeKey
	if !many || len(types) > len(start) {
		return nil
	}
	for i, t := range types {
		start[i] = int16(t)
	}
	expand := func(k typeKey, visit func(typeKey)) {
		for i := range types {
			t := int(k[i])
			if t < 0 {
				continue
			}
			if _, ok := below[t]; !ok {
				below[t] = d.Subtypes(t)
			}
			for _, u := range below[t] {
				next := k
				next[i] = int16(u)
				visit(next)
			}
		}
	}
	order := typeOrder{start: {0}}
	seen := map[typeKey]bool{}
	var queue []typeKey
	expand(start, func(k typeKey) { queue = append(queue, k) })
	for n := 0; n < len(queue); n++ {
		if len(queue) > maxTypeOrder {
			return nil
		}
		order[queue[n]] = append(order[queue[n]], n+1)
		expand(queue[n], func(k typeKey) {
			if !seen[k] { // which leaves out what the start led to at once
				seen[k] = true
				queue = append(queue, k)
			}
		})
	}
	return order
}
