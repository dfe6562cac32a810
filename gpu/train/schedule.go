package train

import (
	"math"

	"github.com/hone-rl/hone/gpu"
)

// Rate is the learning rate of a step, counted from 0: up in a straight line over Warmup steps, at the peak until
// Flat of all steps, then straight down to Floor of the peak at the last step, and there it stays.
//
// The schedules "linear" and "cosine" are transformers' get_linear_schedule_with_warmup and
// get_cosine_schedule_with_warmup: 0 at step 0, the peak at step Warmup, 0 at step Steps, which is behind the last.
func Rate(c gpu.TrainConfig, step int) float64 {
	if c.Schedule != "" {
		if step < c.Warmup {
			return c.Rate * float64(step) / float64(c.Warmup)
		}
		left := max(0, float64(c.Steps-step)/float64(max(1, c.Steps-c.Warmup)))
		if c.Schedule == "cosine" {
			return c.Rate * (1 - math.Cos(math.Pi*left)) / 2 // (1 + cos(π·done))/2
		}
		return c.Rate * left
	}
	if step < c.Warmup {
		return c.Rate * float64(step+1) / float64(c.Warmup)
	}
	from := max(c.Warmup, int(math.Ceil(c.Flat*float64(c.Steps))))
	last := c.Steps - 1
	switch {
	case step >= last:
		return c.Rate * c.Floor
	case step < from:
		return c.Rate
	}
	done := float64(step-from+1) / float64(last-from+1)
	return c.Rate * (1 - (1-c.Floor)*done)
}
