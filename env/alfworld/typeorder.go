package alfworld

import (
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// maxTypeOrder bounds a typeOrder; an atom with more combinations of types has its facts in the order of their ids.
const maxTypeOrder = 4096

// maxOrderSteps bounds the combinations that all orders of a game go through, each as often as others lead to it.
const maxOrderSteps = 4_000_000

// typeOrder says at which places the facts come whose arguments are of given types (typeKey). ALFWorld's engine goes
// through combinations of subtypes, breadth first, and through some of them twice, so that their facts come twice.
type typeOrder map[typeKey][]int

// typeKey is the types of up to 8 arguments.
type typeKey [8]int16

// orders are those of a domain, each worked out once.
type orders struct {
	domain *pddl.Domain
	known  map[orderKey]typeOrder
	below  map[int][]int // the subtypes of a type
	steps  int
}

type orderKey struct {
	types typeKey
	arity int
}

func newOrders(d *pddl.Domain) *orders {
	return &orders{domain: d, known: map[orderKey]typeOrder{}, below: map[int][]int{}}
}

// err says that the orders were too much work to have.
func (o *orders) err() error {
	if o.steps <= maxOrderSteps {
		return nil
	}
	return fmt.Errorf("%w: grammar: the types of what it asks for have subtypes in more than %d combinations", env.ErrBadGame, maxOrderSteps)
}

func (o *orders) subtypes(t int) []int {
	list, ok := o.below[t]
	if !ok {
		list = o.domain.Subtypes(t)
		o.below[t] = list
	}
	return list
}

// of is the order of an atom's facts; nil where each argument has only one type.
func (o *orders) of(types []int) typeOrder {
	var start typeKey
	many := false
	for _, t := range types {
		many = many || t >= 0 && len(o.subtypes(t)) > 0
	}
	if !many || len(types) > len(start) {
		return nil
	}
	for i, t := range types {
		start[i] = int16(t)
	}
	key := orderKey{start, len(types)}
	order, ok := o.known[key]
	if !ok {
		order = o.workOut(start, len(types))
		o.known[key] = order
	}
	return order
}

func (o *orders) workOut(start typeKey, arity int) typeOrder {
	expand := func(k typeKey, visit func(typeKey)) {
		for i := range arity {
			if k[i] < 0 {
				continue
			}
			below := o.subtypes(int(k[i]))
			o.steps += len(below)
			for _, u := range below {
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
		if len(queue) > maxTypeOrder || o.steps > maxOrderSteps {
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
