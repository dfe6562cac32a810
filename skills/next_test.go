package skills_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/skills"
)

// All that were retrieved are updated, one after the other in the order of task and rollout.
func TestUpdates(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .5, 1), entry("B", .7, .9, 3), entry("C", .6, .2, 2))
	a, b := idOf("A"), idOf("B")
	next, c := take(
		t, l,
		skills.Episode{Place: skills.Place{Task: 1}, Retrieved: []skills.ID{a}, Target: 0},
		skills.Episode{Place: skills.Place{Task: 0, Rollout: 1}, Retrieved: []skills.ID{b, a}, Selected: a, Target: 1},
		skills.Episode{Place: skills.Place{Task: 2}},
	)
	for _, want := range []struct {
		name            string
		utility         float64
		count, selected int
	}{
		{"A", .49875, 3, 1}, // .5 → .525 → .95·.525
		{"B", .905, 4, 0},   // .95·.9 + .05
		{"C", .2, 2, 0},
	} {
		got, _ := next.Skill(idOf(want.name))
		if math.Abs(got.Utility-want.utility) > 1e-15 || got.Count != want.count || got.Selected != want.selected {
			t.Errorf("%s: utility %v, count %d, selected %d, want %+v", want.name, got.Utility, got.Count, got.Selected, want)
		}
	}
	if f := c.Figures(); f != (skills.Figures{Updated: 3}) || next.Step() != 1 || l.Step() != 0 {
		t.Errorf("figures %+v, step %d", f, next.Step())
	}
	if got := next.MeanUtility(); math.Abs(got-(.49875+.905+.2)/3) > 1e-15 {
		t.Errorf("mean utility %v", got)
	}
}

func TestSuccesses(t *testing.T) {
	l := library(t, skills.Rules{Rate: .1}, entry("A", .8, .5, 1))
	for k := 1; k <= 20; k++ {
		l, _ = take(t, l, skills.Episode{Retrieved: []skills.ID{idOf("A")}, Target: 1})
		if s, _ := l.Skill(idOf("A")); math.Abs(s.Utility-(1-.5*math.Pow(.9, float64(k)))) > 1e-14 || s.Count != 1+k {
			t.Fatalf("%d successes: utility %v, count %d", k, s.Utility, s.Count)
		}
	}
}

func TestAdmission(t *testing.T) {
	won, lost, strange := birth("W", .8), birth("L", .7), birth("S", .6)
	lost.Outcome, strange.Outcome = skills.Failure, skills.Unknown
	foresaw, mistook, strangely := lost, won, strange
	foresaw.Predicted, mistook.Predicted, strangely.Predicted = skills.Failure, skills.Failure, skills.Success
	hoped := won
	hoped.Predicted = skills.Success
	for _, c := range []struct {
		rule   skills.Admission
		births []skills.Birth
		want   string
	}{
		{"", []skills.Birth{won, lost, strange}, "W"},
		{skills.AdmitWon, []skills.Birth{mistook, foresaw}, "W"},
		{skills.AdmitPredicted, []skills.Birth{won, lost, strange}, ""},
		{skills.AdmitPredicted, []skills.Birth{hoped, foresaw, strangely}, "WL"},
		{skills.AdmitPredicted, []skills.Birth{mistook}, ""},
		{skills.AdmitAny, []skills.Birth{won, lost, strange}, "WLS"},
		{skills.AdmitNone, []skills.Birth{hoped, foresaw}, ""},
	} {
		t.Run(string(c.rule)+" "+c.want, func(t *testing.T) {
			l, _ := take(t, library(t, skills.Rules{Admit: c.rule}), skills.Episode{Births: c.births})
			if names(l) != c.want {
				t.Errorf("got %q, want %q", names(l), c.want)
			}
		})
	}
}

