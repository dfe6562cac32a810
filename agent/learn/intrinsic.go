package learn

import (
	"fmt"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/rollout"
)

// IntrinsicReport is of RetroAgent's intrinsic reward: max(0, φ − Φ) for each episode.
type IntrinsicReport struct {
	Shares   credit.Spread `json:"shares"`   // φ: of subtasks that the episodes' own lessons tell as done, 1 of a won one
	Bonus    credit.Spread `json:"bonus"`    // before its factor
	Rewarded float64       `json:"rewarded"` // share of episodes with a bonus above 0
	Before   float64       `json:"before"`   // Φ, mean of the groups
	After    float64       `json:"after"`
	Raised   int           `json:"raised"` // groups whose Φ rose
}

// intrinsic gives the episodes of given, which are those of groups, their bonus. After is Φ of each task. A task that comes
// again in the step is compared with what the groups before it have reached.
func intrinsic(groups []Group, given []credit.Group) (report *IntrinsicReport, after map[string]float64, err error) {
	report, after = &IntrinsicReport{}, map[string]float64{}
	var shares, bonuses []float64
	count := 0
	for i, g := range groups {
		if len(g.Episodes) == 0 {
			continue
		}
		before, again := after[g.Task]
		if !again {
			before = g.Best
		}
		if !(before >= 0 && before <= 1) { // nor NaN
			return nil, nil, fmt.Errorf("intrinsic reward of %s: best success rate %v: expected 0 to 1", g.Task, before)
		}
		done, won := make([]float64, len(g.Episodes)), make([]bool, len(g.Episodes))
		for j, e := range g.Episodes {
			done[j], won[j] = completed(e), e.Outcome.Won
		}
		bonus, best, err := credit.Intrinsic(done, won, before)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", g.Task, err)
		}
		for j, b := range bonus {
			given[i].Episodes[j].Bonus = b
			if b > 0 {
				report.Rewarded++
			}
		}
		shares, bonuses = append(shares, done...), append(bonuses, bonus...)
		report.Before += before
		report.After += best
		if best > before {
			report.Raised++
		}
		after[g.Task] = best
		count++
	}
	report.Shares, report.Bonus = credit.SpreadOf(shares), credit.SpreadOf(bonuses)
	report.Rewarded /= float64(max(1, len(bonuses)))
	report.Before, report.After = report.Before/float64(max(1, count)), report.After/float64(max(1, count))
	return report, after, nil
}

// completed is φ: the share of its subtasks that the episode's own lesson tells as done. 1 of a won one, 0 without a lesson.
func completed(e rollout.Episode) float64 {
	switch {
	case e.Outcome.Won:
		return 1
	case e.Lesson != nil:
		return e.Lesson.Completion()
	}
	return 0
}
