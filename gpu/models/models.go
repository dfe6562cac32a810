// Package models opens a model's folder as the architecture that its config.json names.
package models

import (
	"fmt"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/models/qwen3_5"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// Load reads the model in dir to the engine's device. It runs inside the engine's Do.
func Load(e *torch.Engine, dir string, options nn.Options) (nn.Decoder, error) {
	described, err := checkpoint.Read(dir)
	if err != nil {
		return nil, err
	}
	switch described.(type) {
	case *checkpoint.Qwen2:
		return decoder(qwen2.Load(e, dir, options))
	case *checkpoint.Qwen35:
		return decoder(qwen3_5.Load(e, dir, options))
	}
	return nil, fmt.Errorf("models: %s: no model for %s", dir, described.Architecture())
}

// decoder keeps a nil model from becoming a Decoder that is not nil.
func decoder[M nn.Decoder](m M, err error) (nn.Decoder, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
