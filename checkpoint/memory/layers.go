package memory

// layer is a linear layer.
type layer struct {
	in, out int64
	rank    int64 // of the adapter beside it; 0: none
}

// builder goes through a model's pass.
type builder struct {
	*tape
	kind
	full    bool // all parameters are trained
	dropout bool
	cuda    bool
}

// trained is a parameter that the way back gathers a gradient for.
func (b *builder) trained() *value { return &value{storage: &storage{}, needs: b.full, leaf: true} }

// gathered is what it takes to add a product of n elements to a gradient in fp32: in bf16 the product, and on a CPU
// that in fp32.
func (b *builder) gathered(n int64) int64 {
	switch {
	case b.size == fp32:
		return 0
	case b.cuda:
		return n * b.size
	}
	return n * (b.size + fp32)
}

// linear is gpu/torch's own layer, with an adapter's or without: gradients of weights are gathered where they are kept.
func (b *builder) linear(x *value, rows int64, l layer) *value {
	in, out, low := rows*l.in*b.size, rows*l.out*b.size, rows*l.rank*b.size
	w := b.trained()
	o := op{in: []*value{x, w}, out: out, save: []*value{x}, slopes: []int64{in}}
	if b.full {
		o.back = b.gathered(l.in * l.out)
	}
	if l.rank == 0 {
		return b.do(o)
	}
	w.needs = true
	cast := int64(0)
	if b.size != fp32 {
		cast = l.rank * (l.in + l.out) * b.size
	}
	o.keep, o.temp, o.back = low, cast, low+cast
	if b.dropout {
		drawn := int64(0)
		if !b.loops && !b.cuda {
			drawn = rows * l.in * fp32 // what the CPU's matrix library draws is whole numbers
		}
		o.temp += in + drawn
		o.back += 2*in + drawn
	}
	return b.do(o)
}

// norm is RMSNorm over rows of width.
func (b *builder) norm(x *value, rows, width int64) *value {
	n, w := rows*width, b.trained()
	if b.loops {
		return b.do(op{in: []*value{x, w}, out: n * fp32, save: []*value{x}, keep: rows * fp32, slopes: []int64{n * fp32}, back: n * fp32 / 64})
	}
	return b.scope(func() *value {
		f := b.to(x, n, b.size, fp32)
		square := b.do(op{in: []*value{f}, out: n * fp32, save: []*value{f}, slopes: []int64{n * fp32}, back: 2 * n * fp32})
		mean := b.scaled(square, n*fp32, rows*fp32)
		inverse := b.do(op{in: []*value{mean}, out: rows * fp32, own: true, slopes: []int64{rows * fp32}})
		o := op{in: []*value{f, inverse}, out: n * fp32, slopes: []int64{n * fp32, rows * fp32}, back: n * fp32}
		if f.needs {
			o.save = []*value{f, inverse}
		}
		return b.mul(b.to(b.do(o), n, fp32, b.size), w, n*b.size)
	})
}

// rotary turns heads of width by position.
func (b *builder) rotary(x *value, rows, heads, width int64) *value {
	n := rows * heads * width * b.size
	if b.loops {
		return b.scaled(x, n, n)
	}
	return b.scope(func() *value {
		table := func() *value {
			half := b.fresh(rows * width / 2 * fp32)
			return b.to(b.scaled(half, 0, rows*width*fp32), rows*width, fp32, b.size)
		}
		cos, sin := table(), table()
		negative := b.scaled(x, n, n/2) // its derivative fills up what narrow left out
		turned := b.do(op{in: []*value{negative, x}, out: n, slopes: []int64{n / 2, n}})
		straight := b.do(op{in: []*value{x, cos}, out: n, save: []*value{cos}, slopes: []int64{n}})
		crossed := b.do(op{in: []*value{turned, sin}, out: n, save: []*value{sin}, slopes: []int64{n}})
		return b.add(straight, crossed, n)
	})
}

// mlp is the gated feed-forward part, down(silu(gate(x))·up(x)).
type mlp struct{ gate, up, down layer }

func newMLP(hidden, inner int64, rank func(string) int64) mlp {
	return mlp{
		layer{hidden, inner, rank("mlp.gate_proj")}, layer{hidden, inner, rank("mlp.up_proj")}, layer{inner, hidden, rank("mlp.down_proj")},
	}
}

func (m mlp) forward(b *builder, x *value, rows int64) *value {
	n := rows * m.gate.out * b.size
	g, u := b.linear(x, rows, m.gate), b.linear(x, rows, m.up)
	if b.loops {
		return b.linear(b.do(op{in: []*value{g, u}, out: n, save: []*value{g, u}, slopes: []int64{n, n}}), rows, m.down)
	}
	return b.linear(b.scope(func() *value {
		silu := b.do(op{in: []*value{g}, out: n, save: []*value{g}, slopes: []int64{n}})
		return b.mul(silu, u, n)
	}), rows, m.down)
}
