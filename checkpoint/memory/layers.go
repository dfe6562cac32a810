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
	// In bf16 a copy in fp32 and its squares; on the way back x, the gradient and their product.
	o := op{in: []*value{x, w}, out: n * b.size, save: []*value{x}, keep: rows * fp32, slopes: []int64{n * b.size}, back: 2 * n * fp32}
	if b.size != fp32 {
		o.temp = n * (2*fp32 - b.size)
		o.back = n * (3*fp32 - b.size)
	}
	return b.do(o)
}

// rotary turns heads of width by position.
func (b *builder) rotary(x *value, rows, heads, width int64) *value {
	n := rows * heads * width * b.size
	if b.loops {
		return b.scaled(x, n, n)
	}
	// The tables' rows; the halves in fp32 and two products of them at a time, beside the half that is done.
	tables := rows * width * fp32
	o := op{in: []*value{x}, out: n, temp: tables + n, slopes: []int64{n}, back: tables + n}
	if b.size != fp32 {
		o.temp, o.back = tables+4*n, tables+4*n
	}
	return b.do(o)
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
	o := op{in: []*value{g, u}, out: n, save: []*value{g, u}, slopes: []int64{n, n}, back: n}
	if b.size != fp32 {
		o.back = n / b.size * (4*fp32 - b.size) // gate, its sigmoid, the gradient and a product in fp32
	}
	return b.linear(b.do(o), rows, m.down)
}
