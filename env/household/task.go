package household

import (
	"fmt"
	"slices"
	"strings"
)

// task is what a game asks for, in a scene.
type task struct {
	scene       *scene
	family      string
	target      thing
	destination string // kind of receptacle, "" for the look family
	lamp        string // kind of lamp, the look family only
}

// tell is the task for those outside.
func (t task) tell() Task {
	return Task{
		Target: t.target.kind, Destination: t.destination, Lamp: t.lamp, Scene: t.scene.number,
		Sentences: [2]string{t.sentence(ourWordings, 0), t.sentence(ourWordings, 1)},
	}
}

// end is what the task is named after besides its target.
func (t task) end() string { return t.destination + t.lamp }

// usual says how often a family is played in which kind of room, in the order of rooms; like ALFWorld's train.
var usual = map[string][]int{
	"pick_and_place_simple":          {79, 210, 237, 264},
	"look_at_obj_in_light":           {0, 51, 257, 0},
	"pick_clean_then_place_in_recep": {501, 0, 0, 149},
	"pick_heat_then_place_in_recep":  {1, 0, 0, 0},
	"pick_cool_then_place_in_recep":  {1, 0, 0, 0},
	"pick_two_obj_and_place":         {124, 216, 240, 233},
}

// drawTask draws a task of the family in a scene of the split. Every task of a known scene belongs either to train
// or to valid_seen, by its name alone, so that these two never ask for the same in the same scene.
func (m *maker) drawTask(d *dice, split, family string) (task, bool) {
	list := m.scenes.of(split)[d.weighted(usual[family])]
	s := list[d.below(len(list))]
	targets := s.targets(family)
	if len(targets) == 0 {
		return task{}, false
	}
	t := task{scene: s, family: family, target: targets[d.below(len(targets))]}
	if family == "look_at_obj_in_light" {
		t.lamp = "DeskLamp"
	} else {
		ends := s.destinations(family, t.target)
		weights := make([]int, len(ends))
		for i, kind := range ends {
			weights[i] = 1 + t.target.where[kind] // people ask for usual places more often
		}
		t.destination = ends[d.weighted(weights)]
	}
	seen := newDice("side", m.seed, family, t.target.kind, t.end(), s.number).below(9) == 0
	return t, split == ValidUnseen || seen == (split == ValidSeen)
}

// targets are the kinds of things of a scene that a family can be played with.
func (s *scene) targets(family string) []thing {
	if family == "look_at_obj_in_light" {
		lamp := slices.ContainsFunc(s.fixtures, func(o object) bool { return o.kind == "DeskLamp" })
		if !lamp {
			return nil
		}
	}
	able := map[string]map[string]bool{
		"pick_clean_then_place_in_recep": cleanable, "pick_heat_then_place_in_recep": heatable, "pick_cool_then_place_in_recep": coolable,
	}[family]
	var list []thing
	for _, t := range s.things {
		if able != nil && !able[t.kind] {
			continue
		}
		if len(s.spots(t, "")) == 0 || family != "look_at_obj_in_light" && len(s.destinations(family, t)) == 0 {
			continue
		}
		list = append(list, t)
	}
	return list
}

// destinations are the kinds of receptacles of a scene that a family can ask a thing to be brought to, sorted.
func (s *scene) destinations(family string, t thing) []string {
	var list []string
	for kind := range t.where {
		switch {
		case len(s.kinds[kind]) == 0,
			kind == appliance[family],
			len(s.spots(t, kind)) == 0:
		default:
			list = append(list, kind)
		}
	}
	slices.Sort(list)
	return list
}

// spots are the kinds of receptacles of a scene, sorted, where a thing may be found, without one of them.
func (s *scene) spots(t thing, without string) []string {
	var list []string
	for kind, weight := range t.where {
		if weight > 0 && kind != without && len(s.kinds[kind]) > 0 {
			list = append(list, kind)
		}
	}
	slices.Sort(list)
	return list
}

// appliance is the kind of receptacle that a family needs on the way.
var appliance = map[string]string{
	"pick_clean_then_place_in_recep": "SinkBasin",
	"pick_heat_then_place_in_recep":  "Microwave",
	"pick_cool_then_place_in_recep":  "Fridge",
}

// sentence words the task, without a full stop.
func (t task) sentence(wordings map[string][2]string, wording int) string {
	name := strings.ToLower(t.target.kind)
	article := "a "
	if strings.ContainsRune("aeiou", rune(name[0])) {
		article = "an "
	}
	words := strings.Fields(wordings[t.family][wording])
	for i, word := range words {
		switch word {
		case "O":
			words[i] = article + name
		case "o":
			words[i] = name
		case "R":
			words[i] = strings.ToLower(t.end())
		}
	}
	return strings.Join(words, " ")
}

// goal is the formula of the task, in the shape by which ALFWorld's families are told apart.
func (t task) goal() string {
	switch t.family {
	case "look_at_obj_in_light":
		return fmt.Sprintf(`(and
  (exists (?ot - object ?r - receptacle ?a - agent ?l - location)
    (and (objectType ?ot %sType) (toggleable ?ot) (isToggled ?ot)
         (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)))
  (exists (?o - object ?a - agent)
    (and (objectType ?o %sType) (holds ?a ?o))))`, t.lamp, t.target.kind)
	case "pick_two_obj_and_place":
		return fmt.Sprintf(`(and
  (exists (?r - receptacle)
    (exists (?o1 - object)
      (and (objectType ?o1 %[1]sType) (receptacleType ?r %[2]sType) (inReceptacle ?o1 ?r)
        (exists (?o2 - object)
          (and (not (= ?o1 ?o2))
               (objectType ?o2 %[1]sType) (receptacleType ?r %[2]sType) (inReceptacle ?o2 ?r)))))))`, t.target.kind, t.destination)
	}
	made := map[string]string{
		"pick_clean_then_place_in_recep": "(cleanable ?o) (isClean ?o) ",
		"pick_heat_then_place_in_recep":  "(heatable ?o) (isHot ?o) ",
		"pick_cool_then_place_in_recep":  "(coolable ?o) (isCool ?o) ",
	}[t.family]
	return fmt.Sprintf(`(and
  (exists (?r - receptacle)
    (exists (?o - object)
      (and %s(objectType ?o %sType) (receptacleType ?r %sType) (inReceptacle ?o ?r)))))`, made, t.target.kind, t.destination)
}
