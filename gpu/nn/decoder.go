package nn

import "github.com/hone-rl/hone/gpu/torch"

// Decoder is a causal language model as training and decoding need it. All of it runs inside its engine's Do.
type Decoder interface {
	// Engine is the one whose device the model lies on.
	Engine() *torch.Engine
	// Options are those that the model was loaded with.
	Options() Options
	// Embed is the state before the first block, [rows, hidden].
	Embed(in *Input) *torch.Tensor
	// Blocks are the layers, first to last.
	Blocks() []Block
	// Norm is the norm after the last block.
	Norm(x *torch.Tensor) *torch.Tensor
	// Logits are those of final states, over the whole vocabulary: [rows, vocabulary], in the model's type.
	Logits(hidden *torch.Tensor) *torch.Tensor
	// Head is the matrix of the logits, [vocabulary, hidden].
	Head() *torch.Tensor
	// NewCache has room for so many tokens of all sequences together and so many sequences.
	NewCache(slots, lanes int) *Cache
	// Linears shows every linear layer of the blocks under its path, in a fixed order. Another may be put into
	// the slot.
	Linears(see func(path string, slot *Linear))
	// Parameters are the checkpoint's, without those of adapters; a tied head is named once.
	Parameters() []Parameter
	// Limits are the vocabulary and the longest sequence.
	Limits() (vocabulary, positions int)
	// Version tells which weights the model computes with.
	Version() *Version
	// Free gives the memory back, but not that of adapters.
	Free()
}

// Version is a state of a model's weights: as long as copies of it are equal, so are the model's results. What was
// computed before another (keys and values, say) goes with the old weights.
type Version struct {
	adapter *Adapter // that is on; nil if none is
	changes int      // of weights in place
}

// Changed is to be called whenever weights, or those of an adapter, were changed in place.
func (v *Version) Changed() { v.changes++ }

// Block is one layer of a model.
type Block interface {
	// Forward is the layer's output for x [rows, hidden]; if wanted, of the batch's wanted rows alone (what the
	// other rows leave in the cache is written all the same).
	Forward(x *torch.Tensor, in *Input, wanted bool) *torch.Tensor
}

// Forward is the final state, after the last norm, of the batch's wanted rows: [wanted, hidden]. With a cache, what
// later tokens need is written to the batch's places and read from there. The last block works on the wanted rows
// only, but for what it leaves in the cache: nothing else of the others is looked at any more.
func Forward(m Decoder, b *Batch, cache *Cache) *torch.Tensor {
	e := m.Engine()
	return e.Scope1(func() *torch.Tensor {
		in := b.Input(m, cache)
		x := m.Embed(in)
		blocks := m.Blocks()
		for i, block := range blocks {
			before := x
			x = e.Scope1(func() *torch.Tensor {
				return block.Forward(before, in, i == len(blocks)-1 && in.Want != nil)
			})
			before.Free() // what the way back needs of it autograd holds itself
		}
		return m.Norm(x)
	})
}

// Options say how a model is held and computed.
type Options struct {
	DType torch.DType // of weights and states: Float32 or BFloat16; 0 is Float32
	// Eager says that attention is computed by products and a softmax in fp32, each a plain operation, rather than
	// by the fused kernel: slower, and finite where fused kernels in bf16 were seen not to be.
	Eager bool
}

// Type is DType with its default.
func (o Options) Type() torch.DType {
	if o.DType == 0 {
		return torch.Float32
	}
	return o.DType
}
