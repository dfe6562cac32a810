package learn

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/grpo"
)

// Config says how a step's episodes become an update. Fields that are 0 have the defaults beside them.
type Config struct {
	Credit credit.Config `json:"credit" yaml:"credit"`
	Expect credit.Expect `json:"expect,omitempty" yaml:"expect"` // of the skills that were found; "" is max

	// Loss says how; its Parts follow from Credit's and the three fields below.
	Loss      grpo.Config    `json:"loss" yaml:"loss"`
	Aggregate grpo.Aggregate `json:"aggregate" yaml:"aggregate"`                 // of the clipped parts
	KL        float64        `json:"kl,omitempty" yaml:"kl"`                     // coefficient of the distance to the reference
	Entropy   float64        `json:"entropy,omitempty" yaml:"entropy"`           // coefficient of the bonus
	PerSample bool           `json:"per_sample,omitempty" yaml:"per_sample"`     // a sequence is an answer (verl), and not an episode (Skill1)
	MiniBatch int            `json:"mini_batch,omitempty" yaml:"mini_batch"`     // answers an optimiser step; 0: all in one
	Micro     int            `json:"micro_tokens,omitempty" yaml:"micro_tokens"` // tokens a micro-batch, at least one sample; 0 is 4,096

	Temperature float64 `json:"temperature" yaml:"temperature"` // that the answers were drawn at
}

const defaultMicro = 4096

// withDefaults fills in what is not said, and refuses what is wrong.
func (c Config) withDefaults() (Config, error) {
	c.Expect = cmp.Or(c.Expect, credit.ByMax)
	c.Aggregate = cmp.Or(c.Aggregate, grpo.TokenMean)
	c.Micro = cmp.Or(c.Micro, defaultMicro)
	c.Temperature = cmp.Or(c.Temperature, 1)
	var wrong []error
	if len(c.Loss.Parts) > 0 {
		wrong = append(wrong, errors.New("loss.parts: expected none, they follow from credit.parts"))
	}
	c.Loss.Parts = grpo.Parts(c.Credit, c.Aggregate, c.KL, c.Entropy)
	if c.MiniBatch < 0 || c.Micro < 0 || c.Temperature < 0 {
		wrong = append(wrong, fmt.Errorf("mini_batch %d, micro_tokens %d, temperature %v: expected none below 0", c.MiniBatch, c.Micro, c.Temperature))
	}
	if err := errors.Join(append(wrong, c.Credit.Check(), c.Loss.Check())...); err != nil {
		return c, fmt.Errorf("update: %w", err)
	}
	return c, nil
}

// Validate says all that is wrong with c, nil if nothing is.
func (c Config) Validate() error {
	_, err := c.withDefaults()
	return err
}
