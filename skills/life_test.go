package skills_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/skills"
)

// run is a library of one place and what six steps do to it: D is born, retrieved twice, met by a twin, and retires.
func run(t *testing.T) (*skills.Library, *skills.Library, []skills.Changes) {
	l := library(t, skills.Rules{Capacity: 1, Rate: .5, Retire: skills.RetireOldest})
	first := l
	d := idOf("D")
	twin := birth("T", .95)
	twin.Strategy = "do D"
	var lists []skills.Changes
	for _, episodes := range [][]skills.Episode{
		{{Place: skills.Place{Task: 1, Rollout: 2}, Births: []skills.Birth{birth("D", .9)}}},
		{{Retrieved: []skills.ID{d}, Selected: d, Target: 1}, {Place: skills.Place{Rollout: 1}, Retrieved: []skills.ID{d}}},
		{},
		{{Births: []skills.Birth{twin}}},
		{{Births: []skills.Birth{birth("E", .1)}}},
	} {
		next, c := take(t, l, episodes...)
		l, lists = next, append(lists, c)
	}
	return first, l, lists
}

func TestLife(t *testing.T) {
	first, last, lists := run(t)
	story, err := skills.Life(idOf("D"), first, lists...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := story.Print(&b); err != nil {
		t.Fatal(err)
	}
	twin := skills.NewID("episode/T", source, "when T", "do D")
	want := string(idOf("D")) + `
task      task of D
head      when D
strategy  do D
episode   episode/D
source    ` + string(source) + `
outcome   success
now       retired; utility 0.4375, count 4, selected 1
step 1, task 1, rollout 2: born, utility 0.5000
step 2, task 0, rollout 0: retrieved and selected, target 1, utility 0.5000 -> 0.7500
step 2, task 0, rollout 1: retrieved, target 0, utility 0.7500 -> 0.3750
step 4, task 0, rollout 0: ` + string(twin) + ` became one with it, similarity 0.9911, utility 0.3750 -> 0.4375
step 5, end: retired, worth least by oldest in a library above its capacity: utility 0.4375, count 4, selected 1
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if names(last) != "E" || !story.Gone || math.Abs(story.Skill.Utility-.4375) > 1e-15 {
		t.Errorf("left is %q, story %+v", names(last), story)
	}
	merged, err := skills.Life(twin, first, lists...)
	if err != nil || merged.Into != idOf("D") || len(merged.Events) != 1 || merged.Gone || merged.Skill.Head != "when T" {
		t.Errorf("of the twin: %+v, %v", merged, err)
	}
	if _, err := skills.Life("skill-0000000000000000", first, lists...); !errors.Is(err, skills.ErrUnknown) {
		t.Errorf("of none: error %v", err)
	}
	if _, err := skills.Life(idOf("D"), first, lists[1:]...); err == nil || !strings.Contains(err.Error(), "changes of step 2, expected those of step 1") {
		t.Errorf("with a gap: error %v", err)
	}
}

// What a life ends with is what the library holds, for every skill of it.
func TestLivesAgree(t *testing.T) {
	l, episodes := busy(t)
	next, c := take(t, l, episodes...)
	for _, s := range next.Skills() {
		story, err := skills.Life(s.ID, l, c)
		if err != nil || story.Skill != s || story.Gone {
			t.Errorf("%+v, %v\nwant %+v", story.Skill, err, s)
		}
	}
}

func TestPrintQuotesWhatMovesTheCursor(t *testing.T) {
	e := entry("A", .8, .5, 1)
	e.Skill.Strategy = "go\x1b[2J\nnow"
	e.Skill = named(e.Skill)
	story, err := skills.Life(e.Skill.ID, library(t, skills.Rules{}, e))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := story.Print(&b); err != nil || !strings.Contains(b.String(), `strategy  "go\x1b[2J\nnow"`+"\n") || !strings.Contains(b.String(), "step 0: there from the beginning") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestAbout: a life told of the changes about it alone is the same, and they hold no vectors and nobody else's changes.
func TestAbout(t *testing.T) {
	first, _, lists := run(t)
	twin := skills.NewID("episode/T", source, "when T", "do D")
	for _, id := range []skills.ID{idOf("D"), twin, idOf("E")} {
		var about []skills.Changes
		for _, c := range lists {
			some := c.About(id)
			for _, one := range some.List {
				switch one := one.(type) {
				case *skills.Born:
					if one.Vector != nil {
						t.Errorf("%s: a vector is left", id)
					}
				case *skills.Merged:
					if one.Vector != nil {
						t.Errorf("%s: a vector is left", id)
					}
				}
			}
			about = append(about, some)
		}
		var texts [2]strings.Builder
		for i, told := range [][]skills.Changes{lists, about} {
			story, err := skills.Life(id, first, told...)
			if err == nil {
				err = story.Print(&texts[i])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if texts[0].String() != texts[1].String() {
			t.Errorf("got\n%s\nwant\n%s", &texts[1], &texts[0])
		}
	}
	if n := len(lists[4].About(idOf("E")).List); n != 1 {
		t.Errorf("%d changes about E in step 5, want its birth alone: D retires in it too", n)
	}
	if born := lists[0].List[0].(*skills.Born); len(born.Vector) != 2 {
		t.Error("the changes themselves have lost their vectors")
	}
}

// TestEventAsJSON: an event is its step with its line in changes.jsonl.
func TestEventAsJSON(t *testing.T) {
	first, _, lists := run(t)
	story, err := skills.Life(idOf("D"), first, lists...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(story.Events[1])
	want := `{"step":2,"updated":{"task":0,"rollout":0,"id":"` + string(idOf("D")) + `","selected":true,"target":1,"before":0.5,"after":0.75,"count":2}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
