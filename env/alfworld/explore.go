package alfworld

import (
	"fmt"
	"slices"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// explorer writes a script from what a player has been shown. The opening text names all receptacles; what is in one
// it knows only once the player has faced it open, in this plan or where the plan begins; and it knows what it holds.
// What a thing is like (which kinds of receptacle take it, where it may be) is common sense. Every other fact is
// hidden from its choices.
type explorer struct {
	*walker
	seen map[int32]bool // receptacles whose contents it has seen; only its own commands change them
	ways map[int32][]int32
	last int32 // the receptacle at which the search for something stands, -1
}

// explore plans by looking through receptacles until what is wanted has been seen.
func (e *Episode) explore(m *pddl.Meter) ([]string, error) {
	w, err := e.walker(env.Explore, m)
	if err != nil {
		return nil, err
	}
	x := &explorer{walker: w, seen: map[int32]bool{}, ways: map[int32][]int32{}, last: w.facing}
	return x.run(x.next)
}

// next notes what the player sees and makes one step towards the goal.
func (x *explorer) next() error {
	if r := x.facing; r >= 0 && !x.house.shut(x.state, r) {
		x.seen[r] = true
	}
	thing := x.house.held(x.state)
	switch {
	case thing < 0:
		return x.fetch()
	case !x.state.Has(x.house.pred.objectType, thing, x.task.target):
		return x.putAway(thing, func(r int32) bool { return x.seen[r] })
	case x.task.destination < 0:
		return x.shine()
	case x.task.treated >= 0 && !x.state.Has(x.task.treated, thing):
		return x.treat(thing)
	}
	return x.deliver(thing)
}

// fetch makes one step towards having a target in hand.
func (x *explorer) fetch() error {
	finish := x.finish()
	for _, r := range x.known() {
		if r == finish {
			continue
		}
		for _, o := range x.targetsIn(r, x.task.target) {
			if finish >= 0 && x.state.Has(x.house.pred.inReceptacle, o, finish) || !x.state.Has(x.house.pred.pickupable, o) {
				continue
			}
			if !x.at(r) {
				return x.do(x.house.act.goTo, -1, r)
			}
			return x.do(x.house.act.take, o, r)
		}
	}
	return x.look(x.task.target)
}

// known are the receptacles whose contents it has seen, the one it faces first, then those here, then by base and
// number.
func (x *explorer) known() []int32 {
	var list []int32
	for _, r := range x.house.receptacles {
		if x.seen[r] {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return x.distance(a) - x.distance(b) })
	return list
}

func (x *explorer) distance(r int32) int {
	switch {
	case r == x.facing:
		return 0
	case x.at(r):
		return 1
	}
	return 2
}

// targetsIn are the things of a type in r, by number.
func (x *explorer) targetsIn(r, typ int32) []int32 {
	var list []int32
	x.state.Match(x.house.pred.inReceptacle, []int32{-1, r}, func(f []int32) bool {
		if x.state.Has(x.house.pred.objectType, f[0], typ) {
			list = append(list, f[0])
		}
		return true
	})
	slices.SortFunc(list, x.house.byNumber)
	return list
}

func (x *explorer) isDestination(r int32) bool {
	return x.task.destination >= 0 && x.state.Has(x.house.pred.receptacleType, r, x.task.destination)
}

// finish is where targets are known to be where they should be, if more than one is wanted: the receptacle with most
// of them, -1 if there is none.
func (x *explorer) finish() int32 {
	best, most := int32(-1), 0
	if x.task.count < 2 {
		return best
	}
	for _, r := range x.house.receptacles {
		if x.seen[r] && x.isDestination(r) {
			if n := len(x.targetsIn(r, x.task.target)); n > most {
				best, most = r, n
			}
		}
	}
	return best
}

// deliver puts the thing where targets are already, else into a destination here, else into the lowest.
func (x *explorer) deliver(thing int32) error {
	r := x.finish()
	for _, near := range []func(int32) bool{func(r int32) bool { return r == x.facing }, x.at, func(int32) bool { return true }} {
		if r < 0 {
			if i := slices.IndexFunc(x.house.receptacles, func(r int32) bool { return x.isDestination(r) && near(r) }); i >= 0 {
				r = x.house.receptacles[i]
			}
		}
	}
	return x.deliverTo(r, thing)
}

// shine turns on a lamp that it has seen, else looks for one.
func (x *explorer) shine() error {
	for _, r := range x.known() {
		for _, lamp := range x.task.devices {
			if !x.state.Has(x.house.pred.inReceptacle, lamp, r) {
				continue
			}
			switch {
			case !x.at(r):
				return x.do(x.house.act.goTo, -1, r)
			case !x.state.Has(x.house.pred.toggled, lamp): // else it shines somewhere else
				return x.do(x.house.act.toggle, lamp, r)
			}
		}
	}
	if len(x.task.devices) == 0 {
		return fmt.Errorf("%w: there is no lamp", env.ErrNoPlan)
	}
	return x.look(first(x.state, x.house.pred.objectType, x.task.devices[0], -1))
}

// look makes one step of looking through the receptacles where a thing of a type may be: on from the one where the
// search stands, round and round, so that one who is asked anew after every command comes to all of them too.
func (x *explorer) look(typ int32) error {
	way, ok := x.ways[typ]
	if !ok {
		way = x.way(typ)
		x.ways[typ] = way
	}
	from := max(slices.Index(way, x.last), 0)
	for i := range way {
		if r := way[(from+i)%len(way)]; !x.seen[r] {
			x.last = r
			return x.visit(r)
		}
	}
	return fmt.Errorf("%w: all %d receptacles have been looked through", env.ErrNoPlan, len(way))
}
