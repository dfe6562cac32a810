package alfworld

import (
	"cmp"
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// maxScript bounds the commands of a script; the longest of the real games has 53.
const maxScript = 2000

// walker writes a script by carrying it out on a copy of the state.
type walker struct {
	*Episode
	house *house
	task  *task
	meter *pddl.Meter
	kind  env.PlanKind
	plan  []string
}

// script plans by the recipe of the task's family.
func (e *Episode) script(kind env.PlanKind, m *pddl.Meter) ([]string, error) {
	w, err := e.walker(kind, m)
	if err != nil {
		return nil, err
	}
	return w.run(w.next)
}

// walker is ready to write a script from the current state on; env.ErrNoPlan where no recipe fits the goal.
func (e *Episode) walker(kind env.PlanKind, m *pddl.Meter) (*walker, error) {
	if e.game.task.target < 0 {
		return nil, fmt.Errorf("%w: the goal is of no known family", env.ErrNoPlan)
	}
	w := &walker{Episode: e.clone(), house: e.game.house, task: &e.game.task, kind: kind, meter: m}
	w.teller.meter = m
	return w, nil
}

// run makes one step after the other until the game is won.
func (w *walker) run(next func() error) ([]string, error) {
	for !w.state.Won(w.meter) {
		if err := w.meter.Err(); err != nil {
			return nil, err
		}
		if len(w.plan) >= maxScript {
			return nil, fmt.Errorf("%w: the script has not won after %d commands", env.ErrNoPlan, maxScript)
		}
		if err := next(); err != nil {
			return nil, err
		}
	}
	return w.plan, w.meter.Err()
}

// next makes one step towards the goal.
func (w *walker) next() error {
	thing := w.house.held(w.state)
	switch {
	case thing < 0:
		return w.fetch()
	case !w.state.Has(w.house.pred.objectType, thing, w.task.target):
		return w.putAway(thing, func(r int32) bool { return !w.house.shut(w.state, r) })
	case w.task.destination < 0:
		return w.shine()
	case w.task.treated >= 0 && !w.state.Has(w.task.treated, thing):
		return w.treat(thing)
	}
	return w.deliver(thing)
}

// do carries out the operator of an action with the given thing and receptacle (-1 for any).
func (w *walker) do(action int, thing, receptacle int32) error {
	ops, err := w.state.Operators(action, w.limits.Operators, w.meter)
	if err != nil {
		return err
	}
	for _, op := range ops {
		if k := w.house.objArg[action]; thing >= 0 && (k < 0 || op.Args[k] != thing) {
			continue
		}
		if k := w.house.recArg[action]; receptacle >= 0 && (k < 0 || op.Args[k] != receptacle) {
			continue
		}
		wording := &w.game.actions[action]
		text, err := w.teller.tell(wording.template, wording, op.Args)
		if err != nil {
			return err
		}
		w.plan = append(w.plan, text)
		return w.apply(op, w.meter)
	}
	return fmt.Errorf("%w: the script wants %s with %s and %s, which does not apply", env.ErrNoPlan,
		w.game.problem.Domain.Actions[action].Name, w.name(thing), w.name(receptacle))
}

func (w *walker) name(o int32) string {
	if o < 0 {
		return "nothing"
	}
	return w.game.names.name[o]
}

// at reports whether the agent stands where r is.
func (w *walker) at(r int32) bool { return w.house.place[r] == w.house.here(w.state) }

// treat goes to the lowest device and uses it.
func (w *walker) treat(thing int32) error {
	device := w.task.devices[0]
	if !w.at(device) {
		return w.do(w.house.act.goTo, -1, device)
	}
	return w.do(w.task.treat, thing, device)
}

// shine goes to a lamp and turns it on: one that stands here, else the lowest.
func (w *walker) shine() error {
	lamp, from := w.lamp(w.house.here(w.state))
	switch {
	case lamp < 0:
		return fmt.Errorf("%w: no lamp stands in a receptacle", env.ErrNoPlan)
	case !w.at(from):
		return w.do(w.house.act.goTo, -1, from)
	}
	return w.do(w.task.treat, lamp, from)
}

// lamp is the lowest lamp at a place, or the lowest of all if none is there, and the receptacle it is in.
func (w *walker) lamp(place int32) (lamp, from int32) {
	lamp, from = -1, -1
	for _, l := range w.task.devices {
		there := false
		w.state.Match(w.house.pred.inReceptacle, []int32{l, -1}, func(f []int32) bool {
			there = w.house.place[f[1]] == place
			if there || lamp < 0 && w.house.place[f[1]] >= 0 {
				lamp, from = l, f[1]
			}
			return !there
		})
		if there {
			break
		}
	}
	return lamp, from
}

// deliver puts the thing into the destination.
func (w *walker) deliver(thing int32) error {
	return w.deliverTo(w.destination(), thing)
}

// deliverTo goes to r, opens it and puts the thing there.
func (w *walker) deliverTo(r, thing int32) error {
	switch {
	case r < 0:
		return fmt.Errorf("%w: no receptacle of the destination's type stands anywhere", env.ErrNoPlan)
	case !w.at(r):
		return w.do(w.house.act.goTo, -1, r)
	case w.house.shut(w.state, r):
		return w.do(w.house.act.open, -1, r)
	}
	return w.do(w.house.act.put, thing, r)
}

// destination is the receptacle of the destination's type that holds most of the targets already (where one is not
// enough), then one that never need be opened, then the lowest: the choice does not change on the way.
func (w *walker) destination() int32 {
	best, most := int32(-1), -1
	for _, r := range w.house.receptacles {
		if !w.state.Has(w.house.pred.receptacleType, r, w.task.destination) {
			continue
		}
		n := 0
		if w.task.count > 1 {
			w.state.Match(w.house.pred.inReceptacle, []int32{-1, r}, func(f []int32) bool {
				if w.state.Has(w.house.pred.objectType, f[0], w.task.target) {
					n += 2
				}
				return true
			})
		}
		if !w.state.Has(w.house.pred.openable, r) {
			n++
		}
		if n > most {
			best, most = r, n
		}
	}
	return best
}

// putAway gets rid of a thing that is no target: here if possible, else in the first receptacle that takes it, the
// better ones before others.
func (w *walker) putAway(thing int32, better func(r int32) bool) error {
	if err := w.do(w.house.act.put, thing, -1); err == nil || w.meter.Err() != nil {
		return err
	}
	typ := first(w.state, w.house.pred.objectType, thing, -1)
	for _, want := range []bool{true, false} {
		for _, r := range w.house.receptacles {
			switch {
			case better(r) != want || !w.house.takes(w.state, r, typ):
			case !w.at(r):
				return w.do(w.house.act.goTo, -1, r)
			case w.house.shut(w.state, r):
				return w.do(w.house.act.open, -1, r)
			}
		}
	}
	return fmt.Errorf("%w: nowhere to put what is held, %s", env.ErrNoPlan, w.name(thing))
}

// source is a thing to fetch and where it is.
type source struct {
	thing, from int32
	rank        [2]int // smaller is better
}

// choose picks what to fetch: a target in a receptacle that is not of the destination's type, that need not be
// opened, the first by name of receptacle, then number. To be looked at under a lamp, that which takes the fewest
// commands comes first.
func (w *walker) choose() (source, bool) {
	best := source{thing: -1}
	finish := int32(-1) // where targets already are where they should be
	if w.task.count > 1 {
		finish = w.destination()
	}
	w.state.Match(w.house.pred.objectType, []int32{-1, w.task.target}, func(f []int32) bool {
		if !w.state.Has(w.house.pred.pickupable, f[0]) {
			return true
		}
		w.state.Match(w.house.pred.inReceptacle, []int32{f[0], -1}, func(in []int32) bool {
			s := source{thing: in[0], from: in[1]}
			if w.house.place[s.from] < 0 || finish >= 0 && w.state.Has(w.house.pred.inReceptacle, s.thing, finish) {
				return true // not to be reached, or where it should be, whatever else it is in
			}
			shut := w.house.shut(w.state, s.from)
			if w.task.destination >= 0 {
				s.rank = [2]int{btoi(w.state.Has(w.house.pred.receptacleType, s.from, w.task.destination)), btoi(shut)}
			} else {
				_, lit := w.lamp(w.house.place[s.from])
				walk := lit < 0 || w.house.place[lit] != w.house.place[s.from]
				s.rank = [2]int{btoi(shut) + btoi(walk), btoi(shut)}
			}
			if best.thing < 0 || w.better(s, best) {
				best = s
			}
			return true
		})
		return true
	})
	return best, best.thing >= 0
}

func (w *walker) better(a, b source) bool {
	n := &w.game.names
	return cmp.Or(
		cmp.Compare(a.rank[0], b.rank[0]), cmp.Compare(a.rank[1], b.rank[1]),
		cmp.Compare(n.base[a.from], n.base[b.from]),
		cmp.Compare(n.number[a.thing], n.number[b.thing]),
		cmp.Compare(n.number[a.from], n.number[b.from]),
	) < 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fetch makes one step towards having a target in hand.
func (w *walker) fetch() error {
	s, ok := w.choose()
	if !ok {
		return fmt.Errorf("%w: no thing of the goal's type can be fetched", env.ErrNoPlan)
	}
	if w.kind == env.Search {
		return w.search(s)
	}
	switch {
	case !w.at(s.from):
		return w.do(w.house.act.goTo, -1, s.from)
	case w.house.shut(w.state, s.from):
		return w.do(w.house.act.open, -1, s.from)
	}
	return w.do(w.house.act.take, s.thing, s.from)
}

// search makes one step of going through the receptacles of the source's kind in ascending number.
func (w *walker) search(s source) error {
	base := w.game.names.base[s.from]
	r := w.facing
	if r < 0 || w.game.names.base[r] != base {
		return w.visit(w.following(base, -1))
	}
	if w.house.shut(w.state, r) {
		return w.do(w.house.act.open, -1, r)
	}
	if o := w.seen(r); o >= 0 {
		return w.do(w.house.act.take, o, r)
	}
	return w.visit(w.following(base, w.game.names.number[r]))
}

// visit looks at r: by going there, or where that is not on offer by opening or examining it.
func (w *walker) visit(r int32) error {
	switch {
	case !w.at(r):
		return w.do(w.house.act.goTo, -1, r)
	case w.house.shut(w.state, r):
		return w.do(w.house.act.open, -1, r)
	}
	return w.do(w.house.act.examine, -1, r)
}

// following is the receptacle of a base with the next higher number than n, or the lowest.
func (w *walker) following(base string, n int) int32 {
	lowest := int32(-1)
	for _, r := range w.house.receptacles {
		if w.game.names.base[r] != base {
			continue
		}
		if lowest < 0 {
			lowest = r
		}
		if w.game.names.number[r] > n {
			return r
		}
	}
	return lowest
}

// seen is the lowest target in r that is worth taking, -1 for none.
func (w *walker) seen(r int32) int32 {
	best, finish := int32(-1), int32(-1)
	if w.task.count > 1 {
		finish = w.destination()
	}
	w.state.Match(w.house.pred.inReceptacle, []int32{-1, r}, func(f []int32) bool {
		o := f[0]
		if w.state.Has(w.house.pred.objectType, o, w.task.target) && w.state.Has(w.house.pred.pickupable, o) &&
			(finish < 0 || !w.state.Has(w.house.pred.inReceptacle, o, finish)) &&
			(best < 0 || w.game.names.number[o] < w.game.names.number[best]) {
			best = o
		}
		return true
	})
	return best
}
