package memory

import (
	"cmp"

	"github.com/hone-rl/hone/checkpoint"
)

// Decoding is a pass of gpu/decode while its cache is full, as it is after some games.
type Decoding struct {
	Model    checkpoint.Model
	BFloat16 bool
	CUDA     bool
	Prompt   int64 // tokens of the longest prompts
	Lanes    int64 // sequences at once, and states remembered beside them
	Slots    int64 // tokens that the cache holds; 0: what gpu/decode lets it grow to
}

// What gpu/decode takes where its configuration leaves it free: the tokens of a pass, and those that the cache grows to,
// for prompts that come again, if the device has the room.
const (
	passRows   = 2048
	cacheSlots = 1 << 16
)

// Use is what the pass takes.
func (d Decoding) Use() (Use, error) {
	m, err := describe(d.Model, func(string) int64 { return 0 })
	if err != nil {
		return Use{}, err
	}
	k := kindOf(d.BFloat16, false, d.CUDA)
	var s Sequences
	for left := int64(passRows); left > 0; {
		n := min(left, max(d.Prompt, 1))
		s.Tokens, s.Wanted, left = append(s.Tokens, n), append(s.Wanted, 1), left-n
	}
	in := s.batch()
	u := Use{Weights: checkpoint.Parameters(d.Model) * k.size, Cache: m.cache(k, cmp.Or(d.Slots, cacheSlots), d.Lanes)}
	b := &builder{tape: &tape{}, kind: k, cuda: d.CUDA}
	b.live = u.fixed() + in.tables(m.rotary)
	b.peak = b.live
	b.scope(func() *value {
		b.fresh(in.input(k) + in.rows*i64)
		x := b.fresh(in.rows * m.hidden * b.size)
		for i := range m.blocks {
			before := x
			x = b.scope(func() *value { return m.through(b, i, before, in) })
			b.release(before.storage)
		}
		return m.last(b, x, in.wanted)
	})
	// The cache doubles until it is full: then the last one and the new one are there together.
	u.Peak = max(b.peak+b.products(d.Model, in.rows), u.fixed()+u.Cache/2)
	u.Pass = u.Peak - u.fixed()
	return u, nil
}
