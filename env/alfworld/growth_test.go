package alfworld_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

var (
	grownReceptacles = []string{"CounterTop", "Cabinet", "Drawer", "Fridge", "Microwave", "SinkBasin", "Shelf"}
	grownThings      = []string{"Apple", "Mug", "Pen", "Knife", "ButterKnife", "Book", "DeskLamp"}
)

// grownProblem is a house of about the given number of objects under ALFWorld's rules: a receptacle at each place,
// every third one to be opened, with two things in it.
func grownProblem(objects int) string {
	var declared, facts strings.Builder
	fact := func(format string, args ...any) { fmt.Fprintf(&facts, "("+format+")\n", args...) }
	kinds := len(grownReceptacles) + len(grownThings)
	for _, k := range grownReceptacles {
		fmt.Fprintf(&declared, "%sType - rtype\n", k)
	}
	for _, k := range grownThings {
		fmt.Fprintf(&declared, "%sType - otype\n", k)
		fact("canContain CounterTopType %sType", k)
		fact("canContain ShelfType %sType", k)
		fact("canContain DrawerType %sType", k)
	}
	fmt.Fprintf(&declared, "agent1 - agent\nloc_bar_start - location\n")
	fact("atLocation agent1 loc_bar_start")
	for r := range max(len(grownReceptacles), (objects-kinds-2)/4) {
		kind := grownReceptacles[r%len(grownReceptacles)]
		id, place := fmt.Sprintf("%s_bar_%d", kind, r), fmt.Sprintf("loc_bar_%d", r)
		fmt.Fprintf(&declared, "%s - receptacle\n%s - location\n", id, place)
		fact("receptacleType %s %sType", id, kind)
		fact("receptacleAtLocation %s %s", id, place)
		if r%3 == 1 {
			fact("openable %s", id)
		}
		for t := 2 * r; t < 2*r+2; t++ {
			kind := grownThings[t%len(grownThings)]
			thing := fmt.Sprintf("%s_bar_%d", kind, t)
			fmt.Fprintf(&declared, "%s - object\n", thing)
			for _, f := range []string{"pickupable %s", "cleanable %s", "heatable %s", "coolable %s", "objectType %s " + kind + "Type"} {
				fact(f, thing)
			}
			fact("inReceptacle %s %s", thing, id)
			fact("objectAtLocation %s %s", thing, place)
		}
	}
	return "(define (problem grown) (:domain alfred)\n(:objects " + declared.String() + ")\n(:init " + facts.String() +
		")\n(:goal (exists (?r - receptacle ?o - object) (and (objectType ?o PenType) (receptacleType ?r FridgeType) (inReceptacle ?o ?r) (isHot ?o)))))"
}

// grownFile is a game file of that problem in the household's language.
func grownFile(t testing.TB, objects int) []byte {
	t.Helper()
	for game, err := range household.Generate(household.Config{Train: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(game.Data, &file); err != nil {
			t.Fatal(err)
		}
		file["pddl_problem"] = grownProblem(objects)
		var data bytes.Buffer
		enc := json.NewEncoder(&data)
		enc.SetEscapeHTML(false) // as game files are written
		if err := enc.Encode(file); err != nil {
			t.Fatal(err)
		}
		return data.Bytes()
	}
	t.Fatal("no game")
	return nil
}

// BenchmarkGrowth loads, opens and walks houses of growing size. A walk goes to a place, opens it or takes what is
// there, and so on; its commands follow from what is on offer.
func BenchmarkGrowth(b *testing.B) {
	for _, objects := range []int{50, 100, 500, 2000} {
		data, library := grownFile(b, objects), &alfworld.Library{}
		game, err := library.Parse("grown", data)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("load/objects=%d", objects), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := library.Parse("grown", data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("reset/objects=%d", objects), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := game.Start(b.Context(), env.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("step/objects=%d", objects), func(b *testing.B) {
			ep, err := game.Start(b.Context(), env.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := ep.Step(b.Context(), grownCommand(ep.Now().Actions.Commands, i)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(ep.Now().Actions.Commands)), "commands")
			b.ReportMetric(liveBytes(b, library, data), "live-B/game")
		})
	}
}

// liveBytes is what a game that is being played takes in memory, of many.
func liveBytes(b *testing.B, library *alfworld.Library, data []byte) float64 {
	b.Helper()
	before := heap()
	live := make([]env.Episode, 50)
	for i := range live {
		game, err := library.Parse("grown", data)
		if err != nil {
			b.Fatal(err)
		}
		if live[i], err = game.Start(b.Context(), env.Limits{}); err != nil {
			b.Fatal(err)
		}
		for step := range 10 {
			if _, err := live[i].Step(b.Context(), grownCommand(live[i].Now().Actions.Commands, i+step)); err != nil {
				b.Fatal(err)
			}
		}
	}
	each := float64(heap()-before) / float64(len(live))
	runtime.KeepAlive(live)
	return each
}

// grownCommand is what the i-th step says: every second one acts on what is here, where it can.
func grownCommand(commands []string, i int) string {
	at := i * 7919 % len(commands)
	if i%2 == 0 {
		return commands[at]
	}
	for k := range commands {
		c := commands[(at+k)%len(commands)]
		for _, word := range []string{"open", "take", "move", "heat"} {
			if strings.HasPrefix(c, word) {
				return c
			}
		}
	}
	return commands[at]
}