func TestBirth(t *testing.T) {
	b := birth("A", .8)
	l, _ := take(t, library(t, skills.Rules{}), skills.Episode{Births: []skills.Birth{b}})
	want := skills.Skill{
		ID: idOf("A"), Task: "task of A", Head: "when A", Strategy: "do A", Episode: "episode/A", Source: source,
		Outcome: skills.Success, Born: 1, Utility: .5, Count: 1,
	}
	if got, there := l.Skill(idOf("A")); !there || got != want || !reflect.DeepEqual(l.Vector(idOf("A")), b.Vector) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// The keys of B to D are compared with A's, (1, 0).
func TestMerging(t *testing.T) {
	like := func(name string, rel float64) skills.Birth {
		b := birth(name, rel)
		b.Strategy = "do A"
		return b
	}
	headless := like("B", 1)
	headless.Head = ""
	for _, c := range []struct {
		name    string
		rules   skills.Rules
		births  []skills.Birth
		want    string
		utility float64 // of A
		count   int
	}{
		{"same strategy, alike", skills.Rules{}, []skills.Birth{like("B", .9)}, "A", .88, 4}, // .95·.9 + .05·.5
		{"at the threshold", skills.Rules{}, []skills.Birth{like("B", .85)}, "AB", .9, 3},
		{"just above", skills.Rules{}, []skills.Birth{like("B", .8501)}, "A", .88, 4},
		{"same strategy, not alike", skills.Rules{}, []skills.Birth{like("B", .5)}, "AB", .9, 3},
		{"alike, another strategy", skills.Rules{}, []skills.Birth{birth("B", 1)}, "AB", .9, 3},
		{"a task is not compared with a head", skills.Rules{}, []skills.Birth{headless}, "AB", .9, 3},
		{"another threshold", skills.Rules{MergeAbove: .4}, []skills.Birth{like("B", .5)}, "A", .88, 4},
		{"no merging", skills.Rules{Merge: skills.MergeNone}, []skills.Birth{like("B", 1)}, "AB", .9, 3},
		{"twice", skills.Rules{}, []skills.Birth{like("B", .9), like("C", .95)}, "A", .861, 5}, // .95·.88 + .025
		{"the most alike", skills.Rules{}, []skills.Birth{like("B", .5), like("C", .6)}, "AB", .9, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := take(t, library(t, c.rules, entry("A", 1, .9, 3)), skills.Episode{Births: c.births})
			a, _ := l.Skill(idOf("A"))
			if names(l) != c.want || math.Abs(a.Utility-c.utility) > 1e-15 || a.Count != c.count || a.Selected != 0 {
				t.Errorf("%q, utility %v, count %d, want %q, %v, %d", names(l), a.Utility, a.Count, c.want, c.utility, c.count)
			}
		})
	}
}

// A newborn like two becomes one with the more alike; like two equally, with the lower id.
func TestMergesWithTheMostAlike(t *testing.T) {
	same := func(name string, rel float64) skills.Entry {
		e := entry(name, rel, .5, 1)
		e.Skill.Strategy = "do"
		e.Skill = named(e.Skill)
		return e
	}
	born := birth("N", 1)
	born.Strategy = "do"
	a, b := same("A", .9), same("B", .95)
	_, c := take(t, library(t, skills.Rules{}, a, b), skills.Episode{Births: []skills.Birth{born}})
	if len(c.List) != 1 || c.List[0].Of() != b.Skill.ID || !near(c.List[0].(*skills.Merged).Similarity, .95) {
		t.Errorf("merged into %s, want %s", c.List[0].Of(), b.Skill.ID)
	}
	b = same("B", .9)
	for _, bank := range [][]skills.Entry{{a, b}, {b, a}} {
		_, c = take(t, library(t, skills.Rules{}, bank...), skills.Episode{Births: []skills.Birth{born}})
		if want := min(a.Skill.ID, b.Skill.ID); c.List[0].Of() != want {
			t.Errorf("merged into %s, want %s", c.List[0].Of(), want)
		}
	}
}

