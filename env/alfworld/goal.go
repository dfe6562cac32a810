package alfworld

import (
	"context"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// The task families, spelled as ALFWorld spells them.
const (
	FamilyPick  = "pick_and_place_simple"
	FamilyLook  = "look_at_obj_in_light"
	FamilyClean = "pick_clean_then_place_in_recep"
	FamilyHeat  = "pick_heat_then_place_in_recep"
	FamilyCool  = "pick_cool_then_place_in_recep"
	FamilyTwo   = "pick_two_obj_and_place"
	FamilyOther = "other"
)

// treatment is something done to a thing before it is put down.
type treatment struct {
	predicate, action, family string
}

var treatments = []treatment{
	{"isclean", "cleanobject", FamilyClean},
	{"ishot", "heatobject", FamilyHeat},
	{"iscool", "coolobject", FamilyCool},
}

// task is the goal as the experts understand it.
type task struct {
	target      int32 // type, -1 if the goal was not understood
	count       int
	destination int32   // type, -1 for none
	treated     int     // predicate that must hold of the target, -1 for none
	treat       int     // action that brings it about
	devices     []int32 // receptacles where that can be done, or lamps, by base and number
}

// understand reads family and goal out of the problem's goal.
func (g *Game) understand() {
	g.house = newHouse(g)
	g.family, g.task = FamilyOther, task{target: -1, destination: -1, treated: -1, treat: -1}
	g.goal.Text = g.sentence()
	atoms, conjunction := g.problem.Goal()
	if g.house.ok && conjunction {
		if !g.readLook(atoms) {
			g.readPlace(atoms)
		}
	}
	g.goal.Family = g.family
}

// sentence is the task sentence without what stands before it and the full stop.
func (g *Game) sentence() string {
	// One sentence is bounded by itself, so no caller's context is needed.
	t := teller{game: g, state: g.problem.Start(), meter: pddl.NewMeter(context.Background(), maxSentence)}
	text, err := t.tell([]part{{symbol: g.grammar.existing("task")}}, nil, nil)
	if err != nil {
		return "" // a grammar need not have the symbol
	}
	if _, after, ok := strings.Cut(text, ": "); ok {
		text = after
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}

// typeOf is the object that atoms say is the type of variable v by predicate pred, -1 if they do not.
func (g *Game) typeOf(atoms []pddl.Literal, pred, v int) int32 {
	for _, a := range atoms {
		if a.Pred == pred && !a.Neg && a.Args[0].Var == v && a.Args[1].Var < 0 {
			return g.problem.Object(a.Args[1].ID)
		}
	}
	return -1
}

// of lists the things that have type t by predicate pred, by base and number.
func (g *Game) of(pred int, t int32) []int32 {
	var list []int32
	g.problem.Start().Match(pred, []int32{-1, t}, func(f []int32) bool {
		list = append(list, f[0])
		return true
	})
	slices.SortFunc(list, g.house.byNumber)
	return list
}

// spelled is a type as the player reads it: the name of its things without their number.
func (g *Game) spelled(pred int, t int32) string {
	if things := g.of(pred, t); len(things) > 0 && g.names.base[things[0]] != "" {
		return g.names.base[things[0]]
	}
	return strings.TrimSuffix(g.problem.ID(t), "type")
}

// readLook understands "something of a type is held where a lamp of a type has been turned on".
func (g *Game) readLook(atoms []pddl.Literal) bool {
	h := g.house
	lamp, thing := -1, -1
	for _, a := range atoms {
		switch a.Pred {
		case h.pred.toggled:
			lamp = a.Args[0].Var
		case h.pred.holds:
			thing = a.Args[1].Var
		}
	}
	if lamp < 0 || thing < 0 {
		return false
	}
	lampType, thingType := g.typeOf(atoms, h.pred.objectType, lamp), g.typeOf(atoms, h.pred.objectType, thing)
	if lampType < 0 || thingType < 0 {
		return false
	}
	g.family = FamilyLook
	g.task.target, g.task.count = thingType, 1
	g.task.treat = h.act.toggle
	g.task.devices = g.of(h.pred.objectType, lampType)
	g.goal = env.Goal{
		Text: g.goal.Text, Count: 1, Target: g.spelled(h.pred.objectType, thingType),
		Device: g.spelled(h.pred.objectType, lampType),
	}
	return true
}

// readPlace understands "one or two things of a type, treated or not, are in one receptacle of a type".
func (g *Game) readPlace(atoms []pddl.Literal) {
	h := g.house
	var things []int
	where := -1
	var done *treatment
	for _, a := range atoms {
		if a.Pred == h.pred.inReceptacle && !a.Neg {
			if a.Args[0].Var < 0 || where >= 0 && a.Args[1].Var != where {
				return
			}
			where = a.Args[1].Var
			if !slices.Contains(things, a.Args[0].Var) {
				things = append(things, a.Args[0].Var)
			}
		}
		for i := range treatments {
			if g.problem.Domain.Predicates[a.Pred].Name == treatments[i].predicate && !a.Neg {
				if done != nil && done != &treatments[i] {
					return
				}
				done = &treatments[i]
			}
		}
	}
	if where < 0 || len(things) > 2 || len(things) == 2 && done != nil {
		return
	}
	target, destination := g.typeOf(atoms, h.pred.objectType, things[0]), g.typeOf(atoms, h.pred.receptacleType, where)
	if target < 0 || destination < 0 || len(things) == 2 && g.typeOf(atoms, h.pred.objectType, things[1]) != target {
		return
	}
	goal := env.Goal{
		Text: g.goal.Text, Count: len(things), Target: g.spelled(h.pred.objectType, target),
		Destination: g.spelled(h.pred.receptacleType, destination),
	}
	family := FamilyPick
	if len(things) == 2 {
		family = FamilyTwo
	}
	t := task{target: target, count: len(things), destination: destination, treated: -1, treat: -1}
	if done != nil {
		family = done.family
		t.treated, t.treat = g.problem.Domain.Predicate(done.predicate), g.problem.Domain.Action(done.action)
		if t.treat < 0 || g.problem.Domain.Predicates[t.treated].Arity() != 1 {
			return
		}
		for _, a := range g.problem.Domain.Actions[t.treat].Condition() {
			if a.Pred == h.pred.receptacleType && !a.Neg && a.Args[1].Var < 0 {
				if kind := g.problem.Object(a.Args[1].ID); kind >= 0 {
					t.devices = append(t.devices, g.of(h.pred.receptacleType, kind)...)
				}
			}
		}
		slices.SortFunc(t.devices, h.byNumber)
		if len(t.devices) == 0 {
			return
		}
		goal.Device = g.names.base[t.devices[0]]
	}
	g.family, g.task, g.goal = family, t, goal
}
