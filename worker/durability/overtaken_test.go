package durability_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestOvertaken freezes a worker for longer than its heartbeat may be silent, so that another one overtakes it, and
// lets it go on: while the other is at the same work, and after it. What it had been about to write it writes then, and
// goes on until a heartbeat tells it that its attempt is over. That changes nothing.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	dice := rand.New(rand.NewPCG(seed(t), 1))
	frozen := []struct {
		stage, activity, point, name string
		until                        string // the point of the overtaking attempt at which the frozen one goes on
	}{
		{"hints", "HintChunk", "blob-before", "", "start"},
		{"teacher", "TrainSFT", "name-before", "checkpoints/", "end"},
		{"student", "TrainSFT", "blob-before", "", "start"},
		{"evaluation", "CollectTrajectories", "name-before", "stages/", "end"},
	}
	var armed []string
	at := map[string]int{}
	for i, f := range frozen {
		points := slices.DeleteFunc(slices.Clone(want.points), func(p point) bool {
			return p.group() != f.stage || p.Type != f.activity || p.Point != f.point || !strings.HasPrefix(p.What, f.name)
		})
		line := draw(points, dice).fault("stop")
		armed = append(armed, line)
		at[line] = i
	}
	p := newPlace(t, armed)
	p.worker("second")
	run := p.begin("--heartbeat", heartbeat.String())
	c := p.client()
	seen := 0
	var late []func() string
	p.await("the run's end", func() bool {
		if hits := p.hits(); len(hits) > seen {
			line := hits[seen]
			seen++
			late = append(late, p.overtake(line, frozen[at[line]].until))
		}
		return p.over(c, run)
	})
	if seen != len(armed) {
		t.Errorf("workers were frozen %d times, want %d: %v", seen, len(armed), p.hits())
	}
	for _, tell := range late {
		t.Log(tell())
	}
	compare(t, p.outcome(c, run), want)
}

// overtake waits until another attempt passes the point until, and lets the frozen one go on. It returns what tells
// in the end how far that came.
func (p *place) overtake(line, until string) func() string {
	p.t.Helper()
	var frozen point
	p.await("the frozen attempt", func() bool {
		for _, q := range p.trace() {
			if q.fault("stop") == line && frozen.PID == 0 {
				frozen = q
			}
		}
		return frozen.PID != 0
	})
	var by point
	p.await("another attempt at "+line, func() bool {
		for _, q := range p.trace() {
			if q.Activity == frozen.Activity && q.PID != frozen.PID && q.Point == until {
				by = q
			}
		}
		return by.PID != 0
	})
	before := len(p.trace())
	if err := syscall.Kill(frozen.PID, syscall.SIGCONT); err != nil {
		p.t.Fatalf("let the frozen worker go on: %v", err)
	}
	return func() string {
		var late []string
		p.await("the late write of "+line, func() bool {
			late = nil
			for _, q := range p.trace()[before:] {
				if q.PID == frozen.PID && q.Activity == frozen.Activity && q.Attempt == frozen.Attempt {
					late = append(late, q.Point+" "+q.What)
				}
			}
			return len(late) > 0
		})
		return fmt.Sprintf("%s was frozen at %s in attempt %d and went on when attempt %d was at %s; it then passed %q",
			frozen.Activity, frozen.Point, frozen.Attempt, by.Attempt, until, late)
	}
}
