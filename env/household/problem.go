package household

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// tools are the kinds that the rules name, which every problem must declare.
var tools = []string{"ButterKnife", "Knife"}

// file is a game.tw-pddl file around the problem's text.
func (g *laid) file(id, problem string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // the file is for people too
	err := enc.Encode(struct {
		Domain      string   `json:"pddl_domain"`
		Problem     string   `json:"pddl_problem"`
		Grammar     string   `json:"grammar"`
		Solvable    bool     `json:"solvable"`
		Walkthrough []string `json:"walkthrough"`
	}{g.domain, problem, g.before + g.sentence(g.wordings, g.wording) + g.after, true, nil})
	if err != nil {
		return nil, fmt.Errorf("household: writing game %s: %w", id, err)
	}
	return out.Bytes(), nil
}

// problem is the game's PDDL problem, its lines sorted within each kind of fact.
func (g *laid) problem(id string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "(define (problem %s)\n(:domain %s)\n(:objects\nagent1 - agent\n", strings.ToLower(strings.ReplaceAll(id, "/", ".")), g.name)
	g.declare(&out)
	out.WriteString(")\n(:init\n")
	fmt.Fprintf(&out, "(atLocation agent1 %s)\n", g.scene.start)
	for _, line := range g.facts() {
		out.WriteString(line)
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, ")\n(:goal %s)\n)\n", g.goal())
	return out.String()
}

func (g *laid) declare(out *strings.Builder) {
	list := func(kind string, names []string) {
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			out.WriteString(name)
			out.WriteString(" - ")
			out.WriteString(kind)
			out.WriteByte('\n')
		}
	}
	var ids, receptacles []string
	locations := append([]string{g.scene.start}, g.scene.places...)
	otypes := []string{tools[0] + "Type", tools[1] + "Type"}
	rtypes := []string{"FridgeType", "MicrowaveType", "SinkBasinType"}
	for _, r := range g.scene.receptacles {
		receptacles, rtypes = append(receptacles, r.id), append(rtypes, r.kind+"Type")
	}
	for _, o := range g.objects() {
		ids, otypes, locations = append(ids, o.id), append(otypes, o.kind+"Type"), append(locations, o.location)
	}
	list("otype", otypes)
	list("rtype", rtypes)
	list("object", ids)
	list("receptacle", receptacles)
	list("location", locations)
}

// objects are the fixtures and the things.
func (g *laid) objects() []object { return append(slices.Clone(g.scene.fixtures), g.things...) }

func (g *laid) facts() []string {
	var lines []string
	fact := func(parts ...string) { lines = append(lines, "("+strings.Join(parts, " ")+")") }
	for _, r := range g.scene.receptacles {
		fact("receptacleType", r.id, r.kind+"Type")
		fact("receptacleAtLocation", r.id, g.scene.places[r.place])
		if openable[r.kind] {
			fact("openable", r.id)
		}
	}
	for _, o := range g.objects() {
		fact("objectType", o.id, o.kind+"Type")
		fact("objectAtLocation", o.id, o.location)
		if o.receptacle >= 0 {
			fact("inReceptacle", o.id, g.scene.receptacles[o.receptacle].id)
		}
		if toggleable[o.kind] {
			fact("toggleable", o.id)
		}
	}
	found := map[string]bool{}
	for _, o := range g.things {
		found[o.kind] = true
		fact("pickupable", o.id)
		for _, can := range []struct {
			name string
			able map[string]bool
		}{{"cleanable", cleanable}, {"coolable", coolable}, {"heatable", heatable}, {"sliceable", sliceable}} {
			if can.able[o.kind] {
				fact(can.name, o.id)
			}
		}
		if g.vessels[o.kind] {
			fact("isReceptacleObject", o.id)
		}
		if coolable[o.kind] && g.scene.receptacles[o.receptacle].kind == "Fridge" {
			fact("isCool", o.id)
		}
	}
	for _, t := range g.scene.things {
		for kind := range t.where {
			if found[t.kind] && len(g.scene.kinds[kind]) > 0 {
				fact("canContain", kind+"Type", t.kind+"Type")
			}
		}
	}
	slices.Sort(lines)
	return lines
}
