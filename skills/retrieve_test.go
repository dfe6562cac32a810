package skills_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/skills"
)

// The scores are worked out by hand, with ln 20 = 2.9957323: of one skill with likeness 0.8 and utility 0.5 among
// skills whose counts have the sum 20, the others below the floor.
func TestScore(t *testing.T) {
	for _, c := range []struct {
		name  string
		how   skills.Retrieval
		count int // its own; the rest of the 20 is one other skill's
		want  float64
	}{
		{"ucb", skills.Retrieval{Mode: skills.ModeUCB}, 4, 1.026164}, // .6·.8 + .4·(.5 + √(2.9957323/4))
		{"the default is ucb", skills.Retrieval{}, 4, 1.026164},
		{"ucb, tried once", skills.Retrieval{Mode: skills.ModeUCB}, 1, 1.372327},                       // .48 + .4·(.5 + 1.730818)
		{"ucb, twice the bonus", skills.Retrieval{Mode: skills.ModeUCB, Bonus: new(2.0)}, 4, 1.372327}, // √(x/1) = 2·√(x/4)
		{"ucb without bonus", skills.Retrieval{Mode: skills.ModeUCB, Bonus: new(0.0)}, 4, .68},
		{"ucb by utility alone", skills.Retrieval{Mode: skills.ModeUCB, Weight: new(0.0)}, 4, 1.365409},
		{"ucb, w 1: neither utility nor bonus", skills.Retrieval{Mode: skills.ModeUCB, Weight: new(1.0)}, 4, .8},
		{"greedy", skills.Retrieval{Mode: skills.ModeGreedy}, 4, .68},
		{"greedy, w 1", skills.Retrieval{Mode: skills.ModeGreedy, Weight: new(1.0)}, 4, .8},
		{"greedy, w 0", skills.Retrieval{Mode: skills.ModeGreedy, Weight: new(0.0)}, 4, .5},
		{"relevance", skills.Retrieval{Mode: skills.ModeRelevance}, 4, .8},
		{"softmax", skills.Retrieval{Mode: skills.ModeSoftmax}, 4, .68},
		{"simutil: 18 retrievals, 3 of them its own", skills.Retrieval{Mode: skills.ModeSimUtil, Weight: new(0.7)}, 4, .56 + .3*(.5+math.Sqrt(math.Log(18)/3))},
		{"simutil, never retrieved", skills.Retrieval{Mode: skills.ModeSimUtil, Weight: new(0.7)}, 1, .56 + .3*(.5+math.Sqrt(math.Log(18)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := library(t, skills.Rules{}, entry("A", .8, .5, c.count), entry("B", 0, 1, 20-c.count))
			picks, err := l.Retrieve(skills.Query{Vector: east}, c.how)
			if err != nil || picked(picks) != "A" {
				t.Fatalf("picked %q, %v, want A", picked(picks), err)
			}
			if math.Abs(picks[0].Score-c.want) > 1e-6 || !near(picks[0].Relevance, .8) || picks[0].Skill.Utility != .5 {
				t.Errorf("score %.6f, relevance %v, utility %v, want %.6f, 0.8, 0.5", picks[0].Score, picks[0].Relevance, picks[0].Skill.Utility, c.want)
			}
		})
	}
}

func TestSimUtilBeforeAnyRetrieval(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .5, 1), entry("B", .6, .5, 1))
	picks, err := l.Retrieve(skills.Query{Vector: east}, skills.Retrieval{Mode: skills.ModeSimUtil, Weight: new(0.7)})
	if err != nil || picked(picks) != "AB" || !near(picks[0].Score, .71) || !near(picks[1].Score, .57) {
		t.Errorf("got %+v, %v, want .7·.8 + .3·.5 = 0.71 and 0.57", picks, err)
	}
}

