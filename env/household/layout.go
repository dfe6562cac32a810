package household

import "slices"

// laid is a game laid out: a task and where everything is.
type laid struct {
	task
	*language
	wording int
	things  []object
}

// layOut lays the things of a game out for a task, so that it can be done and is not done yet. False means that
// this draw did not fit the scene.
func layOut(d *dice, t task, l *language) (*laid, bool) {
	g := &laid{task: t, language: l, wording: d.below(2)}
	p := &placing{dice: d, scene: t.scene, used: map[string]bool{}, load: make([]int, len(t.scene.receptacles))}
	for _, f := range t.scene.fixtures {
		if f.receptacle >= 0 {
			p.load[f.receptacle]++
		}
	}
	wanted := 1 + d.weighted([]int{33, 33, 22, 12})
	if t.family == "pick_two_obj_and_place" {
		wanted = 2 + d.weighted([]int{50, 30, 20})
	}
	var sources []int
	for range wanted {
		o, ok := p.put(t.target, func(kind string, i int) bool { return t.source(kind) && !slices.Contains(sources, i) })
		if !ok && len(g.things) < t.needed() {
			return nil, false
		}
		if ok {
			g.things = append(g.things, o)
			if t.family == "pick_two_obj_and_place" {
				sources = append(sources, o.receptacle)
			}
		}
	}
	away := func(o object) bool { return t.scene.receptacles[o.receptacle].kind != t.destination }
	if !slices.ContainsFunc(g.things, away) {
		return nil, false
	}
	for _, other := range p.others(t, t.scene.room.load.at(d.unit())-len(g.things)) {
		if o, ok := p.put(other, func(string, int) bool { return true }); ok {
			g.things = append(g.things, o)
		}
	}
	return g, true
}

// needed is how many things the task handles.
func (t task) needed() int {
	if t.family == "pick_two_obj_and_place" {
		return 2
	}
	return 1
}

// source says whether a target may lie on a kind of receptacle: not where the task would be done from the start, and
// not at the appliance it is to be brought to. Things to be washed, heated or cooled may lie at the destination
// already, as they are.
func (t task) source(kind string) bool {
	if appliance[t.family] != "" {
		return kind != appliance[t.family]
	}
	return kind != t.destination
}

// placing puts things on the receptacles of a scene.
type placing struct {
	*dice
	scene *scene
	used  map[string]bool // ids of this game's things
	load  []int           // things on each receptacle
}

// others lists n further things: one of each kind that lives in the scene, and more of the same at random.
func (p *placing) others(t task, n int) []thing {
	const most = 3 // of a kind
	var kinds, list []thing
	for _, other := range p.scene.things {
		if other.kind != t.target.kind {
			kinds = append(kinds, other)
		}
	}
	list = append(list, kinds...)
	count := make([]int, len(kinds))
	for len(list) < n && len(list) < most*len(kinds) {
		if i := p.below(len(kinds)); count[i] < most-1 {
			count[i]++
			list = append(list, kinds[i])
		}
	}
	return list
}

// put finds a place for one thing among the receptacles that fit: first the kind by its weight, then one of them.
func (p *placing) put(t thing, fits func(kind string, receptacle int) bool) (object, bool) {
	var free [][]int
	var weights []int
	for _, kind := range p.scene.spots(t, "") {
		var list []int
		for _, i := range p.scene.kinds[kind] {
			most, bounded := capacity[kind]
			if (!bounded || p.load[i] < most) && fits(kind, i) {
				list = append(list, i)
			}
		}
		if len(list) > 0 {
			free, weights = append(free, list), append(weights, t.where[kind])
		}
	}
	if len(free) == 0 {
		return object{}, false
	}
	among := free[p.weighted(weights)]
	at := among[p.below(len(among))]
	p.load[at]++
	r := p.scene.receptacles[at]
	o := object{kind: t.kind, receptacle: at, location: p.scene.places[r.place]}
	for o.id == "" || p.used[o.id] || p.scene.used[o.id] {
		o.id = identifier(t.kind, r.x+p.below(61)-30, r.y+5+p.below(10), r.z+p.below(61)-30)
	}
	p.used[o.id] = true
	return o, true
}
