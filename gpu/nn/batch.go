package nn

import (
	"fmt"

	"github.com/hone-rl/hone/gpu/torch"
)

// Batch is packed sequences: the rows of one pass.
type Batch struct {
	Tokens []int64         // of each row
	Rows   torch.Sequences // all rows
	Wanted torch.Sequences // the rows whose final state is asked for
	Want   []int64         // those rows, ascending
	Slots  []int64         // of each row in the cache; unused without one
	spare  int             // rows at the end that pad the batch
}

// NewBatch is an empty batch.
func NewBatch() *Batch {
	return &Batch{Rows: torch.Sequences{Offset: []int64{0}}, Wanted: torch.Sequences{Offset: []int64{0}}}
}

// Add appends a sequence's new tokens, the first at position past; slot is the place of the sequence's position 0
// in the cache. The final states of the tokens in [from, to) are wanted. Without a cache past is 0 and slot is not
// looked at.
func (b *Batch) Add(tokens []int32, past, slot, from, to int) {
	first := len(b.Tokens)
	for i, t := range tokens {
		b.Tokens = append(b.Tokens, int64(t))
		b.Rows.Position = append(b.Rows.Position, int64(past+i))
		b.Slots = append(b.Slots, int64(slot+past+i))
	}
	b.Rows.Offset = append(b.Rows.Offset, int64(len(b.Tokens)))
	b.Rows.KeyStart = append(b.Rows.KeyStart, int64(first))
	for i := from; i < to; i++ {
		b.Want = append(b.Want, int64(first+i))
		b.Wanted.Position = append(b.Wanted.Position, int64(past+i))
	}
	b.Wanted.Offset = append(b.Wanted.Offset, int64(len(b.Want)))
	b.Wanted.KeyStart = append(b.Wanted.KeyStart, int64(first))
}

// Pad appends a sequence of token 0 that is thrown away, so that at least rows rows are wanted. A matrix product
// of very few rows may add in another order than one of many: with enough rows a row's result depends on that row
// alone. slot is a place in the cache for rows tokens.
func (b *Batch) Pad(rows, slot int) {
	if len(b.Want) >= rows {
		return
	}
	b.Add(make([]int32, rows), 0, slot, 0, rows)
	b.spare = rows
}

// Useful is how many of the wanted rows are not padding.
func (b *Batch) Useful() int { return len(b.Want) - b.spare }

// MinRows is the least number of rows for [Batch.Pad] on an engine. Measured with libtorch 2.1's matrix library in
// fp32: rows agree bit for bit where each thread has 4 or more.
func MinRows(e *torch.Engine) int { return max(16, 8*e.Threads()) }

// Check refuses tokens and positions that the model does not have.
func (b *Batch) Check(vocabulary, positions int) error {
	for i, t := range b.Tokens {
		if t < 0 || t >= int64(vocabulary) {
			return fmt.Errorf("token %d: the vocabulary has %d", t, vocabulary)
		}
		if p := b.Rows.Position[i]; p >= int64(positions) {
			return fmt.Errorf("a sequence of %d or more tokens: the model takes %d", p+1, positions)
		}
	}
	return nil
}

// Cache is the keys and values of sequences, each in a range of slots of its own.
type Cache struct {
	Keys, Values []*torch.Tensor // of each layer, [slots, kv heads, width]
}

// NewCache makes room in so many layers.
func NewCache(e *torch.Engine, layers, slots, heads, width int) *Cache {
	c := &Cache{}
	for range layers {
		shape := []int64{int64(slots), int64(heads), int64(width)}
		c.Keys = append(c.Keys, e.Zeros(torch.Float32, shape...).Keep())
		c.Values = append(c.Values, e.Zeros(torch.Float32, shape...).Keep())
	}
	return c
}

// Free gives the memory back.
func (c *Cache) Free() {
	for i := range c.Keys {
		c.Keys[i].Free()
		c.Values[i].Free()
	}
}

// Input is a batch on the device.
type Input struct {
	Batch     *Batch
	Tokens    *torch.Tensor // int64 [rows]
	Positions *torch.Tensor // int64 [rows]
	Want      *torch.Tensor // int64 [wanted]; nil if all rows are
	WantedAt  *torch.Tensor // positions of the wanted rows
	Slots     *torch.Tensor // int64 [rows]; nil without a cache
	Cache     *Cache
	Longest   int // positions of the longest sequence
}

// Input copies the batch to the device.
func (b *Batch) Input(e *torch.Engine, cache *Cache) *Input {
	in := &Input{Batch: b, Tokens: e.FromInts(b.Tokens), Positions: e.FromInts(b.Rows.Position), Cache: cache}
	in.WantedAt = in.Positions
	for _, p := range b.Rows.Position {
		in.Longest = max(in.Longest, int(p)+1)
	}
	if len(b.Want) < len(b.Tokens) {
		in.Want = e.FromInts(b.Want)
		in.WantedAt = e.FromInts(b.Wanted.Position)
	}
	if cache != nil {
		in.Slots = e.FromInts(b.Slots)
	}
	return in
}

// Attend is attention of queries over the batch's keys and values, through the cache where there is one. wanted
// says that q has the wanted rows only.
func (in *Input) Attend(layer int, q, k, v *torch.Tensor, wanted bool, scale float64) *torch.Tensor {
	s := in.Batch.Rows
	if wanted {
		s = in.Batch.Wanted
	}
	if in.Cache == nil {
		return q.Attend(k, v, s, scale)
	}
	keys, values := in.Cache.Keys[layer], in.Cache.Values[layer]
	keys.SetRows(in.Slots, k)
	values.SetRows(in.Slots, v)
	// A sequence's keys begin at its position 0, not at its first new row.
	start := make([]int64, len(s.KeyStart))
	for i, row := range s.KeyStart {
		start[i] = in.Batch.Slots[row] - in.Batch.Rows.Position[row]
	}
	s.KeyStart = start
	return q.Attend(keys, values, s, scale)
}
