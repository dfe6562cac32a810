package alfworld

import (
	"cmp"
	"slices"

	"github.com/hone-rl/hone/env/pddl"
)

// house is what the experts understand of a game: ALFWorld's predicates and actions by name, and what of them never
// changes.
type house struct {
	names *names
	pred  struct {
		inReceptacle, objectType, receptacleType, receptacleAt, agentAt int
		openable, opened, holds, pickupable, toggled                    int
		canContain                                                      int // -1 if the domain has none
	}
	act struct {
		goTo, open, take, put, examine, toggle int
	}
	ok          bool    // all of the above are there
	place       []int32 // of a receptacle, by object; -1
	receptacles []int32 // all that stand at a place, by base and number
	recArg      []int   // by action: its first parameter of type receptacle, -1
	objArg      []int   // by action: its first parameter of type object, -1
}

func newHouse(g *Game) *house {
	d := g.problem.Domain
	h := &house{names: &g.names, ok: true}
	for _, p := range []struct {
		at    *int
		name  string
		arity int
	}{
		{&h.pred.inReceptacle, "inreceptacle", 2},
		{&h.pred.objectType, "objecttype", 2},
		{&h.pred.receptacleType, "receptacletype", 2},
		{&h.pred.receptacleAt, "receptacleatlocation", 2},
		{&h.pred.agentAt, "atlocation", 2},
		{&h.pred.openable, "openable", 1},
		{&h.pred.opened, "opened", 1},
		{&h.pred.holds, "holds", 2},
		{&h.pred.pickupable, "pickupable", 1},
		{&h.pred.toggled, "istoggled", 1},
	} {
		if *p.at = d.Predicate(p.name); *p.at >= 0 && d.Predicates[*p.at].Arity() != p.arity {
			*p.at = -1 // another one of that name
		}
		h.ok = h.ok && *p.at >= 0
	}
	if h.pred.canContain = d.Predicate("cancontain"); h.pred.canContain >= 0 && d.Predicates[h.pred.canContain].Arity() != 2 {
		h.pred.canContain = -1
	}
	for _, a := range []struct {
		at   *int
		name string
	}{
		{&h.act.goTo, "gotolocation"},
		{&h.act.open, "openobject"},
		{&h.act.take, "pickupobject"},
		{&h.act.put, "putobject"},
		{&h.act.examine, "examinereceptacle"},
		{&h.act.toggle, "toggleobject"},
	} {
		*a.at = d.Action(a.name)
		h.ok = h.ok && *a.at >= 0
	}
	receptacle, object := d.Type("receptacle"), d.Type("object")
	for _, a := range d.Actions {
		h.recArg = append(h.recArg, slices.IndexFunc(a.Params, func(p pddl.Param) bool { return p.Type == receptacle }))
		h.objArg = append(h.objArg, slices.IndexFunc(a.Params, func(p pddl.Param) bool { return p.Type == object }))
	}
	h.place = make([]int32, g.problem.Objects())
	for i := range h.place {
		h.place[i] = -1
	}
	if h.pred.receptacleAt >= 0 && d.Predicates[h.pred.receptacleAt].Arity() == 2 {
		g.problem.Start().Match(h.pred.receptacleAt, []int32{-1, -1}, func(f []int32) bool {
			if h.place[f[0]] < 0 {
				h.receptacles = append(h.receptacles, f[0])
			}
			h.place[f[0]] = f[1]
			return true
		})
	}
	slices.SortFunc(h.receptacles, h.byNumber)
	return h
}

// byNumber orders by base, then number.
func (h *house) byNumber(a, b int32) int {
	return cmp.Or(cmp.Compare(h.names.base[a], h.names.base[b]), cmp.Compare(h.names.number[a], h.names.number[b]))
}

// facing is what the player faces after op, having faced before.
func (h *house) facing(s *pddl.State, op pddl.Operator, before int32) int32 {
	r := before
	if k := h.recArg[op.Action]; k >= 0 {
		r = op.Args[k]
	}
	if r >= 0 && h.place[r] == h.here(s) {
		return r
	}
	return -1
}

// first is the last argument of the first fact of pred with the given leading arguments, -1 if there is none.
func first(s *pddl.State, pred int, want ...int32) int32 {
	found := int32(-1)
	s.Match(pred, want, func(f []int32) bool {
		found = f[len(f)-1]
		return false
	})
	return found
}

// here is the agent's place, -1 if unknown.
func (h *house) here(s *pddl.State) int32 {
	if h.pred.agentAt < 0 {
		return -1
	}
	return first(s, h.pred.agentAt, -1, -1)
}

// held is the thing in the agent's hands, -1 if they are empty.
func (h *house) held(s *pddl.State) int32 { return first(s, h.pred.holds, -1, -1) }

// shut reports whether r must be opened before things in it can be seen or reached.
func (h *house) shut(s *pddl.State, r int32) bool {
	return s.Has(h.pred.openable, r) && !s.Has(h.pred.opened, r)
}

// takes reports whether r is of a kind that can hold things of a type.
func (h *house) takes(s *pddl.State, r, typ int32) bool {
	if h.pred.canContain < 0 {
		return true
	}
	takes := false
	s.Match(h.pred.receptacleType, []int32{r, -1}, func(f []int32) bool {
		takes = s.Has(h.pred.canContain, f[1], typ)
		return !takes
	})
	return takes
}
