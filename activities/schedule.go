package activities

import (
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
)

// Schedule is Train for so many records: with Epochs and WarmupRatio turned into steps. An epoch ends with a step of
// its own, which may be smaller, as transformers' Trainer counts them; a fraction of a step of warm-up counts as one.
func (p TrainParameters) Schedule(records int) (gpu.TrainConfig, error) {
	c := p.Train
	if p.Epochs > 0 {
		c.Steps = p.Epochs * p.epochSteps(ceil(records, p.Batch))
	}
	if p.WarmupRatio > 0 {
		c.Warmup = int(math.Ceil(p.WarmupRatio * float64(c.Steps)))
	}
	if c.Steps < 1 || c.Warmup > c.Steps {
		return c, fmt.Errorf("%d steps with %d of warm-up for %d records: expected at least one step and no more warm-up than steps",
			c.Steps, c.Warmup, records)
	}
	return c, nil
}

// epochSteps is the steps of an epoch of so many micro-batches.
func (p TrainParameters) epochSteps(epoch int) int { return ceil(epoch, p.Accumulate) }

// microBatches are those of a step, [from, to), of epochs that have so many. Where epochs are counted, none reaches
// into the next one.
func (p TrainParameters) microBatches(step, epoch int) (from, to int) {
	if p.Epochs == 0 {
		return step * p.Accumulate, (step + 1) * p.Accumulate
	}
	steps := p.epochSteps(epoch)
	begin := step / steps * epoch
	from = begin + step%steps*p.Accumulate
	return from, min(from+p.Accumulate, begin+epoch)
}

// ceil is a/b, rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }
