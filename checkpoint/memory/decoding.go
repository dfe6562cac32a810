package memory

import "github.com/hone-rl/hone/checkpoint"

// Decoding is a pass of gpu/decode: prompts side by side, of each of which the last state is asked for.
type Decoding struct {
	Model    checkpoint.Model
	BFloat16 bool
	CUDA     bool
	Prompts  []int64 // tokens of each
	Room     int64   // tokens that each may go on for
}

// Use is what the first pass over the prompts takes, the largest there is.
func (d Decoding) Use() (Use, error) {
	m, err := describe(d.Model, func(string) int64 { return 0 })
	if err != nil {
		return Use{}, err
	}
	k := kind{size: fp32, loops: !d.CUDA && !d.BFloat16}
	if d.BFloat16 {
		k.size = 2
	}
	s := Sequences{Tokens: d.Prompts, Wanted: make([]int64, len(d.Prompts))}
	slots := int64(0)
	for i, n := range d.Prompts {
		s.Wanted[i] = 1
		slots += n + d.Room
	}
	in := s.batch()
	u := Use{Weights: checkpoint.Parameters(d.Model) * k.size, Cache: m.cache(k, slots, in.sequences)}
	b := &builder{tape: &tape{}, kind: k}
	b.live = u.fixed() + in.tables(m.rotary)
	b.peak = b.live
	b.scope(func() *value {
		b.fresh(in.input(k) + in.rows*i64)
		x := b.fresh(in.rows * m.hidden * b.size)
		for i, block := range m.blocks {
			x = b.scope(func() *value { return block(b, x, in, i == len(m.blocks)-1 && in.wanted < in.rows) })
		}
		return b.norm(x, in.wanted, m.hidden)
	})
	u.Peak = b.peak
	u.Pass = u.Peak - u.fixed()
	return u, nil
}
