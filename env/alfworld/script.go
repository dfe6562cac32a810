package alfworld

import (
	"cmp"
	"context"
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
func (e *Episode) script(ctx context.Context, kind env.PlanKind) ([]string, error) {
	w := &walker{Episode: e.clone(), house: e.game.house, task: &e.game.task, kind: kind, meter: pddl.NewMeter(ctx, e.limits.Work)}
	w.teller.meter = w.meter
	if w.task.target < 0 {
		return nil, fmt.Errorf("%w: the goal is of no known family", env.ErrNoPlan)
	}
	for !w.state.Won(w.meter) {
		if err := w.meter.Err(); err != nil {
			return nil, err
		}
		if len(w.plan) > maxScript {
			return nil, fmt.Errorf("%w: the script does not end", env.ErrNoPlan)
		}
		if err := w.next(); err != nil {
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
		return w.putAway(thing)
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
		text, err := w.teller.tell(wording.template, wording.slots, op.Args)
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

// shine goes to where the lowest lamp stands and turns it on.
func (w *walker) shine() error {
	for _, lamp := range w.task.devices {
		r := first2(w.state, w.house.pred.inReceptacle, lamp)
		if r < 0 || w.house.place[r] < 0 {
			continue
		}
		if !w.at(r) {
			return w.do(w.house.act.goTo, -1, r)
		}
		return w.do(w.task.treat, lamp, r)
	}
	return fmt.Errorf("%w: no lamp stands in a receptacle", env.ErrNoPlan)
}

func first2(s *pddl.State, pred int, a int32) int32 { return first(s, pred, a, -1) }

// deliver goes to the destination, opens it and puts the thing there.
func (w *walker) deliver(thing int32) error {
	r := w.destination()
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

// destination is the receptacle of the destination's type that holds most of the targets already, the lowest one
// of several.
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
					n++
				}
				return true
			})
		}
		if n > most {
			best, most = r, n
		}
	}
	return best
}

// putAway gets rid of a thing that is no target: into the first receptacle that takes it, here if possible.
func (w *walker) putAway(thing int32) error {
	if err := w.do(w.house.act.put, thing, -1); err == nil || w.meter.Err() != nil {
		return err
	}
	for _, r := range w.house.receptacles {
		if !w.at(r) && !w.house.shut(w.state, r) {
			return w.do(w.house.act.goTo, -1, r)
		}
	}
	return fmt.Errorf("%w: nowhere to put what is held", env.ErrNoPlan)
}

// source is a thing to fetch and where it is.
type source struct {
	thing, from int32
}

// choose picks what to fetch: a target that is not in a receptacle of the destination's type, whose receptacle
// need not be opened, lowest number first.
func (w *walker) choose() (source, bool) {
	best := source{-1, -1}
	var key [4]int
	w.state.Match(w.house.pred.objectType, []int32{-1, w.task.target}, func(f []int32) bool {
		o := f[0]
		if !w.state.Has(w.house.pred.pickupable, o) {
			return true
		}
		there := w.delivered(o)
		w.state.Match(w.house.pred.inReceptacle, []int32{o, -1}, func(in []int32) bool {
			r := in[1]
			if w.house.place[r] < 0 {
				return true
			}
			k := [4]int{btoi(there), btoi(w.house.shut(w.state, r)), w.game.names.number[o], w.game.names.number[r]}
			if best.thing < 0 || compare4(k, key) < 0 {
				best, key = source{o, r}, k
			}
			return true
		})
		return true
	})
	return best, best.thing >= 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compare4(a, b [4]int) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]), cmp.Compare(a[3], b[3]))
}

// delivered reports whether a thing is in a receptacle of the destination's type.
func (w *walker) delivered(o int32) bool {
	if w.task.destination < 0 {
		return false
	}
	is := false
	w.state.Match(w.house.pred.inReceptacle, []int32{o, -1}, func(in []int32) bool {
		is = w.state.Has(w.house.pred.receptacleType, in[1], w.task.destination)
		return !is
	})
	return is
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
	best := int32(-1)
	w.state.Match(w.house.pred.inReceptacle, []int32{-1, r}, func(f []int32) bool {
		o := f[0]
		if w.state.Has(w.house.pred.objectType, o, w.task.target) && w.state.Has(w.house.pred.pickupable, o) &&
			(best < 0 || w.game.names.number[o] < w.game.names.number[best]) {
			best = o
		}
		return true
	})
	return best
}
