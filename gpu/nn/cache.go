package nn

import "github.com/hone-rl/hone/gpu/torch"

// Cache is what a model remembers of sequences: keys and values of each token in a slot, recurrent states of each
// sequence in a lane.
type Cache struct {
	Layers []LayerCache
}

// LayerCache is one layer's part. A layer has either keys and values or a recurrent state.
type LayerCache struct {
	Keys, Values *torch.Tensor // [slots, kv heads, width], in the model's type; nil in a recurrent layer
	Inputs       *torch.Tensor // [lanes, channels, kernel-1], the convolution's last inputs; nil in an attention layer
	State        *torch.Tensor // [lanes, heads, key width, value width], fp32; nil in an attention layer
}

// AttentionCache makes room for keys and values.
func AttentionCache(e *torch.Engine, dtype torch.DType, slots, heads, width int) LayerCache {
	shape := []int64{int64(slots), int64(heads), int64(width)}
	return LayerCache{Keys: e.Zeros(dtype, shape...).Keep(), Values: e.Zeros(dtype, shape...).Keep()}
}

// RecurrentCache makes room for a gated delta net's states: inputs of channels in the model's type, fp32 states of
// heads with so wide keys and values.
func RecurrentCache(e *torch.Engine, dtype torch.DType, lanes, channels, kernel, heads, key, value int) LayerCache {
	return LayerCache{
		Inputs: e.Zeros(dtype, int64(lanes), int64(channels), int64(kernel-1)).Keep(),
		State:  e.Zeros(torch.Float32, int64(lanes), int64(heads), int64(key), int64(value)).Keep(),
	}
}

// Recurrent says that a layer has states that cannot be cut back to an earlier token: to go on from a token again,
// a copy of the sequence must have been made there.
func (c *Cache) Recurrent() bool {
	for _, l := range c.Layers {
		if l.State != nil {
			return true
		}
	}
	return false
}

// Copy copies a sequence's first tokens, and its recurrent state as it is, to another place.
func (c *Cache) Copy(e *torch.Engine, from, to Place, tokens int) {
	e.Scope(func() []*torch.Tensor {
		for _, l := range c.Layers {
			for _, t := range []*torch.Tensor{l.Keys, l.Values} {
				if t != nil && tokens > 0 {
					t.Narrow(0, int64(to.Slot), int64(tokens)).Copy(t.Narrow(0, int64(from.Slot), int64(tokens)))
				}
			}
			for _, t := range []*torch.Tensor{l.Inputs, l.State} {
				if t != nil {
					t.Narrow(0, int64(to.Lane), 1).Copy(t.Narrow(0, int64(from.Lane), 1))
				}
			}
		}
		return nil
	})
}

// CopySlots copies what the cache has of tokens in some slots to others.
func (c *Cache) CopySlots(e *torch.Engine, from, to []int64) {
	e.Scope(func() []*torch.Tensor {
		source, target := e.FromInts(from), e.FromInts(to)
		for _, l := range c.Layers {
			for _, t := range []*torch.Tensor{l.Keys, l.Values} {
				if t != nil {
					t.SetRows(target, t.Rows(source))
				}
			}
		}
		return nil
	})
}

// CopyLane copies a recurrent state to another lane.
func (c *Cache) CopyLane(e *torch.Engine, from, to int) {
	c.Copy(e, Place{Lane: from}, Place{Lane: to}, 0)
}

// Free gives the memory back.
func (c *Cache) Free() {
	for _, l := range c.Layers {
		for _, t := range []*torch.Tensor{l.Keys, l.Values, l.Inputs, l.State} {
			t.Free()
		}
	}
}
