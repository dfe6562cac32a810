package train

import (
	"slices"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// flat is the trained parameters in one buffer, with gradients and moments of the same layout. Those of a model in
// bf16 are computed with in copies that are rounded anew after each update (Micikevicius et al. 2018, section 3.1).
type flat struct {
	values, grads, first, second *torch.Tensor // fp32 [n]
	rounded                      *torch.Tensor // bf16 [n], of which the model has its bf16 parameters; nil where it has none
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
		low := p.Tensor.DType() == torch.BFloat16
		if low && f.rounded == nil {
			f.rounded = e.Zeros(torch.BFloat16, n).Keep()
		}
		from := f.values
		if low {
			from = f.rounded
		}
		p.Tensor.Become(from.Leaf(f.grads, one.offset, one.shape...))
	}
	f.round()
	return f
}

// round brings the copies in bf16 up to date.
func (f *flat) round() {
	if f.rounded != nil {
		f.rounded.Copy(f.values)
	}
}

// parameters are the given ones with their fp32 values, in the open scope.
func (f *flat) parameters(all []nn.Parameter) []nn.Parameter {
	places := map[string]part{}
	for _, p := range f.parts {
		places[p.name] = p
	}
	full := slices.Clone(all)
	for i, p := range full {
		if one, ok := places[p.Name]; ok {
			full[i].Tensor = f.values.Narrow(0, one.offset, one.size).View(one.shape...)
		}
	}
	return full
}

// kind is 0 for what decays, matrices, and 1 for biases and norms.
func kind(p nn.Parameter) int {
	if len(p.Tensor.Shape()) >= 2 {
		return 0
	}
	return 1
}

func (f *flat) free() {
	for _, t := range []*torch.Tensor{f.values, f.rounded, f.grads, f.first, f.second} {
		t.Free()
	}
}
