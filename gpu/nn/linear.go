package nn

import "github.com/hone-rl/hone/gpu/torch"

// Linear is anything that can stand for a linear layer: x [rows, in] gives [rows, out].
type Linear interface {
	Forward(x *torch.Tensor) *torch.Tensor
	// Parameters are the layer's own under the given path, in a fixed order.
	Parameters(path string) []Parameter
}

// Parameter is a tensor of a model under its name in a checkpoint.
type Parameter struct {
	Name   string
	Tensor *torch.Tensor
}

// Dense is the plain linear layer: x·Weightᵀ + Bias.
type Dense struct {
	Weight *torch.Tensor // [out, in]
	Bias   *torch.Tensor // [out] or nil
}

// Forward implements [Linear].
func (d *Dense) Forward(x *torch.Tensor) *torch.Tensor { return x.Linear(d.Weight, d.Bias) }

// Parameters implements [Linear].
func (d *Dense) Parameters(path string) []Parameter {
	p := []Parameter{{Name: path + ".weight", Tensor: d.Weight}}
	if d.Bias != nil {
		p = append(p, Parameter{Name: path + ".bias", Tensor: d.Bias})
	}
	return p
}

// RMSNorm is x·rsqrt(mean(x²)+Eps)·Weight.
type RMSNorm struct {
	Weight *torch.Tensor // [hidden]
	Eps    float64
}

// Forward norms each row.
func (n *RMSNorm) Forward(x *torch.Tensor) *torch.Tensor { return x.RMSNorm(n.Weight, n.Eps) }

// Parameters are the norm's.
func (n *RMSNorm) Parameters(path string) []Parameter {
	return []Parameter{{Name: path + ".weight", Tensor: n.Weight}}
}

// Decoder is a causal language model as training and decoding need it.
type Decoder interface {
	// Forward is the final hidden state, after the last norm, of the batch's wanted rows: [wanted, hidden].
	// With a cache, keys and values are written to the batch's slots and read from there.
	Forward(b *Batch, cache *Cache) *torch.Tensor
	// Logits are those of hidden states, over the whole vocabulary.
	Logits(hidden *torch.Tensor) *torch.Tensor
	// Head is the matrix of the logits, [vocabulary, hidden].
	Head() *torch.Tensor
	// NewCache has room for so many tokens of all sequences together.
	NewCache(slots int) *Cache
	// Linears shows every linear layer of the blocks under its path, in a fixed order. Another may be put into
	// the slot.
	Linears(see func(path string, slot *Linear))
	// Parameters are the checkpoint's, without those of adapters; a tied head is named once.
	Parameters() []Parameter
	// Limits are the vocabulary and the longest sequence.
	Limits() (vocabulary, positions int)
}
