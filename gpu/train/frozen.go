package train

import (
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Frozen is a Trainer that has nothing to train with and can only score: [Trainer.LogProbs]. Free gives nothing back,
// since all memory is the model's.
func Frozen(e *torch.Engine, model nn.Decoder) *Trainer { return &Trainer{e: e, model: model} }
