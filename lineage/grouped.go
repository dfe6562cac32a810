package lineage

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
)

// grouped compares the rollouts of a step's games, those that are there and those that were excluded, with the group that
// was asked for of each: 0 to group-1, each as often as the others, for a step may draw a game more than once.
func grouped(all []rollout.Episode, lost []activities.ExcludedEpisode, group int) error {
	if group <= 0 {
		return nil // it does not say it
	}
	times := map[string][]int{}
	count := func(game string, k int) error {
		if k < 0 || k >= group {
			return fmt.Errorf("rollout %d of %s: expected 0 to %d", k, game, group-1)
		}
		if times[game] == nil {
			times[game] = make([]int, group)
		}
		times[game][k]++
		return nil
	}
	for _, e := range all {
		if err := count(e.Game, e.Rollout); err != nil {
			return err
		}
	}
	for _, e := range lost {
		if e.Reason != agent.ReasonClock {
			return fmt.Errorf("rollout %d of %s was excluded for %q: expected %q", e.Rollout, e.Game, e.Reason, agent.ReasonClock)
		}
		if err := count(e.Game, e.Rollout); err != nil {
			return fmt.Errorf("excluded: %w", err)
		}
	}
	for _, game := range slices.Sorted(maps.Keys(times)) {
		most := slices.Max(times[game])
		for k, n := range times[game] {
			if n < most {
				return fmt.Errorf("rollout %d of %s is there or excluded %d times, others of its group %d", k, game, n, most)
			}
		}
	}
	return nil
}
