package torch

import "github.com/sugarme/gotch/libtch"

// scalar is a constant as libtorch wants it, made once. Values that change each step do not belong here.
func (e *Engine) scalar(v float64) scalar {
	s, ok := e.scalars[v]
	if !ok {
		s = libtch.AtsFloat(v)
		e.scalars[v] = s
	}
	return s
}

// Linear is x·wᵀ, plus bias unless nil. x is [..., in], w [out, in].
func (t *Tensor) Linear(weight, bias *Tensor) *Tensor {
	if t.e.rowwise && t.plain() && weight.plain() {
		return t.linearRows(weight, bias)
	}
	return t.e.call("linear", func(out *libtch.Ctensor) {
		var b libtch.Ctensor
		if bias != nil {
			b = bias.c
		}
		libtch.AtgLinear(out, t.c, weight.c, b)
	}, t, weight, bias)
}

// MatMul is the matrix product.
func (t *Tensor) MatMul(u *Tensor) *Tensor {
	return t.e.call("matmul", func(out *libtch.Ctensor) { libtch.AtgMatmul(out, t.c, u.c) }, t, u)
}

// Add is t + u.
func (t *Tensor) Add(u *Tensor) *Tensor {
	return t.e.call("add", func(out *libtch.Ctensor) { libtch.AtgAdd(out, t.c, u.c) }, t, u)
}

// Mul is t · u, element by element.
func (t *Tensor) Mul(u *Tensor) *Tensor {
	return t.e.call("mul", func(out *libtch.Ctensor) { libtch.AtgMul(out, t.c, u.c) }, t, u)
}

// Scale is t times a constant, which the engine keeps for good.
func (t *Tensor) Scale(constant float64) *Tensor {
	s := t.e.scalar(constant)
	return t.e.call("scale", func(out *libtch.Ctensor) { libtch.AtgMulScalar(out, t.c, s) }, t)
}

// Plus is t plus a constant, which the engine keeps for good.
func (t *Tensor) Plus(constant float64) *Tensor {
	s := t.e.scalar(constant)
	return t.e.call("plus", func(out *libtch.Ctensor) { libtch.AtgAddScalar(out, t.c, s) }, t)
}

// Times is t times a value that changes from call to call.
func (t *Tensor) Times(v float64) *Tensor {
	s := libtch.AtsFloat(v)
	defer libtch.AtsFree(s)
	return t.e.call("scale", func(out *libtch.Ctensor) { libtch.AtgMulScalar(out, t.c, s) }, t)
}

// View is the same elements under another shape; one size may be -1.
func (t *Tensor) View(shape ...int64) *Tensor {
	if len(shape) == 0 {
		fail("view", "no sizes", t)
	}
	return t.e.call("view", func(out *libtch.Ctensor) { libtch.AtgView(out, t.c, shape, len(shape)) }, t)
}

// Contiguous is the same elements in order and without gaps; t itself if it is so.
func (t *Tensor) Contiguous() *Tensor {
	return t.e.call("contiguous", func(out *libtch.Ctensor) { libtch.AtgContiguous(out, t.c) }, t)
}

// Narrow is n elements of a dimension, from start.
func (t *Tensor) Narrow(dim int, start, n int64) *Tensor {
	return t.e.call("narrow", func(out *libtch.Ctensor) { libtch.AtgNarrow(out, t.c, int64(dim), start, n) }, t)
}

// Cat joins tensors along a dimension.
func Cat(dim int, tensors ...*Tensor) *Tensor {
	if len(tensors) == 0 {
		fail("cat", "no tensors")
	}
	raw := make([]libtch.Ctensor, len(tensors))
	for i, t := range tensors {
		raw[i] = t.c
	}
	return tensors[0].e.call("cat", func(out *libtch.Ctensor) {
		libtch.AtgCat(out, raw, len(raw), int64(dim))
	}, tensors...)
}

// Rows is the rows that indices (int64, one dimension) name.
func (t *Tensor) Rows(indices *Tensor) *Tensor {
	return t.e.call("rows", func(out *libtch.Ctensor) { libtch.AtgIndexSelect(out, t.c, 0, indices.c) }, t, indices)
}

// SetRows copies source's rows over the rows of t that indices name.
func (t *Tensor) SetRows(indices, source *Tensor) {
	t.inPlace("set rows", func(out *libtch.Ctensor) {
		libtch.AtgIndexCopy_(out, t.c, 0, indices.c, source.c)
	}, t, indices, source)
}

// Copy copies source's elements over those of t.
func (t *Tensor) Copy(source *Tensor) {
	t.e.usable("copy", []*Tensor{t, source})
	libtch.AtCopy_(t.c, source.c)
	raised("copy", t, source)
}

// Zero sets all elements to 0.
func (t *Tensor) Zero() {
	t.inPlace("zero", func(out *libtch.Ctensor) { libtch.AtgZero_(out, t.c) }, t)
}

// inPlace is call for operations that return a second handle to t, which is not needed.
func (t *Tensor) inPlace(op string, f func(out *libtch.Ctensor), tensors ...*Tensor) {
	e := t.e
	e.usable(op, tensors)
	*e.slot = nil
	f(e.slot)
	if *e.slot == nil {
		fail(op, pending(), tensors...)
	}
	libtch.AtFree(*e.slot)
}

// CrossEntropy is the sum over rows of -log softmax(row)[target], natural log. t is [rows, classes].
func (t *Tensor) CrossEntropy(target *Tensor) *Tensor {
	const sum, noneIgnored = 2, -100
	return t.e.call("cross entropy", func(out *libtch.Ctensor) {
		libtch.AtgCrossEntropyLoss(out, t.c, target.c, nil, sum, noneIgnored, 0)
	}, t, target)
}

// Argmax is the index (int64) of the largest element of each row.
func (t *Tensor) Argmax() *Tensor {
	return t.e.call("argmax", func(out *libtch.Ctensor) { libtch.AtgArgmax(out, t.c, -1, 0, 0) }, t)
}

// To is the tensor as another type; the same tensor if it has it.
func (t *Tensor) To(dtype DType) *Tensor {
	return t.e.call("to", func(out *libtch.Ctensor) { libtch.AtgToDtype(out, t.c, int32(dtype), 0, 0) }, t)
}

// Sum is the sum of all elements.
func (t *Tensor) Sum() *Tensor {
	dtype := int32(t.DType())
	return t.e.call("sum", func(out *libtch.Ctensor) { libtch.AtgSum(out, t.c, dtype) }, t)
}

// Backward computes gradients of t, a tensor of one element.
func (t *Tensor) Backward() {
	t.e.usable("backward", []*Tensor{t})
	libtch.AtBackward(t.c, 0, 0)
	raised("backward", t)
}
