package nn

import "github.com/hone-rl/hone/gpu/torch"

// Pass is a forward pass that knows its way back. It belongs to the scope in which it began, and it and its way back
// run with gradients off but where it puts them on itself.
type Pass struct {
	Hidden *torch.Tensor // final states, after the last norm, of the batch's wanted rows: [wanted, hidden]

	model     Decoder
	in        *Input
	states    []*torch.Tensor // of a pass that computes again: what goes into each block, and into the norm
	embedding bool            // it is trained
}

// Begin computes the batch's final states. With recompute only what goes into each block is kept, and [Pass.Back]
// computes one block after the other again (Chen et al. 2016, section 3): the same numbers, in less memory.
func Begin(m Decoder, b *Batch, recompute bool) *Pass {
	p := &Pass{model: m}
	e := m.Engine()
	if !recompute {
		e.Grad(func() { p.Hidden = Forward(m, b, nil) })
		return p
	}
	p.in = b.Input(m, nil)
	e.Grad(func() {
		x := m.Embed(p.in)
		p.embedding = x.Requires()
		p.states = append(p.states, x.Detached(false))
	})
	for i := range m.Blocks() {
		p.states = append(p.states, e.Scope1(func() *torch.Tensor { return p.block(i, p.states[i]) }))
	}
	p.Hidden = m.Norm(p.states[len(p.states)-1])
	return p
}

func (p *Pass) block(i int, x *torch.Tensor) *torch.Tensor {
	blocks := p.model.Blocks()
	return blocks[i].Forward(x, p.in, i == len(blocks)-1 && p.in.Want != nil)
}

// Back adds to the gradients of all that is trained, given the gradient by Hidden.
func (p *Pass) Back(gradient *torch.Tensor) {
	if p.states == nil {
		if p.Hidden.Requires() {
			p.Hidden.BackwardFrom(gradient)
		}
		return
	}
	last := len(p.states) - 1
	gradient = p.again(p.states[last], gradient, true, p.model.Norm)
	for i := last - 1; i >= 0; i-- {
		p.states[i+1].Free() // no longer needed
		f := func(x *torch.Tensor) *torch.Tensor { return p.block(i, x) }
		next := p.again(p.states[i], gradient, i > 0 || p.embedding, f)
		gradient.Free()
		gradient = next
	}
	if p.embedding {
		p.model.Engine().Grad(func() { p.model.Embed(p.in).BackwardFrom(gradient) })
	}
}

// again computes a part of the model again, goes back through it, and gives the gradient by its input x if it is asked
// for, otherwise nil.
func (p *Pass) again(x, gradient *torch.Tensor, asked bool, f func(*torch.Tensor) *torch.Tensor) *torch.Tensor {
	e := p.model.Engine()
	return e.Scope1(func() *torch.Tensor {
		leaf := x.Detached(asked)
		e.Grad(func() {
			if y := f(leaf); y.Requires() {
				y.BackwardFrom(gradient)
			}
		})
		return leaf.Gathered()
	})
}
