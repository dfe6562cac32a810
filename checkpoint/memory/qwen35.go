package memory

import "github.com/hone-rl/hone/checkpoint"

// centred is a zero-centred RMSNorm, in fp32 up to its result.
func (b *builder) centred(x *value, rows, width int64) *value {
	n := rows * width
	f, w := b.to(x, n, b.size, fp32), b.trained()
	var y *value
	if !b.cuda {
		y = b.do(op{in: []*value{f, w}, out: n * fp32, save: []*value{f}, keep: rows * fp32, slopes: []int64{n * fp32}, back: n * fp32 / 64})
	} else {
		exact := *b
		exact.size, exact.loops = fp32, false
		y = exact.norm(f, rows, width)
	}
	return b.to(y, n, fp32, b.size)
}

// half is one of two parts of x, whose gradient is filled up to the whole.
func (b *builder) half(x *value, whole, part int64) *value { return b.scaled(x, whole, part) }

// gatedAttention is Qwen3.5's full attention: normed queries and keys, and a gate on what comes out.
func gatedAttention(c *checkpoint.Qwen35, rank func(name string) int64) block {
	hidden, q, kv := int64(c.Hidden), int64(c.Heads*c.HeadDim), int64(c.KVHeads*c.HeadDim)
	h := heads{int64(c.Heads), int64(c.KVHeads), int64(c.HeadDim)}
	of := func(name string, in, out int64) layer { return layer{in, out, rank("self_attn." + name)} }
	return func(b *builder, x *value, in batch, wanted bool) *value {
		rows, gs := in.part(wanted)
		k := b.linear(x, in.rows, of("k_proj", hidden, kv))
		k = b.rotary(b.centred(k, in.rows*h.kv, h.width), in.rows, h.kv, h.width)
		v := b.linear(x, in.rows, of("v_proj", hidden, kv))
		both := b.linear(b.rowsOf(x, in, hidden, wanted), rows, of("q_proj", hidden, 2*q))
		n := rows * q * b.size
		qs := b.rotary(b.centred(b.half(both, 2*n, n), rows*h.query, h.width), rows, h.query, h.width)
		o, gate := b.attend(qs, k, v, rows, in.rows, gs, h), b.half(both, 2*n, n)
		if b.loops {
			o = b.do(op{in: []*value{o, gate}, out: n, save: []*value{o, gate}, slopes: []int64{n, n}})
		} else {
			s := b.do(op{in: []*value{gate}, out: n, own: true, slopes: []int64{n}})
			o = b.mul(o, s, n)
		}
		return b.linear(o, rows, of("o_proj", q, hidden))
	}
}

// deltaNet is Qwen3.5's gated delta net.
func deltaNet(c *checkpoint.Qwen35, rank func(name string) int64) block {
	hidden, values, channels := int64(c.Hidden), int64(c.ValueHeads*c.ValueDim), int64(c.Channels())
	of := func(name string, in, out int64) layer { return layer{in, out, rank("linear_attn." + name)} }
	return func(b *builder, x *value, in batch, wanted bool) *value {
		raw, small := in.rows*channels*b.size, in.rows*int64(c.ValueHeads)*b.size
		mixed := b.linear(x, in.rows, of("in_proj_qkv", hidden, channels))
		all := in.rows * values * b.size
		if b.loops {
			mixed = b.do(op{in: []*value{mixed, b.trained()}, out: raw, save: []*value{mixed}, slopes: []int64{raw}})
		} else {
			mixed = b.convolution(c, mixed, in)
		}
		decay := b.linear(x, in.rows, of("in_proj_a", hidden, int64(c.ValueHeads)))
		beta := b.linear(x, in.rows, of("in_proj_b", hidden, int64(c.ValueHeads)))
		var o *value
		if b.loops {
			o = b.do(op{in: []*value{mixed, decay, beta}, out: all, save: []*value{mixed, decay, beta}, slopes: []int64{raw, small, small}})
		} else {
			o = b.chunks(c, mixed, decay, beta, in)
		}
		rows, _ := in.part(wanted)
		x, o = b.rowsOf(x, in, hidden, wanted), b.rowsOf(o, in, values, wanted)
		z := b.linear(x, rows, of("in_proj_z", hidden, values))
		return b.linear(b.gatedNorm(o, z, rows, int64(c.ValueHeads), int64(c.ValueDim)), rows, of("out_proj", values, hidden))
	}
}

func (b *builder) gatedNorm(x, z *value, rows, heads, width int64) *value {
	n, w := rows*heads*width, b.trained()
	if b.loops {
		return b.do(op{in: []*value{x, z, w}, out: n * fp32, save: []*value{x, z}, keep: rows * heads * fp32, slopes: []int64{n * fp32, n * fp32}, back: n * fp32 / 64})
	}
	return b.scope(func() *value {
		f := b.to(x, n, b.size, fp32)
		square := b.do(op{in: []*value{f}, out: n * fp32, save: []*value{f}, slopes: []int64{n * fp32}, back: 2 * n * fp32})
		inverse := b.do(op{in: []*value{b.scaled(square, n*fp32, rows*heads*fp32)}, out: rows * heads * fp32, own: true, slopes: []int64{rows * heads * fp32}})
		f = b.do(op{in: []*value{f, inverse}, out: n * fp32, save: []*value{f, inverse}, slopes: []int64{n * fp32, rows * heads * fp32}, back: n * fp32})
		f = b.mul(w, b.to(f, n, fp32, b.size), n*b.size)
		g := b.to(z, n, b.size, fp32)
		silu := b.do(op{in: []*value{g}, out: n * fp32, save: []*value{g}, slopes: []int64{n * fp32}})
		return b.to(b.do(op{in: []*value{f, silu}, out: n * fp32, save: []*value{f, silu}, slopes: []int64{n * b.size, n * fp32}, back: 2 * n * fp32}), n, fp32, b.size)
	})
}

// qwen35 is a block of Qwen3.5.
func qwen35(c *checkpoint.Qwen35, i int, rank func(name string) int64) block {
	hidden := int64(c.Hidden)
	first := deltaNet(c, rank)
	if c.Full(i) {
		first = gatedAttention(c, rank)
	}
	mlp := newMLP(hidden, int64(c.Intermediate), rank)
	return func(b *builder, x *value, in batch, wanted bool) *value {
		h := first(b, b.centred(x, in.rows, hidden), in, wanted)
		rows, _ := in.part(wanted)
		x = b.add(b.rowsOf(x, in, hidden, wanted), h, rows*hidden*b.size)
		return b.add(x, mlp.forward(b, b.centred(x, rows, hidden), rows), rows*hidden*b.size)
	}
}
