package nn

import (
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu/torch"
)

// Ends are what decoders have alike around their blocks: the tables by which tokens come in and logits go out, and
// what the model was loaded with. A model that embeds it has these methods of a [Decoder].
type Ends struct {
	Embedding *torch.Tensor // [vocabulary, hidden]
	Output    *torch.Tensor // [vocabulary, hidden]; the same as Embedding where tied

	e       *torch.Engine
	options Options
	name    string // of the embedding
	version Version
}

const headName = checkpoint.HeadName

// LoadEnds loads the embedding of that name. [Ends.LoadOutput] is to follow.
func LoadEnds(load *Loader, options Options, name string, vocabulary, hidden int) Ends {
	return Ends{Embedding: load.Tensor(name, int64(vocabulary), int64(hidden)), e: load.e, options: options, name: name}
}

// LoadOutput loads the head, unless it is tied to the embedding.
func (n *Ends) LoadOutput(load *Loader, vocabulary, hidden int, tied bool) {
	if n.Output = n.Embedding; !tied {
		n.Output = load.Tensor(headName, int64(vocabulary), int64(hidden))
	}
}

// Engine implements [Decoder].
func (n *Ends) Engine() *torch.Engine { return n.e }

// Options implements [Decoder].
func (n *Ends) Options() Options { return n.options }

// Version implements [Decoder].
func (n *Ends) Version() *Version { return &n.version }

// Embed implements [Decoder].
func (n *Ends) Embed(in *Input) *torch.Tensor { return n.Embedding.Embedding(in.Tokens) }

// Logits implements [Decoder].
func (n *Ends) Logits(hidden *torch.Tensor) *torch.Tensor { return hidden.Linear(n.Output, nil) }

// Head implements [Decoder].
func (n *Ends) Head() *torch.Tensor { return n.Output }

// Around are the model's parameters, given those of its blocks and last norm; a tied head is named once.
func (n *Ends) Around(blocks []Parameter) []Parameter {
	all := append([]Parameter{{Name: n.name, Tensor: n.Embedding}}, blocks...)
	if n.Output != n.Embedding {
		all = append(all, Parameter{Name: headName, Tensor: n.Output})
	}
	return all
}