func TestNextRefuses(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .5, 1))
	bad := birth("N", .8)
	bad.Vector = []float32{2, 0}
	strange := birth("N", .8)
	strange.Outcome = "won"
	empty := birth("N", .8)
	empty.Strategy = ""
	a := idOf("A")
	for _, c := range []struct {
		name     string
		episodes []skills.Episode
		want     string
	}{
		{"unknown id", []skills.Episode{{Retrieved: []skills.ID{"skill-0000000000000000"}}}, `task 0, rollout 0: "skill-0000000000000000": no such skill`},
		{"id twice", []skills.Episode{{Retrieved: []skills.ID{a, a}}}, "is updated twice by one episode"},
		{"selected and not retrieved", []skills.Episode{{Selected: a}}, "was selected and not retrieved"},
		{"two of one place", []skills.Episode{{}, {}}, "two episodes of one place"},
		{"place", []skills.Episode{{Place: skills.Place{Task: -1}, Retrieved: []skills.ID{a}}}, "task: -1, expected 0"},
		{"target", []skills.Episode{{Retrieved: []skills.ID{a}, Target: 10}}, "target: 10, expected 0 to 1"},
		{"born in this step", []skills.Episode{{Births: []skills.Birth{birth("N", .8)}}, {Place: skills.Place{Task: 1}, Retrieved: []skills.ID{idOf("N")}}}, "was born in this very step"},
		{"born twice", []skills.Episode{{Births: []skills.Birth{birth("N", .8), birth("N", .1)}}}, "is born twice"},
		{"there already", []skills.Episode{{Births: []skills.Birth{birth("A", .8)}}}, "is born twice"},
		{"vector", []skills.Episode{{Births: []skills.Birth{bad}}}, "vector: length 2, expected 1"},
		{"not admitted", []skills.Episode{{Births: []skills.Birth{strange}}}, ""},
		{"no strategy", []skills.Episode{{Births: []skills.Birth{empty}}}, "strategy: empty, expected a text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			switch _, err := l.Next(c.episodes); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// Whoever finishes first: the same changes, byte for byte, and the same library.
func TestArrivalOrder(t *testing.T) {
	l, episodes := busy(t)
	want, err := l.Next(episodes)
	if err != nil {
		t.Fatal(err)
	}
	files, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if f := want.Figures(); f.Born == 0 || f.Merged == 0 || f.Updated == 0 || f.Retired == 0 {
		t.Fatalf("figures %+v: expected some of each", f)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		rng.Shuffle(len(episodes), func(i, j int) { episodes[i], episodes[j] = episodes[j], episodes[i] })
		for _, e := range episodes {
			rng.Shuffle(len(e.Retrieved), func(i, j int) { e.Retrieved[i], e.Retrieved[j] = e.Retrieved[j], e.Retrieved[i] })
		}
		got, err := l.Next(episodes)
		if err != nil {
			t.Fatal(err)
		}
		again, err := got.Encode()
		if err != nil || got.After != want.After || !reflect.DeepEqual(files, again) {
			t.Fatalf("another order gives %s, %v, want %s", got.After, err, want.After)
		}
	}
}

// busy is a library and a step in which all kinds of changes happen, the order of which matters.
func busy(t testing.TB) (*skills.Library, []skills.Episode) {
	l := library(t, skills.Rules{Capacity: 4, Rate: .3}, entry("A", .9, .5, 2), entry("B", .8, .3, 4), entry("C", .7, .2, 3))
	a, b, c := idOf("A"), idOf("B"), idOf("C")
	twin := birth("T", .95)
	twin.Strategy = "do A"
	return l, []skills.Episode{
		{Place: skills.Place{Task: 0, Rollout: 0}, Retrieved: []skills.ID{a, b}, Selected: a, Target: 1, Births: []skills.Birth{birth("D", .6)}},
		{Place: skills.Place{Task: 0, Rollout: 1}, Retrieved: []skills.ID{b, a}, Selected: b, Target: 0},
		{Place: skills.Place{Task: 1, Rollout: 0}, Retrieved: []skills.ID{c}, Selected: c, Target: 0},
		{Place: skills.Place{Task: 1, Rollout: 1}, Retrieved: []skills.ID{a, c}, Selected: a, Target: 1, Births: []skills.Birth{twin}},
		{Place: skills.Place{Task: 2, Rollout: 0}, Target: 1, Births: []skills.Birth{birth("E", .5)}},
	}
}
