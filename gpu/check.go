package gpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/checkpoint"
)

// Bounds of TrainConfig, well beyond what trains: within them one step in fp32 stays finite.
const (
	MaxRate    = 10
	MinEpsilon = 1e-30
	MaxEpsilon = 1
	MaxClip    = 1e6
)

// Check says all that is wrong with a configuration, in one error.
func (c TrainConfig) Check() error {
	var wrong []error
	expect := func(ok bool, name string, value any, want string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s %v: expected %s", name, value, fmt.Sprintf(want, args...)))
		}
	}
	part := func(v float64) bool { return v >= 0 && v <= 1 }
	expect(c.Steps > 0, "steps", c.Steps, "above 0")
	expect(c.Rate > 0 && c.Rate <= MaxRate, "rate", c.Rate, "above 0 to %v", MaxRate)
	expect(c.Warmup >= 0, "warmup", c.Warmup, "0 or more")
	expect(part(c.Flat), "flat", c.Flat, "0 to 1")
	expect(part(c.Floor), "floor", c.Floor, "0 to 1")
	expect(c.Beta1 >= 0 && c.Beta1 < 1, "beta1", c.Beta1, "0 to below 1")
	expect(c.Beta2 >= 0 && c.Beta2 < 1, "beta2", c.Beta2, "0 to below 1")
	expect(c.Epsilon >= MinEpsilon && c.Epsilon <= MaxEpsilon, "epsilon", c.Epsilon, "%v to %v", MinEpsilon, MaxEpsilon)
	expect(c.WeightDecay >= 0 && c.Rate*c.WeightDecay <= 1, "weight_decay", c.WeightDecay, "0 to 1/rate, with which a step takes a weight to 0")
	expect(slices.Contains([]string{"", "linear", "cosine"}, c.Schedule), "schedule", c.Schedule, `"", "linear" or "cosine"`)
	expect(c.DType == "" || c.DType == "float32" || c.DType == "bfloat16", "dtype", c.DType, "float32 or bfloat16")
	expect(c.Attention == "" || c.Attention == "fused" || c.Attention == "eager", "attention", c.Attention, "fused or eager")
	expect(c.Clip > 0 && c.Clip <= MaxClip, "clip", c.Clip, "above 0 to %v", MaxClip)
	if c.LoRA != nil {
		wrong = append(wrong, c.LoRA.Check())
	}
	return errors.Join(wrong...)
}

// Check says all that is wrong with an adapter to be trained, in one error.
func (l LoRA) Check() error {
	var wrong []error
	if l.Rank < 1 || l.Rank > checkpoint.MaxRank {
		wrong = append(wrong, fmt.Errorf("lora.rank %d: expected 1 to %d", l.Rank, checkpoint.MaxRank))
	}
	if !(l.Alpha > 0 && l.Alpha <= checkpoint.MaxAlpha) {
		wrong = append(wrong, fmt.Errorf("lora.alpha %v: expected above 0 to %d", l.Alpha, checkpoint.MaxAlpha))
	}
	if !(l.Dropout >= 0 && l.Dropout < 1) {
		wrong = append(wrong, fmt.Errorf("lora.dropout %v: expected 0 to below 1", l.Dropout))
	}
	if _, err := checkpoint.NewTargetSet(l.Targets); err != nil {
		wrong = append(wrong, fmt.Errorf("lora.%w", err))
	}
	return errors.Join(wrong...)
}

// CheckTemperature says what is wrong with the temperature of a request or of a Scoring.
func CheckTemperature[T float32 | float64](t T) error {
	if t == 0 || t >= T(MinTemperature) && t <= MaxTemperature {
		return nil
	}
	return fmt.Errorf("temperature %v: expected 0 or %v to %v", t, MinTemperature, MaxTemperature)
}
