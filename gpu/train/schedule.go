package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

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

// Check refuses a configuration that cannot train, all faults in one error.
func Check(c gpu.TrainConfig) error {
	var wrong []error
	expect := func(ok bool, name string, value any, want string) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s %v: expected %s", name, value, want))
		}
	}
	part := func(v float64) bool { return v >= 0 && v <= 1 }
	expect(c.Steps > 0, "steps", c.Steps, "above 0")
	expect(c.Rate > 0 && !math.IsInf(c.Rate, 0), "rate", c.Rate, "above 0")
	expect(c.Warmup >= 0, "warmup", c.Warmup, "0 or more")
	expect(part(c.Flat), "flat", c.Flat, "0 to 1")
	expect(part(c.Floor), "floor", c.Floor, "0 to 1")
	expect(c.Beta1 >= 0 && c.Beta1 < 1, "beta1", c.Beta1, "0 to below 1")
	expect(c.Beta2 >= 0 && c.Beta2 < 1, "beta2", c.Beta2, "0 to below 1")
	expect(c.Epsilon > 0, "epsilon", c.Epsilon, "above 0")
	expect(c.WeightDecay >= 0, "weight_decay", c.WeightDecay, "0 or more")
	expect(slices.Contains([]string{"", "linear", "cosine"}, c.Schedule), "schedule", c.Schedule, `"", "linear" or "cosine"`)
	expect(c.DType == "" || c.DType == "float32" || c.DType == "bfloat16", "dtype", c.DType, "float32 or bfloat16")
	expect(c.Attention == "" || c.Attention == "fused" || c.Attention == "eager", "attention", c.Attention, "fused or eager")
	expect(c.Clip > 0, "clip", c.Clip, "above 0")
	if len(wrong) > 0 {
		return fmt.Errorf("train: %w", errors.Join(wrong...))
	}
	return nil
}
