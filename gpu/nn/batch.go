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
	Lanes  []int64         // of each sequence in the cache; unused without one
	Past   []int64         // tokens of each sequence that the cache holds
	spare  int             // rows at the end that pad the batch
}

// Place is where a cache keeps a sequence: the slot of its position 0, which those of later positions follow, and
// the lane of its recurrent state. The zero Place serves a batch without a cache.
type Place struct {
	Slot, Lane int
	// Pages, where it is not nil, are the pages of the sequence's tokens, torch.PageRows slots each, in order; then
	// Slot is unused. Sequences may have pages in common as long as none writes there. All places of a batch have
	// pages or none has.
	Pages []int64
}

// at is the slot of a position.
func (p Place) at(position int) int64 {
	if p.Pages == nil {
		return int64(p.Slot + position)
	}
	return torch.PageRows*p.Pages[position/torch.PageRows] + int64(position%torch.PageRows)
}

// NewBatch is an empty batch.
func NewBatch() *Batch {
	return &Batch{Rows: torch.Sequences{Offset: []int64{0}}, Wanted: torch.Sequences{Offset: []int64{0}}}
}

// Add appends a sequence's new tokens, the first at position past; at is its place in the cache. The final states of
// the tokens in [from, to) are wanted. Without a cache past is 0.
func (b *Batch) Add(tokens []int32, past int, at Place, from, to int) {
	wanted := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		wanted = append(wanted, i)
	}
	b.AddWanted(tokens, past, at, wanted)
}

// AddWanted is Add where the final states of tokens here and there are wanted, in ascending order.
func (b *Batch) AddWanted(tokens []int32, past int, at Place, wanted []int) {
	first := len(b.Tokens)
	b.Lanes = append(b.Lanes, int64(at.Lane))
	b.Past = append(b.Past, int64(past))
	for i, t := range tokens {
		b.Tokens = append(b.Tokens, int64(t))
		b.Rows.Position = append(b.Rows.Position, int64(past+i))
		b.Slots = append(b.Slots, at.at(past+i))
	}
	if at.Pages != nil {
		b.Rows.Pages = append(b.Rows.Pages, at.Pages...)
		if b.Rows.PageStart == nil {
			b.Rows.PageStart = []int64{0}
		}
		b.Rows.PageStart = append(b.Rows.PageStart, int64(len(b.Rows.Pages)))
		b.Wanted.Pages, b.Wanted.PageStart = b.Rows.Pages, b.Rows.PageStart
	}
	b.Rows.Offset = append(b.Rows.Offset, int64(len(b.Tokens)))
	b.Rows.KeyStart = append(b.Rows.KeyStart, int64(first))
	for _, i := range wanted {
		b.Want = append(b.Want, int64(first+i))
		b.Wanted.Position = append(b.Wanted.Position, int64(past+i))
	}
	b.Wanted.Offset = append(b.Wanted.Offset, int64(len(b.Want)))
	b.Wanted.KeyStart = append(b.Wanted.KeyStart, int64(first))
}

// Pad appends a sequence of token 0 that is thrown away, so that at least rows rows are wanted. A matrix product
// of very few rows may add in another order than one of many: with enough rows a row's result depends on that row
// alone. at is a place in the cache for rows tokens.
func (b *Batch) Pad(rows int, at Place) {
	if len(b.Want) >= rows {
		return
	}
	b.Add(make([]int32, rows), 0, at, 0, rows)
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