func TestOrder(t *testing.T) {
	failed := entry("F", .9, .2, 2)
	failed.Skill.Outcome = skills.Failure
	unknown := entry("U", .85, .3, 2)
	unknown.Skill.Outcome = skills.Unknown
	few := []skills.Entry{entry("A", .8, .5, 1), entry("B", .8, .9, 19)}
	six := []skills.Entry{entry("A", .5, .9, 5), entry("B", .6, .8, 5), entry("C", .7, .1, 5), entry("D", .39, 1, 5), failed, unknown}
	for _, c := range []struct {
		name string
		bank []skills.Entry
		how  skills.Retrieval
		want string
	}{
		{"ucb tries what is little known", few, skills.Retrieval{}, "AB"},          // 1.372 and 0.999
		{"greedy takes what is good", few, skills.Retrieval{Mode: "greedy"}, "BA"}, // .68 and .84
		{"relevance", six, skills.Retrieval{Mode: "relevance"}, "FUCBA"},           // D below the floor
		{"greedy", six, skills.Retrieval{Mode: "greedy"}, "BAUFC"},                 // .68 .66 .63 .62 .46
		{"greedy by utility", six, skills.Retrieval{Mode: "greedy", Weight: new(0.0)}, "ABUFC"},
		{"one", six, skills.Retrieval{Mode: "greedy", TopK: 1}, "B"},
		{"three", six, skills.Retrieval{Mode: "greedy", TopK: 3}, "BAU"},
		{"as many as there are", six, skills.Retrieval{Mode: "greedy", TopK: 5}, "BAUFC"},
		{"fewer than asked for", six, skills.Retrieval{Mode: "greedy", TopK: 50}, "BAUFC"},
		{"softmax with fewer than asked for is sorted", six, skills.Retrieval{Mode: "softmax", TopK: 5}, "BAUFC"},
		{"success", six, skills.Retrieval{Mode: "relevance", Outcome: "success"}, "CBA"},
		{"failure", six, skills.Retrieval{Mode: "relevance", Outcome: "failure"}, "F"},
		{"lower floor", six, skills.Retrieval{Mode: "relevance", Floor: new(.39), TopK: 9}, "FUCBAD"}, // at the floor is in
		{"higher floor", six, skills.Retrieval{Mode: "relevance", Floor: new(.7)}, "FUC"},
		{"floor above all", six, skills.Retrieval{Mode: "relevance", Floor: new(.95)}, ""},
		{"no floor", []skills.Entry{entry("A", -1, .5, 1), entry("B", -.5, .5, 1)}, skills.Retrieval{Floor: new(-1.0)}, "BA"},
		{"at the default floor", []skills.Entry{entry("A", .4, .5, 1), entry("B", .3999, .5, 1)}, skills.Retrieval{}, "A"},
		{"empty", nil, skills.Retrieval{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			picks, err := library(t, skills.Rules{}, c.bank...).Retrieve(skills.Query{Vector: east}, c.how)
			if got := picked(picks); err != nil || got != c.want {
				t.Errorf("picked %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// Of equals the lower id comes first, whichever was born first.
func TestTiesByID(t *testing.T) {
	a, b, c := entry("A", .8, .5, 3), entry("B", .8, .5, 3), entry("C", .8, .5, 3)
	for _, bank := range [][]skills.Entry{{a, b, c}, {c, b, a}, {b, c, a}} {
		for _, mode := range []skills.Mode{"ucb", "greedy", "relevance", "simutil_ucb"} {
			picks, err := library(t, skills.Rules{}, bank...).Retrieve(skills.Query{Vector: east}, skills.Retrieval{Mode: mode, TopK: 2})
			if err != nil || len(picks) != 2 {
				t.Fatalf("%d picks, %v, want 2", len(picks), err)
			}
			least := min(a.Skill.ID, b.Skill.ID, c.Skill.ID)
			if picks[0].Skill.ID != least || picks[1].Skill.ID <= least || picks[1].Skill.ID == max(a.Skill.ID, b.Skill.ID, c.Skill.ID) {
				t.Errorf("%s: picked %s, %s", mode, picks[0].Skill.ID, picks[1].Skill.ID)
			}
		}
	}
}

func TestRetrieveRefuses(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .5, 3))
	for _, c := range []struct {
		name   string
		vector []float32
		how    skills.Retrieval
		want   string
	}{
		{"dimension", []float32{1}, skills.Retrieval{}, "query: vector: 1 numbers, expected 2"},
		{"length", []float32{1, 1}, skills.Retrieval{}, "query: vector: length 1.414"},
		{"zero", []float32{0, 0}, skills.Retrieval{}, "length 0, expected 1"},
		{"no number", []float32{float32(math.NaN()), 1}, skills.Retrieval{}, "length NaN, expected 1"},
		{"mode", east, skills.Retrieval{Mode: "best"}, `mode: "best", expected one of [ucb greedy`},
		{"weight", east, skills.Retrieval{Weight: new(1.1)}, "weight: 1.1, expected 0 to 1"},
		{"bonus", east, skills.Retrieval{Bonus: new(-1.0)}, "bonus: -1, expected 0 to 100"},
		{"floor", east, skills.Retrieval{Floor: new(math.NaN())}, "floor: NaN, expected -1 to 1"},
		{"top_k", east, skills.Retrieval{TopK: -1}, "top_k: -1, expected 1"},
		{"outcome", east, skills.Retrieval{Outcome: "unknown"}, `outcome: "unknown", expected one of`},
		{"temperature", east, skills.Retrieval{Temperature: 1e-9}, "temperature: 1e-09, expected 0.01"},
		{"all that is wrong", east, skills.Retrieval{Mode: "x", TopK: -1}, "\ntop_k"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := l.Retrieve(skills.Query{Vector: c.vector}, c.how); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// What was retrieved keeps the utility of then: it is what Û is made of.
func TestPicksKeepTheirUtility(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .5, 1))
	picks, err := l.Retrieve(skills.Query{Vector: east}, skills.Retrieval{})
	if err != nil {
		t.Fatal(err)
	}
	next, _ := take(t, l, skills.Episode{Retrieved: []skills.ID{idOf("A")}, Target: 1})
	after, _ := next.Skill(idOf("A"))
	before, _ := l.Skill(idOf("A"))
	if picks[0].Skill.Utility != .5 || before.Utility != .5 || !near(after.Utility, .525) {
		t.Errorf("utility %v retrieved, %v before, %v after, want 0.5, 0.5, 0.525", picks[0].Skill.Utility, before.Utility, after.Utility)
	}
}
