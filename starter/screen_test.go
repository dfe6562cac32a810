package main

import (
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/workflows"
)

// TestPosition: an activity that counts a part adds to what is done, one that counts all of its stage does not count it twice.
func TestPosition(t *testing.T) {
	for name, c := range map[string]struct {
		done, total int
		beat        activities.Beat
		want        int
	}{
		"nothing counted":        {10, 90, activities.Beat{}, 10},
		"a shard of games":       {40, 120, activities.Beat{Done: 7, Of: 20, Unit: "games"}, 47},
		"the only shard":         {0, 120, activities.Beat{Done: 7, Of: 120, Unit: "games"}, 7},
		"a step of a training":   {38, 90, activities.Beat{Done: 38, Of: 90, Unit: "games"}, 38},
		"ahead of the workflow":  {37, 90, activities.Beat{Done: 38, Of: 90, Unit: "games"}, 38},
		"behind the workflow":    {39, 90, activities.Beat{Done: 38, Of: 90, Unit: "games"}, 39},
		"of another unit":        {38, 90, activities.Beat{Done: 30, Of: 64, Unit: "episodes"}, 38},
		"a shard that has ended": {100, 120, activities.Beat{Done: 40, Of: 40, Unit: "games"}, 100},
		"a count without an end": {3, 10, activities.Beat{Done: 4, Unit: "games"}, 7},
	} {
		st := workflows.StageProgress{Name: "s", Done: c.done, Total: c.total, Unit: "games"}
		done, total, unit := position(view{beats: map[string]activities.Beat{"s": c.beat}}, st)
		if done != c.want || total != c.total || unit != "games" {
			t.Errorf("%s: %d of %d %s, want %d of %d", name, done, total, unit, c.want, c.total)
		}
	}
	alone := view{beats: map[string]activities.Beat{"s": {Done: 3, Of: 8, Unit: "replays"}}}
	if done, total, unit := position(alone, workflows.StageProgress{Name: "s"}); done != 3 || total != 8 || unit != "replays" {
		t.Errorf("a stage without a count: %d of %d %s", done, total, unit)
	}
}
