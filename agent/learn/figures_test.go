package learn_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
)

// answers are said with n tokens each, all of them ended by themselves.
func answers(phase rollout.Phase, fault string, n ...int) (all []rollout.Said) {
	for _, tokens := range n {
		s := said(phase, 1, tokens)
		s.Stopped, s.Fault = true, fault
		all = append(all, s)
	}
	return all
}

func ended(won bool, reason string, steps int) agent.Trajectory {
	return agent.Trajectory{Game: "g", Outcome: agent.Outcome{Won: won, Reason: reason, Steps: steps}, Steps: make([]agent.Step, steps)}
}

// distilFault is the fault of an answer to distil, as rollouts note it.
func distilFault(t *testing.T, text string) string {
	t.Helper()
	_, err := reply.Distilled(text)
	if err == nil {
		t.Fatalf("%q is a lesson", text)
	}
	return err.Error()
}

// Five episodes by hand: two won, one of them with the better skill first, one that read nothing in its ranking's answer, one
// without a skill that could be found, and one bare.
func TestFigures(t *testing.T) {
	skills := []rollout.Found{{ID: "a", Utility: 0.5, Relevance: 0.8}, {ID: "b", Utility: 0.9, Relevance: 0.6}}
	lesson := &reply.Lesson{Success: true, Actions: "take the mug"}
	cut := answers(rollout.Act, "no action", 10)
	cut[0].Stopped = false
	join := func(parts ...[]rollout.Said) (all []rollout.Said) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	episodes := []rollout.Episode{
		{ // won: 0.9 before 0.5, NDCG 1; r - Û = 0.1
			Trajectory: ended(true, "won", 2), Found: skills, Order: []int{1, 0}, Ranked: true, Lesson: lesson,
			Said: join(answers(rollout.Query, "", 4), answers(rollout.Rank, "", 3), answers(rollout.Act, "", 6, 8), answers(rollout.Distil, "", 20)),
		},
		{ // won with a skill of utility 1: r - Û = 0. The order says nothing of two skills: NDCG by 0.5 before 1.
			Rollout: 1, Trajectory: ended(true, "won", 1), Found: []rollout.Found{{Utility: 0.5, Relevance: 0.7}, {Utility: 1, Relevance: 0.5}},
			Order: []int{0, 1}, Ranked: true, Lesson: &reply.Lesson{Success: true},
			Said: join(answers(rollout.Query, "", 6), answers(rollout.Rank, "", 3), answers(rollout.Act, "", 6), answers(rollout.Distil, "", 10)),
		},
		{ // lost: no order
			Rollout: 2, Trajectory: ended(false, "steps", 1), Found: skills, Order: []int{0, 1},
			Said: join(answers(rollout.Query, "", 2), answers(rollout.Rank, "no order", 9), cut, answers(rollout.Distil, distilFault(t, "no"), 6)),
		},
		{ // nothing was found, so nothing is ranked: Û is 0
			Rollout: 3, Trajectory: ended(false, "steps", 2),
			Said: join(answers(rollout.Query, "empty query", 1), answers(rollout.Act, "", 6), answers(rollout.Act, "no think", 4), answers(rollout.Distil, distilFault(t, "{"+"}"), 4)),
		},
		{Rollout: 4, Bare: true, Trajectory: ended(false, "lost", 0)},
	}
	got, err := learn.FiguresOf(episodes, "")
	if err != nil {
		t.Fatal(err)
	}
	round := func(x float64) float64 { return math.Round(x*1e6) / 1e6 }
	// (0.5 + 1/log2 3)/(1 + 0.5/log2 3) = (0.5 + 0.630930)/(1 + 0.315465)
	second := 1.1309297535714573 / 1.3154648767857287
	mean := (1 + second + 0) / 3
	std := math.Sqrt(((1-mean)*(1-mean) + (second-mean)*(second-mean) + mean*mean) / 2)
	want := learn.Figures{
		Episodes: 5, Won: 2, WonShare: 0.4, Turns: 1.2, WonTurns: 1.5, Ends: map[string]int{"won": 2, "steps": 2, "lost": 1},
		Phases: map[rollout.Phase]learn.PhaseFigures{
			rollout.Query:  {Answers: 4, Tokens: 3.25, Invalid: 0.25, Faults: map[string]int{"empty query": 1}},
			rollout.Rank:   {Answers: 3, Tokens: 5, Invalid: 0.333333, Faults: map[string]int{"no order": 1}},
			rollout.Act:    {Answers: 6, Tokens: 6.666667, Truncated: 1, Invalid: 0.333333, Faults: map[string]int{"no action": 1, "no think": 1}},
			rollout.Distil: {Answers: 4, Tokens: 10, Invalid: 0.5, Faults: map[string]int{"no object": 1, "no task_success": 1}},
		},
		Selection: learn.SelectionFigures{
			Episodes: 3, FoundShare: 0.75, Skills: 2, QueryForm: 0.75,
			Relevance: 0.7, RelevanceAll: 0.666667, // (0.6 + 0.7 + 0.8)/3; (1.4 + 1.2 + 1.4)/6
			Precision:  0.633333, // (0.9 + 0.5 + 0.5)/3
			RankParsed: 0.666667, NDCG: credit.Spread{Count: 3, Mean: round(mean), Std: round(std), Max: 1},
		},
		// Û: 0.9, 1, 0.9 and 0.
		Distil: learn.DistilFigures{Asked: 4, Parsed: 0.5, Kept: 1, Positive: 0.25, Expected: 0.7},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	// By the mean, Û is 0.7, 0.75, 0.7 and 0: the second is positive as well.
	byMean, err := learn.FiguresOf(episodes, credit.ByMean)
	if err != nil || byMean.Distil.Positive != 0.5 || byMean.Distil.Expected != 0.5375 {
		t.Errorf("by the mean: %+v, %v", byMean.Distil, err)
	}
}

// What differs from answer to answer is in no kind of fault; nothing at all counts as nothing.
func TestFiguresKinds(t *testing.T) {
	var e rollout.Episode
	for text, want := range map[string]string{
		"I learnt much.": "no object", "{x}": "no JSON", "{y}": "no JSON", `{"subtasks":3,"task_success":true}`: "no JSON",
		`{"subtasks":[]}`: "no task_success", `{"task_success":true,"subtasks":[{"status":"done"}]}`: "status",
	} {
		e.Said = answers(rollout.Distil, distilFault(t, text), 1)
		f, err := learn.FiguresOf([]rollout.Episode{e}, "")
		if err != nil || !reflect.DeepEqual(f.Phases[rollout.Distil].Faults, map[string]int{want: 1}) {
			t.Errorf("%s: %v, %v, want %s", text, f.Phases[rollout.Distil].Faults, err, want)
		}
	}
	for want, lesson := range []reply.Lesson{{Success: true}, {Actions: "look first"}} { // the first says nothing
		e.Lesson, e.Said = &lesson, answers(rollout.Distil, "", 1)
		if f, err := learn.FiguresOf([]rollout.Episode{e}, ""); err != nil || f.Distil.Kept != want || f.Distil.Parsed != 1 {
			t.Errorf("%+v: %+v, %v, want %d kept", lesson, f.Distil, err, want)
		}
	}
	none, err := learn.FiguresOf(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(none)
	if err != nil || !strings.HasPrefix(string(raw), `{"episodes":0,"won":0,"won_share":0,`) || strings.Contains(string(raw), "library") {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestFiguresRefuses(t *testing.T) {
	one := rollout.Episode{Rollout: 7, Trajectory: ended(false, "steps", 0), Found: []rollout.Found{{Utility: math.NaN()}}, Order: []int{0}}
	one.Said = answers(rollout.Distil, "", 1)
	other := one
	other.Order = []int{1}
	for want, e := range map[string]rollout.Episode{
		"figures of rollout 7 of g: expected success: utility NaN": one,
		"figures of rollout 7 of g: order [1] of 1 skills":         other,
	} {
		if _, err := learn.FiguresOf([]rollout.Episode{e}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
