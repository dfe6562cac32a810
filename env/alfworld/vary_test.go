package alfworld_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

const mugInCabinet = `(and (exists (?r - receptacle) (exists (?o - object) (and (inReceptacle ?o ?r)
 (objectType ?o mugtype) (receptacleType ?r CabinetType)))))`

// asked is the kitchen with a goal and its sentence.
func asked(t *testing.T, goal, sentence string) []byte {
	t.Helper()
	file := fields(t, buildFile(t, strings.Replace(kitchen, "GOAL", goal, 1), []string{"look"}))
	file["grammar"] = strings.Replace(file["grammar"].(string), "do it; now", sentence, 1)
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fields(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestVaryKitchen: of what can be carried, the eggs, the knife and the pen may only go to the counter, where there is
// one of each; the apple may go to the counter and to the sink, and lies in the fridge.
func TestVaryKitchen(t *testing.T) {
	data := asked(t, mugInCabinet, "put some mug on a cabinet")
	const id = "train/pick_and_place_simple-Mug-None-Cabinet-7/trial_1"
	found := map[string]bool{}
	for seed := range uint64(20) {
		made, err := new(alfworld.Library).Vary(t.Context(), id, data, alfworld.Variation{PerGame: 3, Seed: seed})
		if err != nil || len(made) != 1 {
			t.Fatalf("seed %d: got %d games, %v, want the one for the apple", seed, len(made), err)
		}
		file := fields(t, made[0].Data)
		for place, word := range map[string]string{"CounterTop": "countertop", "SinkBasin": "sinkbasin"} {
			if made[0].ID != "train/pick_and_place_simple-Apple-None-"+place+"-7/trial_1-v1" {
				continue
			}
			found[place] = true
			want := fields(t, asked(t, strings.NewReplacer("mugtype", "AppleType", "CabinetType", place+"Type").Replace(mugInCabinet),
				"put some apple on a "+word))
			want["walkthrough"] = nil
			if made[0].Family != alfworld.FamilyPick || !reflect.DeepEqual(file, want) {
				t.Errorf("%s, %s: got the file\n%v\nwant\n%v", made[0].ID, made[0].Family, file, want)
			}
		}
	}
	if len(found) != 2 {
		t.Errorf("20 seeds: drawn were %v, want CounterTop and SinkBasin", found)
	}
}

func TestVaryRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"another sentence":     asked(t, mugInCabinet, "bring me something"),
		"a goal of no family":  asked(t, "(and (opened Drawer_bar_1))", "open the drawer"),
		"a sentence elsewhere": []byte(strings.Replace(string(asked(t, mugInCabinet, "put mug in cabinet")), "Welcome", "put mug in cabinet", 1)),
	} {
		if made, err := new(alfworld.Library).Vary(t.Context(), "g", data, alfworld.Variation{PerGame: 1}); !errors.Is(err, alfworld.ErrNoVariant) {
			t.Errorf("%s: got %v, %v, want ErrNoVariant", name, made, err)
		}
	}
	if _, err := new(alfworld.Library).Vary(t.Context(), "g", []byte("{"), alfworld.Variation{PerGame: 1}); !errors.Is(err, env.ErrBadGame) {
		t.Errorf("no game: got %v, want ErrBadGame", err)
	}
}

// TestVaryHousehold: whatever is drawn, the room is the same, the task's family too, each asks for another type, and
// the plan wins.
func TestVaryHousehold(t *testing.T) {
	library := &alfworld.Library{}
	families, made := map[string]int{}, 0
	for g, err := range household.Generate(household.Config{Seed: 3, Train: 60}) {
		if err != nil {
			t.Fatal(err)
		}
		vary := func() []alfworld.Varied {
			list, err := library.Vary(t.Context(), g.ID, g.Data, alfworld.Variation{PerGame: 3, Seed: 9})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		list := vary()
		if again := vary(); !reflect.DeepEqual(list, again) {
			t.Errorf("%s: not the same twice", g.ID)
		}
		first, err := library.Parse(g.ID, g.Data)
		if err != nil {
			t.Fatal(err)
		}
		targets := []string{first.Goal().Target}
		for _, v := range list {
			game, err := library.Parse(v.ID, v.Data)
			if err != nil {
				t.Fatal(err)
			}
			goal, was := game.Goal(), first.Goal()
			if game.Family() != first.Family() || v.Family != game.Family() || goal.Count != was.Count || goal.Device != was.Device ||
				(goal.Destination == "") != (was.Destination == "") || slices.Contains(targets, goal.Target) {
				t.Errorf("%s: got the goal %+v of %+v, things asked for before: %q", v.ID, goal, was, targets)
			}
			targets = append(targets, goal.Target)
			if room, want := room(t, v.Data), room(t, g.Data); room != want {
				t.Errorf("%s: another room than that of %s", v.ID, g.ID)
			}
			p := play(t, game)
			plan, err := p.ep.(env.Expert).Plan(t.Context(), env.Straight)
			if err != nil {
				t.Fatal(err)
			}
			if obs := p.do(plan...); !obs.Won || len(plan) == 0 {
				t.Errorf("%s: %q does not win", v.ID, plan)
			}
			families[v.Family]++
			made++
		}
	}
	if made < 120 || len(families) != len(alfworld.Families) {
		t.Errorf("%d games of 60, by family %v: expected twice as many, of all %d", made, families, len(alfworld.Families))
	}
}

// room is a game's problem up to its goal.
func room(t *testing.T, data []byte) string {
	t.Helper()
	before, _, ok := strings.Cut(fields(t, data)["pddl_problem"].(string), "(:goal")
	if !ok {
		t.Fatal("no goal")
	}
	return before
}
