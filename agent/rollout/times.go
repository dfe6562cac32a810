package rollout

import (
	"sync"
	"time"
)

// Part is what time is spent on in play.
type Part string

// The parts: waiting for the policy's answers of each phase, looking for skills, and the games themselves.
const (
	TimeQuery    Part = "query"
	TimeRank     Part = "rank"
	TimePlay     Part = "play" // the answers of the phase act
	TimeDistil   Part = "distil"
	TimeRetrieve Part = "retrieve"
	TimeGame     Part = "game"
)

// timeOf is the part of a phase.
var timeOf = map[Phase]Part{Query: TimeQuery, Rank: TimeRank, Act: TimePlay, Distil: TimeDistil}

// Times adds up how episodes spend their time, from many goroutines. It is beside episodes and never in them. A nil *Times
// reads no clock and has no time.
type Times struct {
	now   func() time.Time
	mu    sync.Mutex
	spent map[Part]time.Duration
}

// NewTimes reads the clock now, which has to be safe for many goroutines.
func NewTimes(now func() time.Time) *Times {
	return &Times{now: now, spent: map[Part]time.Duration{}}
}

// Spent is the time of each part, summed over the episodes: those that wait side by side each count, so that the sum may
// be far more than the time that has passed.
func (t *Times) Spent() map[Part]time.Duration {
	all := map[Part]time.Duration{}
	if t == nil {
		return all
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for part, spent := range t.spent {
		all[part] = spent
	}
	return all
}

// Shares divides a time that has passed among the parts as Spent has them. Rounding down, the shares come to at most that
// time. None where nothing was spent.
func (t *Times) Shares(passed time.Duration) map[Part]time.Duration {
	all := t.Spent()
	var sum time.Duration
	for _, spent := range all {
		sum += spent
	}
	for part, spent := range all {
		if sum <= 0 {
			delete(all, part)
			continue
		}
		all[part] = time.Duration(float64(passed) * (float64(spent) / float64(sum)))
	}
	return all
}

// begin begins to measure a part; the function that it returns ends that.
func (t *Times) begin(part Part) func() {
	if t == nil {
		return func() {}
	}
	begun := t.now()
	return func() {
		spent := t.now().Sub(begun)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.spent[part] += spent
	}
}
