package household

import (
	"fmt"
	"slices"
)

// chooseFurniture lists the receptacles of a scene: what always stands there, what happens to, and up to size what
// the room is filled with.
func chooseFurniture(d *dice, r *room, size int) []string {
	list := slices.Clone(r.standing)
	for _, i := range d.order(len(r.extra)) {
		if e := r.extra[i]; d.percent(e.percent) {
			list = append(list, slices.Repeat([]string{e.kind}, e.least+d.below(e.most-e.least+1))...)
		}
	}
	// A scene has its own leaning: cabinets here, drawers there.
	weights := make([]int, len(r.fill))
	for i, f := range r.fill {
		weights[i] = 1 + f.weight*d.below(10)
	}
	for len(list) < size {
		list = append(list, r.fill[d.weighted(weights)].kind)
	}
	return list
}

// group puts receptacles into groups, each reached from one place: shared groups of two or more, all others alone.
func group(d *dice, list []string, shared int) [][]string {
	groups := make([][]string, len(list))
	for at, i := range d.order(len(list)) {
		groups[at] = []string{list[i]}
	}
	for range shared {
		for _, host := range d.order(len(groups)) {
			guests := guestsOf(groups, host)
			if len(guests) == 0 {
				continue
			}
			more := 1
			for more < min(len(guests), 3) && d.percent(12) {
				more++
			}
			for _, g := range d.order(len(guests))[:more] {
				groups[host] = append(groups[host], groups[guests[g]][0])
				groups[guests[g]] = nil
			}
			break
		}
	}
	return slices.DeleteFunc(groups, func(g []string) bool { return len(g) == 0 })
}

// guestsOf returns the lone receptacles that can share the place of the lone receptacle host.
func guestsOf(groups [][]string, host int) []int {
	var guests []int
	for i, g := range groups {
		if i != host && len(g) == 1 && len(groups[host]) == 1 && neighbours(groups[host][0], g[0]) {
			guests = append(guests, i)
		}
	}
	return guests
}

// neighbours says whether two kinds of receptacles may be reached from one place.
func neighbours(host, guest string) bool {
	if host == guest {
		return host == "Cabinet" || host == "Drawer" || host == "Shelf" || host == "StoveBurner"
	}
	return slices.Contains(beside[host], guest)
}

// beside maps a kind of receptacle to others that are used from the same spot.
var beside = map[string][]string{
	"CounterTop": {"Toaster", "CoffeeMachine", "SinkBasin", "Cabinet", "Microwave"},
	"Toilet":     {"ToiletPaperHanger", "GarbageCan"},
	"TVStand":    {"Drawer", "GarbageCan"},
	"Dresser":    {"Drawer", "GarbageCan"},
	"SideTable":  {"Drawer", "Bed", "Sofa", "Safe"},
	"Desk":       {"Drawer", "GarbageCan", "Shelf"},
}

// heights of receptacles above the floor, in centimetres; kinds that come in several rows have several.
var heights = map[string][]int{
	"Cabinet": {45, 190}, "Drawer": {20, 45, 70}, "Shelf": {40, 90, 140}, "CounterTop": {92}, "Fridge": {5},
	"Microwave": {110}, "SinkBasin": {80}, "CoffeeMachine": {95}, "Toaster": {95}, "StoveBurner": {93},
	"DiningTable": {75}, "SideTable": {60}, "Desk": {72}, "Dresser": {85}, "TVStand": {50}, "CoffeeTable": {40},
	"TowelHolder": {120}, "HandTowelHolder": {130}, "ToiletPaperHanger": {65}, "Safe": {30},
}

// margin keeps coordinates positive, in centimetres.
const margin = 60

// stand puts the groups along the walls of a square room and names receptacles and locations.
func (s *scene) stand(d *dice, groups [][]string) {
	s.side = max(6, (len(groups)+3)/4)
	s.start = s.inside(d)
	for g, group := range groups {
		x, z, wall := alongWall(g*4*s.side/len(groups), s.side)
		tilt := 0
		for _, kind := range group {
			row := heights[kind]
			y := 0
			if len(row) > 0 {
				y = row[d.below(len(row))]
			}
			tilt = max(0, 60-y/2)
			// Quarter metres to centimetres, off the wall line by up to 20 cm each way.
			r := receptacle{kind: kind, place: g, x: margin + 25*x + d.below(41) - 20, y: y, z: margin + 25*z + d.below(41) - 20}
			r.id = s.name(kind, &r.x, &r.y, &r.z)
			s.kinds[kind] = append(s.kinds[kind], len(s.receptacles))
			s.receptacles = append(s.receptacles, r)
		}
		s.places = append(s.places, location(x, z, wall, tilt))
	}
}

// alongWall returns where step p of the 4·side steps around a square room is, and which wall it faces.
func alongWall(p, side int) (x, z, wall int) {
	q := p % side
	switch p / side {
	case 0:
		return q, 0, 2
	case 1:
		return side, q, 1
	case 2:
		return side - q, side, 0
	default:
		return 0, side - q, 3
	}
}

// inside returns a location that is at no wall.
func (s *scene) inside(d *dice) string {
	return location(1+d.below(s.side-1), 1+d.below(s.side-1), d.below(4), 15*d.below(3))
}

// fix adds one fixture, on a receptacle where it belongs on one.
func (s *scene) fix(d *dice, f fixture) {
	o := object{kind: f.kind, receptacle: -1}
	x, y, z := margin+d.below(25*s.side), 100+d.below(80), margin+d.below(25*s.side)
	if f.on == nil {
		o.location = s.inside(d)
	} else {
		var on []int
		for _, kind := range f.on {
			on = append(on, s.kinds[kind]...)
		}
		if len(on) == 0 {
			return
		}
		o.receptacle = on[d.below(len(on))]
		r := s.receptacles[o.receptacle]
		o.location = s.places[r.place]
		x, y, z = r.x, r.y+10, r.z
	}
	o.id = s.name(f.kind, &x, &y, &z)
	s.fixtures = append(s.fixtures, o)
}

// name makes an id of a kind and a point, and moves the point until no other has it.
func (s *scene) name(kind string, x, y, z *int) string {
	for {
		id := identifier(kind, *x, *y, *z)
		if !s.used[id] {
			s.used[id] = true
			return id
		}
		*z++
	}
}

// identifier is the id of an object at a point in centimetres, in the form that ALFWorld's names are made from:
// the kind before the first _bar_, and basin from the last part of a sink's or bathtub's basin.
func identifier(kind string, x, y, z int) string {
	base, tail := kind, ""
	switch kind {
	case "SinkBasin":
		base, tail = "Sink", "_bar_SinkBasin"
	case "BathtubBasin":
		base, tail = "Bathtub", "_bar_BathtubBasin"
	}
	return fmt.Sprintf("%s_bar_%03d_%03d_%03d%s", base, x, y, z, tail)
}

// location is the id of a place to stand: quarter metres, the wall faced (0 to 3) and the head's tilt in degrees.
func location(x, z, wall, tilt int) string {
	return fmt.Sprintf("loc_bar_%02d_%02d_%d_%02d", x, z, wall, tilt)
}
