package alfworld_test

import (
	"strings"
	"testing"
)

// TestQuirks plays the odd corners that section 10 of ../shared/alfworld-engine.md lists, in its order.
func TestQuirks(t *testing.T) {
	t.Run("examine needs the thing in hand", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1")
		p.offers(false, "examine knife 1")
		p.do("take knife 1 from countertop 1")
		p.says("There's nothing special about knife 1.", "examine knife 1")
	})
	t.Run("a mug is always normal", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take mug 1 from countertop 1", "clean mug 1 with sinkbasin 1")
		p.says("This is a normal mug 1. In it, you see a pen 1.", "examine mug 1")
	})
	t.Run("what is in a mug never changes", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take pen 1 from countertop 1", "go to fridge 1", "go to sinkbasin 1", "move pen 1 to countertop 1", "take mug 1 from countertop 1")
		p.says("This is a normal mug 1. In it, you see a pen 1.", "examine mug 1")
	})
	t.Run("a thing in two receptacles stays listed in the other", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take mug 1 from countertop 1")
		p.says("On the sinkbasin 1, you see a mug 1.", "examine sinkbasin 1")
		p.says("On the countertop 1, you see a egg 1, a knife 1, and a pen 1.", "examine countertop 1")
		p.says("You are carrying: a mug 1.", "inventory")
	})
	t.Run("the goal can be met by the other receptacle", func(t *testing.T) {
		goal := `(exists (?o - object ?r - receptacle) (and (objectType ?o MugType) (isClean ?o) (inReceptacle ?o ?r) (receptacleType ?r SinkBasinType)))`
		p := play(t, build(t, kitchen, goal))
		if obs := p.do("go to countertop 1", "take mug 1 from countertop 1", "clean mug 1 with sinkbasin 1"); !obs.Won || obs.Score != 1 {
			t.Errorf("won %v, score %v, want true, 1", obs.Won, obs.Score)
		}
	})
	t.Run("slicing goes by the thing's own place", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take knife 1 from countertop 1", "go to cabinet 2", "open cabinet 2")
		p.offers(false, "slice egg 2 with knife 1") // it is listed in cabinet 2, its place is the microwave's
		p.do("go to microwave 1")
		p.says("You sliced the egg 2 with the knife 1.", "slice egg 2 with knife 1")
	})
	t.Run("a thing without a place of its own is at none when it is taken", func(t *testing.T) {
		// The egg of cabinet 2 has the microwave's place: taking it from the cabinet leaves that fact.
		goal := `(exists (?o - object ?a - agent) (and (objectType ?o EggType) (objectAtLocation ?o loc_bar_3) (holds ?a ?o)))`
		p := play(t, build(t, kitchen, goal))
		if obs := p.do("go to cabinet 2", "open cabinet 2", "take egg 2 from cabinet 2"); !obs.Won {
			t.Error("the egg in hand has lost the place that it never was at")
		}
		p = play(t, build(t, kitchen, strings.Replace(goal, "loc_bar_3", "loc_bar_1", 1)))
		if obs := p.do("go to countertop 1", "take egg 1 from countertop 1"); obs.Won {
			t.Error("the egg in hand is at the place that it was taken from")
		}
	})
	t.Run("the goal of looking goes by the lamp's own place", func(t *testing.T) {
		goal := `(and (exists (?ot - object ?a - agent ?l - location) (and (objectType ?ot DeskLampType) (toggleable ?ot) (isToggled ?ot)
 (atLocation ?a ?l) (objectAtLocation ?ot ?l))) (exists (?o - object ?a - agent) (and (objectType ?o PenType) (holds ?a ?o))))`
		away := strings.Replace(kitchen, "(objectAtLocation DeskLamp_bar_1 loc_bar_5)", "(objectAtLocation DeskLamp_bar_1 loc_bar_2)", 1)
		p := play(t, build(t, away, goal))
		if obs := p.do("go to countertop 1", "take pen 1 from countertop 1", "go to drawer 1", "use desklamp 1"); obs.Won {
			t.Error("won beside the drawer that the lamp is in")
		}
		if obs := p.do("go to cabinet 1"); !obs.Won {
			t.Error("not won at the lamp's place")
		}
		if obs := p.do("go to drawer 1"); obs.Won {
			t.Error("the win is latched")
		}
	})
	t.Run("the two goals of looking may be met by one command each", func(t *testing.T) {
		goal := `(and (exists (?ot - object) (isToggled ?ot)) (exists (?o - object ?a - agent) (holds ?a ?o)))`
		p := play(t, build(t, kitchen, goal))
		if obs := p.do("go to drawer 1", "use desklamp 1", "use desklamp 1", "go to countertop 1", "take pen 1 from countertop 1"); !obs.Won {
			t.Error("using it twice turns the lamp off")
		}
	})
	t.Run("two things must lie in the same receptacle", func(t *testing.T) {
		goal := `(exists (?r - receptacle) (exists (?o1 - object) (and (objectType ?o1 EggType) (inReceptacle ?o1 ?r)
 (exists (?o2 - object) (and (not (= ?o1 ?o2)) (objectType ?o2 EggType) (inReceptacle ?o2 ?r))))))`
		p := play(t, build(t, kitchen, goal))
		if p.ep.Now().Won {
			t.Error("won with the eggs in two places, or one egg counted twice")
		}
		if obs := p.do("go to cabinet 2", "open cabinet 2", "take egg 2 from cabinet 2", "go to countertop 1", "move egg 2 to countertop 1"); !obs.Won {
			t.Error("not won with both on the counter top")
		}
	})
	t.Run("won from the start, without score or done", func(t *testing.T) {
		p := play(t, build(t, kitchen, `(exists (?o - object) (isCool ?o))`))
		if now := p.ep.Now(); !now.Won || now.Done || now.Score != 0 {
			t.Errorf("at the start: %+v", now)
		}
		if obs := p.do("look"); !obs.Won || !obs.Done || obs.Score != 1 {
			t.Errorf("after looking: %+v", obs)
		}
	})
	t.Run("a mug is normal when it is hot, or cold", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take mug 1 from countertop 1", "go to microwave 1", "heat mug 1 with microwave 1")
		p.says("This is a normal mug 1. In it, you see a pen 1.", "examine mug 1")
	})
	t.Run("what a receptacle is asked is its place", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to cabinet 1")
		for _, command := range []string{"open cabinet 1", "open cabinet 2", "examine cabinet 1", "examine cabinet 2"} {
			p.offers(true, command)
		}
		p.offers(false, "examine countertop 1")
		p.says("The cabinet 2 is closed.", "examine cabinet 2")
		p.do("open cabinet 1", "go to fridge 1", "go to cabinet 2")
		p.offers(true, "close cabinet 1")
		p.offers(true, "open cabinet 2")
	})
	t.Run("the first place is never reached again", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		n := len(p.ep.Now().Actions.Commands)
		obs := p.do("go to fridge 1")
		for _, c := range obs.Actions.Commands {
			if strings.HasPrefix(c, "go to loc") {
				t.Errorf("%q is on offer", c)
			}
		}
		// All seven receptacles at first, then all but the fridge, which can be opened and examined instead.
		if len(obs.Actions.Commands) != n+1 {
			t.Errorf("%d commands, then %q", n, obs.Actions.Commands)
		}
	})
	t.Run("cool at the start, heating ends it", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to fridge 1", "open fridge 1", "take apple 1 from fridge 1")
		p.says("This is a cold apple 1.", "examine apple 1")
		p.says("This is a hot apple 1.", "go to microwave 1", "heat apple 1 with microwave 1", "examine apple 1")
		p.says("This is a hot and clean apple 1.", "go to sinkbasin 1", "clean apple 1 with sinkbasin 1", "examine apple 1")
		p.says("This is a cool and clean apple 1.", "go to fridge 1", "cool apple 1 with fridge 1", "examine apple 1")
	})
	t.Run("use works through a closed drawer and only turns on", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.says("The drawer 1 is closed.", "go to drawer 1", "examine drawer 1")
		p.says("You turn on the desklamp 1.", "use desklamp 1")
		p.says("You turn on the desklamp 1.", "use desklamp 1")
	})
	t.Run("a lamp in no receptacle can not be used", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1")
		p.offers(false, "use floorlamp 1")
	})
	t.Run("appliances work closed and keep nothing", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to fridge 1", "open fridge 1", "take apple 1 from fridge 1", "close fridge 1")
		p.says("You cool the apple 1 using the fridge 1.", "cool apple 1 with fridge 1")
		p.says("You heat the apple 1 using the microwave 1.", "go to microwave 1", "heat apple 1 with microwave 1")
		p.says("The microwave 1 is open. In it, you see nothing.", "open microwave 1", "examine microwave 1")
	})
	t.Run("two things carry a comma, the article is a", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take mug 1 from countertop 1", "go to cabinet 1", "open cabinet 1", "move mug 1 to cabinet 1")
		p.says("On the countertop 1, you see a egg 1, a knife 1, and a pen 1.", "go to countertop 1", "examine countertop 1")
		p.says("On the countertop 1, you see a egg 1, and a knife 1.", "take pen 1 from countertop 1", "examine countertop 1")
	})
	t.Run("look lists what was taken out here", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.says("You are in the middle of a room. Looking quickly around you, you see nothing.", "look")
		p.says("You are facing the countertop 1, and sinkbasin 1. Next to it, you see nothing.", "go to countertop 1", "look")
		p.do("take pen 1 from countertop 1")
		p.says("You are facing the countertop 1, and sinkbasin 1. Next to it, you see nothing.", "look")
		p.do("move pen 1 to countertop 1", "go to fridge 1", "open fridge 1", "take apple 1 from fridge 1", "go to sinkbasin 1",
			"move apple 1 to sinkbasin 1", "take apple 1 from sinkbasin 1", "move apple 1 to countertop 1")
		p.says("You are facing the countertop 1, and sinkbasin 1. Next to it, you see a apple 1.", "look")
		p.says("You are facing the countertop 1, and sinkbasin 1. Next to it, you see nothing.", "take apple 1 from countertop 1", "look")
	})
	t.Run("lists run downwards in number", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		want := "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see " +
			"a cabinet 2, a cabinet 1, a countertop 1, a drawer 1, a fridge 1, a microwave 1, and a sinkbasin 1.\n\nYour task is to: do it"
		if got := p.ep.Now().Text; got != want { // and a semicolon ends the sentence
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("a thing in a closed receptacle can be sliced but not taken", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.do("go to countertop 1", "take knife 1 from countertop 1", "go to fridge 1")
		p.offers(false, "take apple 1 from fridge 1")
		p.says("You sliced the apple 1 with the knife 1.", "slice apple 1 with knife 1")
	})
	t.Run("help is on offer and ends in a line break", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		got := p.do("help").Text
		if !strings.HasPrefix(got, "Available commands:\n  look:") || !strings.HasSuffix(got, "sharp object\n") {
			t.Errorf("help answers %q", got)
		}
	})
	t.Run("winning can be undone", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		obs := p.do("go to fridge 1", "open fridge 1", "take apple 1 from fridge 1", "go to countertop 1", "move apple 1 to countertop 1")
		if !obs.Won || !obs.Done || obs.Score != 1 {
			t.Errorf("after moving the apple: %+v", obs)
		}
		if obs = p.do("take apple 1 from countertop 1"); obs.Won || obs.Done || obs.Score != 0 {
			t.Errorf("after taking it again: %+v", obs)
		}
	})
	t.Run("going where one stands is not on offer, for all that stand there", func(t *testing.T) {
		p := play(t, build(t, kitchen, coolApple))
		p.offers(true, "go to sinkbasin 1")
		p.do("go to countertop 1")
		p.offers(false, "go to countertop 1")
		p.offers(false, "go to sinkbasin 1")
		p.offers(true, "take mug 1 from sinkbasin 1")
	})
}

