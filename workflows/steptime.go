package workflows

import (
	"time"

	"github.com/hone-rl/hone/activities"
)

// mostTimed bounds the steps whose times a training carries along: the last ones.
const mostTimed = 1000

// spent notes where an activity's time went: in its own parts or, where it names none, as one. Its time counts to the step
// that is at work: of validations to the one before.
func (c *course) spent(step int, w activities.Work, as string) {
	n := len(c.at.Times)
	if n == 0 || c.at.Times[n-1].Step != step {
		c.at.Times = append(c.at.Times, activities.StepTime{Step: step, Phases: map[string]time.Duration{}})
		c.at.Times = c.at.Times[max(0, len(c.at.Times)-mostTimed):]
		n = len(c.at.Times)
	}
	to := c.at.Times[n-1].Phases
	if as == TimeValidation || len(w.Phases) == 0 {
		to[as] += w.Ended.Sub(w.Started)
		return
	}
	//workflowcheck:ignore sums are the same in any order
	for part, d := range w.Phases {
		to[part] += d
	}
}

// TimeValidation is the part of a step's time that its panels took, which follow only some steps.
const TimeValidation = "validation"

// What activities without parts of their own spend their time on.
const (
	timePlay   = "play"
	timeSkills = "skills"
	timeUpdate = "update"
)
