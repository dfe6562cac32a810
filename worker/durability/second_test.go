package durability_test

import "testing"

// TestSecondFolder: the same spec gives the same digests on another data folder, where the work is shared otherwise:
// one worker for the device, and two for the rest that take other numbers of activities at once.
func TestSecondFolder(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	p := newPlace(t, nil, "--no-worker")
	p.worker("one", "--queues", "cpu", "--parallel", "1")
	p.worker("three", "--queues", "cpu", "--parallel", "3")
	p.worker("device", "--queues", "gpu")
	run := p.begin()
	c := p.client()
	p.await("the run's end", func() bool { return p.over(c, run) })
	compare(t, p.outcome(c, run), want)
}
