package gpu

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hone-rl/hone/checkpoint"
)

// Bounds of TrainConfig, well beyond what trains. Published recipes have rates of 1e-6 to 1e-2 and clip at 0.1 to 1.
const (
	MinRate    = 1e-12 // below it fp32 keeps no step beside weights of any use
	MaxRate    = 1     // beyond it a step of AdamW is all that is left of a weight
	MaxDecay   = 100
	MinEpsilon = 1e-30
	MaxEpsilon = 1
	MinClip    = 1e-3 // below it gradients are lost beside epsilon
	MaxClip    = 1e6
	MaxScale   = 1024 // of an adapter's alpha/rank, or alpha/sqrt(rank); published ones are 0.5 to 32
)

// Check says all that is wrong with a configuration, in one error.
func (c TrainConfig) Check() error { return errors.Join(c.Complaints()...) }

// Complaints are all that is wrong with a configuration. Each begins with the field that it is about, as JSON names it.
func (c TrainConfig) Complaints() []error {
	var wrong []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	part := func(v float64) bool { return v >= 0 && v <= 1 }
	expect(c.Steps > 0, "steps %d: expected above 0", c.Steps)
	expect(c.Rate >= MinRate && c.Rate <= MaxRate, "rate %v: expected %v to %v", c.Rate, MinRate, MaxRate)
	expect(c.Warmup >= 0, "warmup %d: expected 0 or more", c.Warmup)
	expect(part(c.Flat), "flat %v: expected 0 to 1", c.Flat)
	expect(part(c.Floor), "floor %v: expected 0 to 1", c.Floor)
	expect(c.Beta1 >= 0 && c.Beta1 < 1, "beta1 %v: expected 0 to below 1", c.Beta1)
	expect(c.Beta2 >= 0 && c.Beta2 < 1, "beta2 %v: expected 0 to below 1", c.Beta2)
	expect(c.Epsilon >= MinEpsilon && c.Epsilon <= MaxEpsilon, "epsilon %v: expected %v to %v", c.Epsilon, MinEpsilon, MaxEpsilon)
	expect(c.WeightDecay >= 0 && c.WeightDecay <= MaxDecay && !(c.Rate*c.WeightDecay > 0.5),
		"weight_decay %v: expected 0 to %d and to 0.5/rate, with which a step halves a weight", c.WeightDecay, MaxDecay)
	expect(c.Clip >= MinClip && c.Clip <= MaxClip, "clip %v: expected %v to %v", c.Clip, MinClip, MaxClip)
	expect(slices.Contains([]string{"", "linear", "cosine"}, c.Schedule),
		"schedule %q: expected linear or cosine, or none for warmup, flat and floor", c.Schedule)
	expect(c.DType == "" || c.DType == "float32" || c.DType == "bfloat16", "dtype %q: expected float32 or bfloat16", c.DType)
	expect(c.Save == "" || c.Save == "float32" || c.Save == "bfloat16", "save %q: expected float32 or bfloat16", c.Save)
	expect(c.Save != "bfloat16" || c.LoRA == nil, "save %s: expected float32 with lora, whose adapter is written so", c.Save)
	expect(c.Attention == "" || c.Attention == "fused" || c.Attention == "eager", "attention %q: expected fused or eager", c.Attention)
	if c.LoRA != nil {
		of := c.LoRA.complaints()
		if len(of) == 0 {
			expect(!(c.Rate*c.LoRA.scale() > MaxRate), "lora.alpha %v: expected, by its rank and times rate %v, at most %v", c.LoRA.Alpha, c.Rate, MaxRate)
		}
		wrong = append(wrong, of...)
	}
	return wrong
}

// Check says all that is wrong with an adapter to be trained, in one error.
func (l LoRA) Check() error { return errors.Join(l.complaints()...) }

func (l LoRA) complaints() []error {
	var wrong []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	expect(l.Rank >= 1 && l.Rank <= checkpoint.MaxRank, "lora.rank %d: expected 1 to %d", l.Rank, checkpoint.MaxRank)
	expect(l.Alpha > 0 && l.Alpha <= checkpoint.MaxAlpha, "lora.alpha %v: expected above 0 to %d", l.Alpha, checkpoint.MaxAlpha)
	if len(wrong) == 0 {
		expect(l.scale() <= MaxScale, "lora.alpha %v: expected at most %d times its rank, %d, or with rslora the root of it",
			l.Alpha, MaxScale, l.Rank)
	}
	expect(l.Dropout >= 0 && l.Dropout < 1, "lora.dropout %v: expected 0 to below 1", l.Dropout)
	if _, err := checkpoint.NewTargetSet(l.Targets); err != nil {
		wrong = append(wrong, fmt.Errorf("lora.%w", err))
	}
	return wrong
}

// scale is what the adapter's product is multiplied by.
func (l LoRA) scale() float64 {
	if l.RSLoRA {
		return l.Alpha / math.Sqrt(float64(l.Rank))
	}
	return l.Alpha / float64(l.Rank)
}

// CheckTemperature says what is wrong with the temperature of a request or of a Scoring.
func CheckTemperature[T float32 | float64](t T) error {
	if t == 0 || t >= T(MinTemperature) && t <= MaxTemperature {
		return nil
	}
	return fmt.Errorf("temperature %v: expected 0 or %v to %v", t, MinTemperature, MaxTemperature)
}
