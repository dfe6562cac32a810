package alfworld_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

// kitchen is a small problem in ALFWorld's domain with every odd corner: two receptacles at one place (loc1), a thing
// in two receptacles (the mug), a thing whose place is not its receptacle's (the egg), a thing that is cool from the
// start (the apple), a lamp in a drawer and one in no receptacle, and a pen in the mug.
const kitchen = `(define (problem kitchen) (:domain alfred)
(:objects agent1 - agent
 loc_bar_0 - location loc_bar_1 - location loc_bar_2 - location loc_bar_3 - location loc_bar_4 - location loc_bar_5 - location
 CounterTop_bar_1 - receptacle Sink_bar_1_bar_SinkBasin - receptacle Cabinet_bar_1 - receptacle Cabinet_bar_2 - receptacle
 Microwave_bar_1 - receptacle Fridge_bar_1 - receptacle Drawer_bar_1 - receptacle
 Mug_bar_1 - object Apple_bar_1 - object Egg_bar_1 - object Knife_bar_1 - object Pen_bar_1 - object
 DeskLamp_bar_1 - object FloorLamp_bar_1 - object Egg_bar_2 - object
 CounterTopType - rtype SinkBasinType - rtype CabinetType - rtype MicrowaveType - rtype FridgeType - rtype DrawerType - rtype
 MugType - otype AppleType - otype EggType - otype KnifeType - otype PenType - otype DeskLampType - otype FloorLampType - otype
 ButterKnifeType - otype)
(:init (atLocation agent1 loc_bar_0)
 (receptacleAtLocation CounterTop_bar_1 loc_bar_1) (receptacleAtLocation Sink_bar_1_bar_SinkBasin loc_bar_1)
 (receptacleAtLocation Cabinet_bar_1 loc_bar_2) (receptacleAtLocation Cabinet_bar_2 loc_bar_2)
 (receptacleAtLocation Microwave_bar_1 loc_bar_3) (receptacleAtLocation Fridge_bar_1 loc_bar_4)
 (receptacleAtLocation Drawer_bar_1 loc_bar_5)
 (receptacleType CounterTop_bar_1 CounterTopType) (receptacleType Sink_bar_1_bar_SinkBasin SinkBasinType)
 (receptacleType Cabinet_bar_1 CabinetType) (receptacleType Cabinet_bar_2 CabinetType)
 (receptacleType Microwave_bar_1 MicrowaveType) (receptacleType Fridge_bar_1 FridgeType) (receptacleType Drawer_bar_1 DrawerType)
 (openable Cabinet_bar_1) (openable Cabinet_bar_2) (openable Microwave_bar_1) (openable Fridge_bar_1) (openable Drawer_bar_1)
 (objectType Mug_bar_1 MugType) (objectType Apple_bar_1 AppleType) (objectType Egg_bar_1 EggType) (objectType Egg_bar_2 EggType)
 (objectType Knife_bar_1 KnifeType) (objectType Pen_bar_1 PenType) (objectType DeskLamp_bar_1 DeskLampType)
 (objectType FloorLamp_bar_1 FloorLampType)
 (canContain CounterTopType MugType) (canContain CounterTopType AppleType) (canContain CounterTopType EggType)
 (canContain CounterTopType KnifeType) (canContain CounterTopType PenType) (canContain FridgeType AppleType)
 (canContain CabinetType MugType) (canContain SinkBasinType AppleType) (canContain CounterTopType AppleType)
 (pickupable Mug_bar_1) (pickupable Apple_bar_1) (pickupable Egg_bar_1) (pickupable Egg_bar_2) (pickupable Knife_bar_1) (pickupable Pen_bar_1)
 (cleanable Apple_bar_1) (heatable Apple_bar_1) (coolable Apple_bar_1) (sliceable Apple_bar_1) (sliceable Egg_bar_1)
 (cleanable Mug_bar_1) (heatable Mug_bar_1) (toggleable DeskLamp_bar_1) (toggleable FloorLamp_bar_1)
 (isReceptacleObject Mug_bar_1) (inReceptacleObject Pen_bar_1 Mug_bar_1)
 (inReceptacle Mug_bar_1 CounterTop_bar_1) (inReceptacle Mug_bar_1 Sink_bar_1_bar_SinkBasin) (objectAtLocation Mug_bar_1 loc_bar_1)
 (inReceptacle Pen_bar_1 CounterTop_bar_1) (objectAtLocation Pen_bar_1 loc_bar_1)
 (inReceptacle Knife_bar_1 CounterTop_bar_1) (objectAtLocation Knife_bar_1 loc_bar_1)
 (inReceptacle Egg_bar_1 Cabinet_bar_1) (objectAtLocation Egg_bar_1 loc_bar_3)
 (inReceptacle Egg_bar_2 CounterTop_bar_1) (objectAtLocation Egg_bar_2 loc_bar_1)
 (inReceptacle Apple_bar_1 Fridge_bar_1) (objectAtLocation Apple_bar_1 loc_bar_4) (isCool Apple_bar_1)
 (inReceptacle DeskLamp_bar_1 Drawer_bar_1) (objectAtLocation DeskLamp_bar_1 loc_bar_5)
 (objectAtLocation FloorLamp_bar_1 loc_bar_1))
(:goal GOAL))`

const coolApple = `(and (exists (?r - receptacle) (exists (?o - object) (and (coolable ?o) (objectType ?o AppleType)
 (receptacleType ?r CounterTopType) (isCool ?o) (inReceptacle ?o ?r)))))`

// build makes a game of ALFWorld's own domain and grammar with a problem and goal of the test's.
func build(t testing.TB, problem, goal string) *alfworld.Game {
	t.Helper()
	game, err := alfworld.Parse("test/"+t.Name(), buildFile(t, strings.Replace(problem, "GOAL", goal, 1), nil))
	if err != nil {
		t.Fatal(err)
	}
	return game
}

func buildFile(t testing.TB, problem string, walkthrough []string) []byte {
	t.Helper()
	folder := outside.Shared(t, "alfworld-games")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	data, err := json.Marshal(map[string]any{
		"pddl_domain": read("alfred.pddl"), "grammar": strings.Replace(read("alfred.twl2"), "UNKNOWN GOAL", "do it; now", 1),
		"pddl_problem": problem, "solvable": true, "walkthrough": walkthrough,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// player plays one episode and fails the test on any error.
type player struct {
	t  *testing.T
	ep env.Episode
}

func play(t *testing.T, game *alfworld.Game) player {
	t.Helper()
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return player{t, ep}
}

func (p player) do(commands ...string) env.Observation {
	p.t.Helper()
	obs := p.ep.Now()
	for _, c := range commands {
		var err error
		moves := obs.Moves
		if obs, err = p.ep.Step(p.t.Context(), c); err != nil {
			p.t.Fatal(err)
		}
		if obs.Moves != moves+1 {
			p.t.Fatalf("%q is refused, on offer are %q", c, obs.Actions.Commands)
		}
	}
	return obs
}

// says plays commands and checks the last answer.
func (p player) says(want string, commands ...string) {
	p.t.Helper()
	if got := p.do(commands...).Text; got != want {
		p.t.Errorf("after %q got %q, want %q", commands, got, want)
	}
}

// offers checks whether a command is admissible.
func (p player) offers(want bool, command string) {
	p.t.Helper()
	if got := slices.Contains(p.ep.Now().Actions.Commands, command); got != want {
		p.t.Errorf("%q is on offer: %v, want %v: %q", command, got, want, p.ep.Now().Actions.Commands)
	}
}
