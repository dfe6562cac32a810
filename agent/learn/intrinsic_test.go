package learn_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
)

// lessoned is an episode of one command with a lesson of four subtasks, so many of them done.
func lessoned(n int, won bool, first int32, done int) rollout.Episode {
	e := episode(n, won, first, 1)
	e.Lesson = &reply.Lesson{}
	for i := range 4 {
		e.Lesson.Subtasks = append(e.Lesson.Subtasks, reply.Subtask{Completed: i < done})
	}
	return e
}

// RetroAgent's intrinsic reward (section 3), by hand. Of task a, whose best rate was 1/4: a won episode's φ is 1 whatever it
// says, so bonuses 3/4 and 3/4 - 1/4 = 1/2, and the best is then 1/2. Of b, never played: 1/2 and, without a lesson, 0. Of a
// once more, against 1/2: 0 and 1/4; nobody wins, and the best stays.
func TestIntrinsic(t *testing.T) {
	silent := lessoned(1, false, 400, 4)
	silent.Lesson = nil
	groups := []learn.Group{
		{Task: "a", Best: 0.25, Episodes: []rollout.Episode{lessoned(0, true, 100, 2), lessoned(1, false, 200, 3)}},
		{Task: "b", Episodes: []rollout.Episode{lessoned(0, false, 300, 2), silent}},
		{Task: "c", Best: 0.5},
		{Task: "a", Best: 0.25, Episodes: []rollout.Episode{lessoned(0, false, 500, 1), lessoned(1, false, 600, 3)}},
	}
	cfg := named(t, "retroagent")
	cfg.Credit.Parts[0].Baseline, cfg.Credit.Parts[0].Scale = credit.NoBaseline, credit.Unscaled
	r := &recorder{}
	report := update(t, r, cfg, groups...)
	// Of the part's 24 tokens, four an episode's command, each has its return's share: 10 of the win, and the bonus.
	for token, want := range map[int32]float64{102: 10.75, 202: 0.5, 302: 0.5, 402: 0, 502: 0, 602: 0.25} {
		if !near(r.by[token], -want/24) {
			t.Errorf("derivative at %d: %v, want %v", token, r.by[token], -want/24)
		}
	}
	if want := map[string]float64{"a": 0.5, "b": 0}; !reflect.DeepEqual(report.Best, want) {
		t.Errorf("best rates %v, want %v", report.Best, want)
	}
	i := report.Intrinsic
	if i.Shares != credit.SpreadOf([]float64{1, 0.75, 0.5, 0, 0.25, 0.75}) || i.Bonus != credit.SpreadOf([]float64{0.75, 0.5, 0.5, 0, 0, 0.25}) {
		t.Errorf("shares %+v, bonuses %+v", i.Shares, i.Bonus)
	}
	// Φ before: 1/4, 0, 1/2; after: 1/2, 0, 1/2.
	if !near(i.Rewarded, 4./6) || !near(i.Before, 0.25) || !near(i.After, 1./3) || i.Raised != 1 {
		t.Errorf("report %+v", i)
	}
	if s := report.Rewards["episode"]; s.Max != 10.75 || s.Min != 0 {
		t.Errorf("episodes' rewards %+v", s)
	}

	cfg.Credit.Intrinsic = 0.5 // a factor
	update(t, r, cfg, groups...)
	if want := 10 + 0.75/2; !near(r.by[102], -want/24) {
		t.Errorf("half the bonus: derivative %v, want %v", r.by[102], -want/24)
	}
	cfg.Credit.Intrinsic = 0
	if report = update(t, r, cfg, groups...); report.Intrinsic != nil || report.Best != nil || !near(r.by[102], -10./24) || r.by[202] != 0 {
		t.Errorf("switched off: %+v, derivatives %v", report.Intrinsic, r.by)
	}
	cfg.Credit.Intrinsic = 1
	groups[0].Best = 1.5
	if _, err := learn.Update(t.Context(), r, cfg, groups, nil); err == nil || !strings.Contains(err.Error(), "intrinsic reward of a: best success rate 1.5: expected 0 to 1") {
		t.Errorf("error %v", err)
	}
	if report = update(t, &recorder{}, cfg, learn.Group{Task: "c", Size: 2}); *report.Intrinsic != (learn.IntrinsicReport{}) || fmt.Sprint(report.Best) != "map[]" {
		t.Errorf("of nobody: %+v, %v", report.Intrinsic, report.Best)
	}
}
