package memory

import (
	"fmt"

	"github.com/hone-rl/hone/checkpoint"
)

// model is a model as a pass sees it.
type model struct {
	hidden, vocabulary, rotary int64
	centred                    bool // the last norm is a zero-centred one
	blocks                     []block
	cache                      func(k kind, slots, lanes int64) int64 // bytes for so many tokens and sequences
}

// describe is the model with adapters of the rank that each linear layer's path has.
func describe(m checkpoint.Model, rank func(path string) int64) (*model, error) {
	in := func(prefix string, i int) func(name string) int64 {
		return func(name string) int64 { return rank(fmt.Sprintf("%slayers.%d.%s", prefix, i, name)) }
	}
	switch c := m.(type) {
	case *checkpoint.Qwen2:
		d := &model{hidden: int64(c.Hidden), vocabulary: int64(c.Vocabulary), rotary: int64(c.HeadDim)}
		for i := range c.Layers {
			d.blocks = append(d.blocks, qwen2(c, in("model.", i)))
		}
		token := int64(2 * c.Layers * c.KVHeads * c.HeadDim)
		d.cache = func(k kind, slots, _ int64) int64 { return slots * token * k.size }
		return d, nil
	case *checkpoint.Qwen35:
		d := &model{
			hidden: int64(c.Hidden), vocabulary: int64(c.Vocabulary), rotary: int64(c.RotaryDim()), centred: true,
		}
		token, lane, full := int64(2*c.KVHeads*c.HeadDim), int64(c.ValueHeads*c.KeyDim*c.ValueDim), int64(0)
		for i := range c.Layers {
			d.blocks = append(d.blocks, qwen35(c, i, in(c.Prefix(), i)))
			if c.Full(i) {
				full++
			}
		}
		recurrent := int64(c.Layers) - full
		d.cache = func(k kind, slots, lanes int64) int64 {
			return full*slots*token*k.size + recurrent*lanes*(lane*fp32+int64(c.Channels()*(c.Kernel-1))*k.size)
		}
		return d, nil
	}
	return nil, fmt.Errorf("memory: no estimate for %s", m.Architecture())
}

// through is block i, whose last needs only the wanted rows.
func (m *model) through(b *builder, i int, x *value, in batch) *value {
	return m.blocks[i](b, x, in, i == len(m.blocks)-1 && in.wanted < in.rows)
}

// last is the norm after the last block.
func (m *model) last(b *builder, x *value, rows int64) *value {
	if m.centred {
		return b.centred(x, rows, m.hidden)
	}
	return b.norm(x, rows, m.hidden)
}
