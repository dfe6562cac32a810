package workflows_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/workflows"
)

// The order of an epoch, worked out in another language: SplitMix64 of seed, epoch and place.
func TestTasksOrder(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		step int
		want []int
	}{
		{1, 1, []int{3, 5, 2, 4, 1, 0}},
		{1, 2, []int{1, 2, 5, 0, 4, 3}},
		{2, 1, []int{1, 3, 0, 4, 2, 5}},
	} {
		if got := workflows.Tasks(c.seed, c.step, 6, 6); !slices.Equal(got, c.want) {
			t.Errorf("seed %d, step %d: got %v, want %v", c.seed, c.step, got, c.want)
		}
	}
}

// 3 of 5 games a step: the second step takes the 2 left of the first epoch and 1 of the second, and so on. Games that a
// step has already wait for the next one.
func TestTasksAcrossEpochs(t *testing.T) {
	want := [][]int{{3, 2, 4}, {1, 0, 2}, {1, 0, 4}, {3, 1, 2}, {3, 4, 0}}
	for step, want := range want {
		if got := workflows.Tasks(1, step+1, 5, 3); !slices.Equal(got, want) {
			t.Errorf("step %d: got %v, want %v", step+1, got, want)
		}
	}
}

func TestTasksOnceAnEpoch(t *testing.T) {
	for _, c := range []struct{ n, count, taken int }{{5, 3, 3}, {7, 7, 7}, {16, 16, 16}, {17, 16, 16}, {33, 16, 16}, {3, 16, 3}, {1, 1, 1}, {4, 3, 3}} {
		var all []int
		for step := range 40 {
			tasks := workflows.Tasks(7, step+1, c.n, c.count)
			if len(tasks) != c.taken || len(slices.Compact(slices.Sorted(slices.Values(tasks)))) != c.taken {
				t.Fatalf("%d of %d: step %d plays %v, want %d games, each once", c.count, c.n, step+1, tasks, c.taken)
			}
			all = append(all, tasks...)
		}
		for epoch := 0; (epoch+1)*c.n <= len(all); epoch++ {
			games := slices.Sorted(slices.Values(all[epoch*c.n : (epoch+1)*c.n]))
			for i, game := range games {
				if game != i {
					t.Fatalf("%d of %d: epoch %d plays %v", c.count, c.n, epoch, games)
				}
			}
		}
	}
}

func TestTasksFollowSeed(t *testing.T) {
	if a, b := workflows.Tasks(1, 3, 100, 16), workflows.Tasks(1, 3, 100, 16); !slices.Equal(a, b) {
		t.Errorf("the same step: %v and %v", a, b)
	}
	for _, other := range [][]int{workflows.Tasks(2, 3, 100, 16), workflows.Tasks(1, 4, 100, 16)} {
		if slices.Equal(other, workflows.Tasks(1, 3, 100, 16)) {
			t.Errorf("another seed or step plays the same games %v", other)
		}
	}
}
