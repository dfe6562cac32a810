package rollout_test

import (
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-rl/hone/agent/rollout"
)

// counted is a clock on which each look takes a second: a span has as many seconds as looks until its end.
func counted(looks *atomic.Int64) func() time.Time {
	return func() time.Time { return time.Unix(looks.Add(1), 0) }
}

// One episode after the other, a second each: a query, an order, four commands and a lesson; two searches, by the task's
// text and by the query; the game's start and its four steps. Without a clock the episodes are the same.
func TestTimes(t *testing.T) {
	var looks atomic.Int64
	cfg := config(&script{answer: mover})
	want := play(t, cfg, task(2), task(1))
	cfg.Batch, cfg.Times = 1, rollout.NewTimes(counted(&looks))
	got := play(t, cfg, task(2), task(1))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with a clock\n%+v\nwithout\n%+v", got, want)
	}
	commands := time.Duration(len(got[0].Steps) + len(got[1].Steps))
	seconds := map[rollout.Part]time.Duration{
		rollout.TimeQuery: 2 * time.Second, rollout.TimeRank: 2 * time.Second, rollout.TimePlay: commands * time.Second,
		rollout.TimeDistil: 2 * time.Second, rollout.TimeRetrieve: 4 * time.Second, rollout.TimeGame: (2 + commands) * time.Second,
	}
	if spent := cfg.Times.Spent(); !reflect.DeepEqual(spent, seconds) {
		t.Errorf("spent %v, want %v", spent, seconds)
	}
	if want := 2 * int64(2+2+commands+2+4+2+commands); looks.Load() != want {
		t.Errorf("%d looks at the clock, want %d", looks.Load(), want)
	}
	var sum time.Duration
	for _, spent := range seconds {
		sum += spent
	}
	shares := cfg.Times.Shares(sum / 4)
	for part, spent := range seconds {
		if shares[part] != spent/4 {
			t.Errorf("share of %s %v, want %v", part, shares[part], spent/4)
		}
	}
	if none := rollout.NewTimes(nil).Shares(time.Hour); len(none) != 0 || len((*rollout.Times)(nil).Spent()) != 0 {
		t.Errorf("shares of nothing: %v", none)
	}
}

// Many at once add to the same sums: what is waited for side by side counts for each, and what fails counts as well.
func TestTimesAtOnce(t *testing.T) {
	var looks atomic.Int64
	cfg := config(&script{answer: mover})
	cfg.Batch, cfg.Times, cfg.Skills, cfg.Distil = 8, rollout.NewTimes(counted(&looks)), nil, false
	var tasks []rollout.Task
	for i := range 8 {
		next := task(1 + i%3)
		next.Rollout = i
		tasks = append(tasks, next)
	}
	play(t, cfg, tasks...)
	spent := cfg.Times.Spent()
	if len(spent) != 2 || spent[rollout.TimePlay] < 8*4*time.Second || spent[rollout.TimeGame] < 8*5*time.Second {
		t.Errorf("spent %v, want at least four seconds of play an episode and five of game", spent)
	}
	failing := config(&script{answer: func(string, uint64) string { return "fail" }})
	failing.Times, failing.Skills = rollout.NewTimes(counted(&looks)), nil
	if err := rollout.Play(t.Context(), failing, tasks[:1], func(rollout.Episode) error { return nil }); err == nil || errors.Is(err, t.Context().Err()) {
		t.Fatalf("error %v", err)
	}
	if spent := failing.Times.Spent(); spent[rollout.TimePlay] != time.Second {
		t.Errorf("spent %v, want a second of play", spent)
	}
}