// TestRefused says what is no command: it changes nothing and counts as no move.
func TestRefused(t *testing.T) {
	p := play(t, build(t, kitchen, coolApple))
	p.do("go to countertop 1")
	before := p.ep.Now()
	for _, text := range []string{
		"", " ", "LOOK", "Look", "look.", "look around", "go to  fridge 1", "go to fridge", "go to fridge 01", "goto fridge 1", "examine", "examine ",
		"examine apple 1", "examine fridge 1", "help me", "put mug 1 in/on countertop 1", "move mug 1 to countertop 1", "take apple 1 from fridge 1",
		"xyzzy", "\u200blook", "\ufefflook", "look\x00", "look\u00ad", "look\nlook",
	} {
		obs, err := p.ep.Step(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if obs.Text != "Nothing happens." || obs.Moves != 1 || strings.Join(obs.Actions.Commands, "|") != strings.Join(before.Actions.Commands, "|") {
			t.Errorf("%q: got %+v", text, obs)
		}
	}
	for _, text := range []string{" look \n", "\u2003look\u00a0", "\x1clook\t"} {
		if obs, err := p.ep.Step(t.Context(), text); err != nil || obs.Text == "Nothing happens." {
			t.Errorf("%q is refused, want it accepted: %v", text, err)
		}
	}
}
