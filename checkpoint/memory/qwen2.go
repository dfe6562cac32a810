package memory

import "github.com/hone-rl/hone/checkpoint"

// block is a layer of a model.
type block func(b *builder, x *value, in batch, wanted bool) *value

// rowsOf takes the wanted rows out of x.
func (b *builder) rowsOf(x *value, in batch, width int64, wanted bool) *value {
	if !wanted {
		return x
	}
	return b.scaled(x, in.rows*width*b.size, in.wanted*width*b.size)
}

// qwen2 is a block of Qwen2; rank is that of the adapter beside a linear layer.
func qwen2(c *checkpoint.Qwen2, rank func(name string) int64) block {
	hidden, q, kv := int64(c.Hidden), int64(c.Heads*c.HeadDim), int64(c.KVHeads*c.HeadDim)
	h := heads{int64(c.Heads), int64(c.KVHeads), int64(c.HeadDim)}
	of := func(name string, in, out int64) layer { return layer{in, out, rank("self_attn." + name)} }
	mlp := newMLP(hidden, int64(c.Intermediate), rank)
	return func(b *builder, x *value, in batch, wanted bool) *value {
		rows, gs := in.part(wanted)
		n := b.norm(x, in.rows, hidden)
		k := b.rotary(b.linear(n, in.rows, of("k_proj", hidden, kv)), in.rows, h.kv, h.width)
		v := b.linear(n, in.rows, of("v_proj", hidden, kv))
		from := b.rowsOf(n, in, hidden, wanted)
		qs := b.rotary(b.linear(from, rows, of("q_proj", hidden, q)), rows, h.query, h.width)
		o := b.linear(b.attend(qs, k, v, rows, in.rows, gs, h), rows, of("o_proj", q, hidden))
		x = b.add(b.rowsOf(x, in, hidden, wanted), o, rows*hidden*b.size)
		return b.add(x, mlp.forward(b, b.norm(x, rows, hidden), rows), rows*hidden*b.size)
	}
}
