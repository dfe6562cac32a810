package memory

import "math/bits"

// group is sequences that attention pads to one shape.
type group struct{ n, rows, keys int64 }

// padded is the length that gpu/torch pads a sequence of n to.
func padded(n int64) int64 {
	if n <= 16 {
		return n
	}
	step := int64(1) << (bits.Len64(uint64(n-1)) - 4)
	return (n + step - 1) / step * step
}

// groups lays sequences out, as queries of keys.
func groups(rows, keys []int64) []group {
	var all []group
	at := map[[2]int64]int{}
	for i := range rows {
		if rows[i] == 0 {
			continue
		}
		shape := [2]int64{padded(rows[i]), padded(keys[i])}
		j, ok := at[shape]
		if !ok {
			j = len(all)
			at[shape] = j
			all = append(all, group{rows: shape[0], keys: shape[1]})
		}
		all[j].n++
	}
	return all
}

// heads are the sizes of an attention layer.
type heads struct{ query, kv, width int64 }

// attend is attention of q's rows over the keys that their sequences have.
func (b *builder) attend(q, k, v *value, rows, keys int64, gs []group, h heads) *value {
	out, kv := rows*h.query*h.width*b.size, keys*h.kv*h.width*b.size
	if b.loops && !b.padded {
		return b.do(op{in: []*value{q, k, v}, out: out, save: []*value{q, k, v}, own: true, keep: rows * h.query * fp32, slopes: []int64{out, kv, kv}})
	}
	return b.scope(func() *value {
		var queryRows, keyRows int64
		for _, g := range gs {
			queryRows, keyRows = queryRows+g.n*g.rows, keyRows+g.n*g.keys
		}
		allQ, allKV := queryRows*h.query*h.width*b.size, keyRows*h.kv*h.width*b.size
		gq, gk, gv := b.parted(b.scaled(q, out, allQ), allQ), b.parted(b.scaled(k, kv, allKV), allKV), b.parted(b.scaled(v, kv, allKV), allKV)
		parts := []*value{}
		for _, g := range gs {
			o := b.scope(func() *value {
				if b.eager {
					return b.eagerly(gq, gk, gv, g, h)
				}
				return b.library(gq, gk, gv, g, h)
			})
			n := g.n * g.rows * h.query * h.width * b.size
			parts = append(parts, b.scaled(o, n, n)) // in another order of heads and rows, on the way back too
		}
		// The groups' parts of the gradients are put together in one piece.
		joined := b.do(op{in: parts, out: allQ, slopes: make([]int64, len(parts))})
		return b.scaled(joined, allQ, out)
	})
}

// eagerly is the products of a group in the model's type and a softmax in fp32 between.
func (b *builder) eagerly(q, k, v *value, g group, h heads) *value {
	nq, nk := g.n*g.rows*h.query*h.width*b.size, g.n*g.keys*h.kv*h.width*b.size
	pairs := g.n * h.query * g.rows * g.keys
	scores := b.matmul(b.copied(q, nq), b.copied(k, nk), nq, nk, pairs*b.size)
	exact := b.to(scores, pairs, b.size, fp32) // scaled and masked in place
	exact = b.do(op{in: []*value{exact}, slopes: []int64{pairs * fp32}})
	exact = b.do(op{in: []*value{exact}, slopes: []int64{pairs * fp32}, back: 2 * pairs * fp32}) // the gradient of a view changed in place is copied
	p := b.do(op{in: []*value{exact}, out: pairs * fp32, own: true, slopes: []int64{pairs * fp32}})
	return b.matmul(b.to(p, pairs, fp32, b.size), b.copied(v, nk), pairs*b.size, nk, nq)
}

// library is libtorch's scaled_dot_product_attention with a mask. On a CPU it makes the scores; on a GPU it need not.
func (b *builder) library(q, k, v *value, g group, h heads) *value {
	nq, nk := g.n*g.rows*h.query*h.width*b.size, g.n*g.keys*h.query*h.width*b.size
	kv := nk / h.query * h.kv
	b.fresh(g.n * g.rows * g.keys * b.size) // the mask
	repeated := func(x *value) *value {
		if h.query == h.kv {
			return x
		}
		return b.scaled(x, kv, nk)
	}
	plain := func(x *value) *value { // heads and rows in the order of the product
		if h.query == h.kv {
			return b.copied(x, nk)
		}
		return x
	}
	pairs := g.n * h.query * g.rows * g.keys * b.size
	sq, sk := b.copied(b.scaled(q, nq, nq), nq), plain(b.scaled(repeated(k), nk, nk))
	scores := b.matmul(sq, sk, nq, nk, pairs)
	p := b.do(op{in: []*value{scores}, out: pairs, own: true, slopes: []int64{pairs}}) // the mask is added in place
	return b.matmul(p, plain(repeated(v)), pairs, nk, nq)
}
