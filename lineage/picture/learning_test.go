package picture

import (
	"testing"

	"github.com/hone-rl/hone/lineage"
)

// TestMeanOfSteps: the mean goes over the last ten steps, of episodes and not of shares, and passes over a step without any.
func TestMeanOfSteps(t *testing.T) {
	run := learning{&lineage.Learning{}}
	for k := 1; k <= 12; k++ {
		s := lineage.LearningStep{Step: k, Episodes: 4, Won: 1}
		switch k {
		case 2:
			s.Won = 4
		case 5:
			s.Episodes, s.Won = 0, 0
		case 12:
			s.Episodes, s.Won = 12, 12
		}
		run.Steps = append(run.Steps, s)
	}
	mean := run.won()[1].Points
	// Steps 3 to 12: eight with 1 of 4, one with none, one with 12 of 12.
	if got, want := mean[len(mean)-1].Y, 100*20./44; len(mean) != 11 || got != want {
		t.Errorf("got %v of %d points, want %v of 11", got, len(mean), want)
	}
	if got, want := mean[len(mean)-2].Y, 100*12./36; got != want { // steps 2 to 11
		t.Errorf("got %v, want %v", got, want)
	}
}
