// Package bench measures a piece of Go against its Python original: both in one run, round by round in turn, on the
// same input, with their results held against each other before anything is timed. It is used by benchmarks only.
package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// Cost is what one round took. CPU is the whole process's, user and system: where others share the machine it says
// more than the clock.
type Cost struct {
	Wall, CPU time.Duration
}

// Comparison is one piece of work and those who can do it.
type Comparison struct {
	Unit string  // of the work, as in "steps"
	Work float64 // units in one round
	// Ours does a round, the timed part of it under the clock, and returns what JSON can hold.
	Ours func(*Clock) (any, error)
	// Repeat is how often we do the round before its cost is taken, as the mean: where we are much quicker, one round
	// alone is too short for the clock. 0 is once.
	Repeat int
	// Peers do the same round, given by its name there.
	Peers []Rival
	// Tolerance is how far a number of a peer's result may be from ours, as a part of it. Everything else is equal.
	Tolerance float64
}

// Rival is a Python program's way of doing the work.
type Rival struct {
	Name  string // in the figures
	Peer  *Peer
	Round string // its name in the program
}

// Run does one round of each that is not counted, compares the results, and then as many rounds as the benchmark asks
// for. Who begins changes from round to round. The figures are units of work a second (median round), and for each
// peer the ratio: how many times as long it took as we did, pair by pair of neighbouring rounds, median, least and
// greatest.
func (c Comparison) Run(b *testing.B) {
	b.Helper()
	c.warm(b)
	ours, theirs := []Cost{}, make([][]Cost, len(c.Peers))
	for b.Loop() {
		turns := []func(){func() { cost, _ := c.ours(b); ours = append(ours, cost) }}
		for i, r := range c.Peers {
			turns = append(turns, func() { cost, _ := r.Peer.Round(b, r.Round); theirs[i] = append(theirs[i], cost) })
		}
		if len(ours)%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			turn()
		}
	}
	b.ReportMetric(0, "ns/op") // of all sides together: says nothing
	b.ReportMetric(c.Work/median(walls(ours)), "ours-"+c.Unit+"/s")
	for i, r := range c.Peers {
		wall, cpu := ratios(theirs[i], ours)
		b.ReportMetric(c.Work/median(walls(theirs[i])), r.Name+"-"+c.Unit+"/s")
		b.ReportMetric(median(wall), r.Name+"-ratio")
		b.ReportMetric(slices.Min(wall), r.Name+"-ratio-least")
		b.ReportMetric(slices.Max(wall), r.Name+"-ratio-most")
		b.ReportMetric(median(cpu), r.Name+"-ratio-cpu")
	}
}

func (c Comparison) warm(b *testing.B) {
	b.Helper()
	_, mine := c.ours(b)
	text, err := json.Marshal(mine)
	if err != nil {
		b.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		b.Fatal(err)
	}
	for _, r := range c.Peers {
		_, got := r.Peer.Round(b, r.Round)
		if err := same(want, got, c.Tolerance); err != nil {
			b.Fatalf("%s did other work: %v", r.Name, err)
		}
	}
}

func (c Comparison) ours(b *testing.B) (Cost, any) {
	b.Helper()
	var clock Clock
	var result any
	times := max(1, c.Repeat)
	for range times {
		var err error
		if result, err = c.Ours(&clock); err != nil {
			b.Fatal(err)
		}
	}
	return Cost{clock.Cost.Wall / time.Duration(times), clock.Cost.CPU / time.Duration(times)}, result
}

// same compares what came out of JSON.
func same(ours, theirs any, tolerance float64) error {
	differ := fmt.Errorf("ours %.80v, theirs %.80v", ours, theirs)
	switch o := ours.(type) {
	case float64:
		if t, ok := theirs.(float64); !ok || math.Abs(o-t) > tolerance*math.Abs(o) {
			return differ
		}
		return nil
	case []any:
		t, ok := theirs.([]any)
		if !ok || len(t) != len(o) {
			return differ
		}
		for i := range o {
			if err := same(o[i], t[i], tolerance); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
	if ours != theirs {
		return differ
	}
	return nil
}

func walls(costs []Cost) []float64 {
	all := make([]float64, len(costs))
	for i, c := range costs {
		all[i] = c.Wall.Seconds()
	}
	return all
}

func ratios(theirs, ours []Cost) (wall, cpu []float64) {
	for i := range ours {
		wall = append(wall, theirs[i].Wall.Seconds()/ours[i].Wall.Seconds())
		cpu = append(cpu, theirs[i].CPU.Seconds()/ours[i].CPU.Seconds())
	}
	return wall, cpu
}

func median(all []float64) float64 {
	s := slices.Sorted(slices.Values(all))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
