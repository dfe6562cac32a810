package nn

import "github.com/hone-rl/hone/gpu/torch"

// Input is a batch on the device.
type Input struct {
	Batch     *Batch
	Tokens    *torch.Tensor // int64 [rows]
	Positions *torch.Tensor // int64 [rows]
	Want      *torch.Tensor // int64 [wanted]; nil if all rows are
	WantedAt  *torch.Tensor // positions of the wanted rows
	Slots     *torch.Tensor // int64 [rows]; nil without a cache
	Cache     *Cache
	Longest   int  // positions of the longest sequence
	Eager     bool // attention by plain operations, see [Options]
}

// Input copies the batch to the model's device.
func (b *Batch) Input(m Decoder, cache *Cache) *Input {
	e := m.Engine()
	in := &Input{Eager: m.Options().Eager, Batch: b, Tokens: e.FromInts(b.Tokens), Positions: e.FromInts(b.Rows.Position), Cache: cache}
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
	keys, values := in.Cache.Layers[layer].Keys, in.Cache.Layers[layer].Values
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
