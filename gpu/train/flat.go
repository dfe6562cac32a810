package train

import (
	"slices"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// flat is the trained parameters in one buffer, with gradients and moments of the same layout.
type flat struct {
	values, grads, first, second *torch.Tensor // fp32 [n]
	decayed                      int64         // elements of matrices; they come first
	parts                        []part
}

// part is one parameter's place.
type part struct {
	name   string
	shape  []int64
	offset int64
	size   int64
}

// newFlat moves the parameters into a new buffer. Their handles point into it afterwards and require gradients.
func newFlat(e *torch.Engine, parameters []nn.Parameter) *flat {
	ordered := slices.Clone(parameters)
	slices.SortStableFunc(ordered, func(a, b nn.Parameter) int {
		return kind(a) - kind(b)
	})
	f := &flat{}
	n := int64(0)
	for _, p := range ordered {
		one := part{name: p.Name, shape: p.Tensor.Shape(), offset: n, size: p.Tensor.Elements()}
		f.parts = append(f.parts, one)
		n += one.size
		if kind(p) == 0 {
			f.decayed = n
		}
	}
	f.values, f.grads = e.Zeros(torch.Float32, n).Keep(), e.Zeros(torch.Float32, n).Keep()
	f.first, f.second = e.Zeros(torch.Float32, n).Keep(), e.Zeros(torch.Float32, n).Keep()
	for i, p := range ordered {
		one := f.parts[i]
		e.Scope(func() []*torch.Tensor {
			f.values.Narrow(0, one.offset, one.size).Copy(p.Tensor.View(one.size))
			return nil
		})
		p.Tensor.Become(f.values.Leaf(f.grads, one.offset, one.shape...))
	}
	return f
}

// kind is 0 for what decays, matrices, and 1 for biases and norms.
func kind(p nn.Parameter) int {
	if len(p.Tensor.Shape()) >= 2 {
		return 0
	}
	return 1
}

func (f *flat) free() {
	for _, t := range []*torch.Tensor{f.values, f.grads, f.first, f.second} {
		t.Free()
	}
}
