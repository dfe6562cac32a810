package memory

import "github.com/hone-rl/hone/checkpoint"

// chunk is how many steps the delta rule takes at once where it has no loop.
const chunk = 64

// spread is the steps of all sequences together, each filled up to whole chunks of the longest.
func (in batch) spread() int64 { return in.sequences * ((in.longest + chunk - 1) / chunk * chunk) }

// convolution is the causal one over spread rows.
func (b *builder) convolution(c *checkpoint.Qwen35, x *value, in batch) *value {
	n := in.spread() * int64(c.Channels()) * b.size
	rows := in.rows * int64(c.Channels()) * b.size
	return b.scope(func() *value {
		mask := b.fresh(in.spread() * b.size)
		all := b.scope(func() *value {
			wide := b.do(op{in: []*value{b.scaled(x, rows, n)}, out: n, save: []*value{mask}, slopes: []int64{n}})
			return b.do(op{in: []*value{wide}, out: n, slopes: []int64{0}})
		})
		var sum *value
		for range c.Kernel {
			o := op{in: []*value{all, b.trained()}, out: n, slopes: []int64{n}, back: n}
			if b.full {
				o.save = []*value{all}
			}
			before := sum
			sum = b.scope(func() *value {
				if before == nil {
					return b.do(o)
				}
				return b.add(before, b.do(o), n)
			})
			if before != nil {
				b.release(before.storage)
			}
		}
		silu := b.do(op{in: []*value{sum}, out: n, save: []*value{sum}, slopes: []int64{n}})
		return b.scaled(silu, n, rows)
	})
}

// chunks is the delta rule over chunks (Yang et al. 2024, section 3.3), in fp32.
func (b *builder) chunks(c *checkpoint.Qwen35, mixed, decay, beta *value, in batch) *value {
	t, heads, dk, dv := in.spread(), int64(c.ValueHeads), int64(c.KeyDim), int64(c.ValueDim)
	channels, group := int64(c.Channels()), heads/int64(c.KeyHeads)
	raw, wide := in.rows*channels*b.size, t*channels
	keys, values, pairs := t*heads*dk*fp32, t*heads*dv*fp32, t*heads*chunk*fp32
	narrow, gates := t*int64(c.KeyHeads)*dk*fp32, t*heads*fp32
	state := in.sequences * heads * dk * dv * fp32
	return b.scope(func() *value {
		mask := b.fresh(t * b.size)
		rows := b.scope(func() *value {
			return b.to(b.do(op{in: []*value{b.scaled(mixed, raw, wide*b.size)}, out: wide * b.size, save: []*value{mask}, slopes: []int64{wide * b.size}}), wide, b.size, fp32)
		})
		part := func() *value { return b.do(op{in: []*value{rows}, slopes: []int64{wide * fp32}}) }
		unit := func() *value {
			return b.scope(func() *value {
				x := part()
				square := b.do(op{in: []*value{x}, out: narrow, save: []*value{x}, slopes: []int64{narrow}, back: 2 * narrow})
				length := b.do(op{in: []*value{b.scaled(square, narrow, narrow/dk)}, out: narrow / dk, own: true, slopes: []int64{narrow / dk}})
				x = b.do(op{in: []*value{x, length}, out: narrow, save: []*value{x, length}, slopes: []int64{narrow, narrow / dk}, back: narrow})
				if group > 1 {
					x = b.scaled(x, narrow, keys)
				}
				return x
			})
		}
		q, k, v := b.scope(func() *value { return b.scaled(unit(), keys, keys) }), unit(), part()
		g, e := b.scaled(decay, gates, gates), b.scaled(beta, gates, gates)
		d := b.scope(func() *value {
			masked := b.scaled(b.scaled(g, pairs, pairs), pairs, pairs)
			return b.do(op{in: []*value{masked}, out: pairs, own: true, slopes: []int64{pairs}})
		})
		times := func(x, y *value, n int64) *value {
			return b.do(op{in: []*value{x, y}, out: n, save: []*value{x, y}, slopes: []int64{n, gates}, back: n})
		}
		product := func(x, y *value) *value { // [chunk, dk] by [dk, chunk] in each chunk, of copies
			return b.scope(func() *value {
				return b.mul(b.matmul(b.copied(x, keys), b.copied(y, keys), keys, keys, pairs), d, pairs)
			})
		}
		kb := times(k, e, keys)
		lower := product(kb, k)
		solved := b.scope(func() *value {
			right := b.do(op{in: []*value{times(v, e, values), times(kb, g, keys)}, out: keys + values, slopes: []int64{0, 0}})
			return b.do(op{in: []*value{lower, right}, out: keys + values, own: true, save: []*value{lower}, slopes: []int64{pairs, keys + values}, back: keys + values + pairs})
		})
		p := product(q, k)
		qe, ke := times(q, g, keys), times(k, g, keys)
		n := t / in.sequences / chunk
		one := func(bytes int64) int64 { return bytes / n }
		now := b.fresh(state)
		outs := []*value{}
		for range n {
			w := b.do(op{in: []*value{solved}, slopes: []int64{keys + values}})
			fresh := b.do(op{in: []*value{w, b.matmul(b.copied(w, one(keys)), now, one(keys), state, one(values))}, out: one(values), slopes: []int64{0, 0}})
			qi := b.do(op{in: []*value{qe}, slopes: []int64{keys}})
			pi := b.do(op{in: []*value{p}, slopes: []int64{pairs}})
			ki := b.do(op{in: []*value{ke}, slopes: []int64{keys}})
			o := b.add(b.matmul(b.copied(qi, one(keys)), now, one(keys), state, one(values)),
				b.matmul(b.copied(pi, one(pairs)), fresh, one(pairs), one(values), one(values)), one(values))
			outs = append(outs, o)
			kept := b.do(op{in: []*value{now, g}, out: state, save: []*value{now}, slopes: []int64{state}})
			now = b.add(kept, b.matmul(b.copied(ki, one(keys)), fresh, one(keys), one(values), state), state)
		}
		joined := b.do(op{in: outs, out: values, slopes: make([]int64, len(outs))})
		return b.to(b.scaled(b.scaled(joined, values, values), values, in.rows*heads*dv*fp32), in.rows*heads*dv, fp32, b.size)
	})
}
