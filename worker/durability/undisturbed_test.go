package durability_test

import (
	"sync"
	"testing"

	"github.com/hone-rl/hone/version"
)

var undisturbedRun struct {
	sync.Once
	outcome
	done bool
}

// undisturbed is the outcome of a run to which nothing happened. It is made once; everything else is compared with
// it.
func undisturbed(t *testing.T) outcome {
	t.Helper()
	undisturbedRun.Do(func() {
		p := newPlace(t, nil)
		run := p.begin()
		c := p.client()
		p.await("the undisturbed run's end", func() bool { return p.over(c, run) })
		o := p.outcome(c, run)
		p.record(run, version.Hone)
		for at, n := range p.attempts(c, o) {
			if n > 1 {
				t.Logf("undisturbed, but %s needed %d attempts", at, n)
			}
		}
		o.points = canonical(staged(t, o.points, run))
		p.mustHone("down")
		undisturbedRun.outcome, undisturbedRun.done = o, !t.Failed()
	})
	if !undisturbedRun.done {
		t.Fatal("there is nothing to compare with: the undisturbed run failed")
	}
	return undisturbedRun.outcome
}
