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
	// Steps says which rows follow on each other; nil but for models that keep a state of a sequence.
	Steps *torch.Packing

	all, some attention // of all rows, of the wanted ones
}

// attention is which keys rows see, and how that is laid out on the device where attention has no loop of its own.
type attention struct {
	sequences torch.Sequences
	padding   *torch.Padding // nil where loops need none
}

// Input copies the batch to the model's device. What the layers need to know of its sequences is copied here, once:
// a layer waits for nothing.
func (b *Batch) Input(m Decoder, cache *Cache) *Input {
	e, options := m.Engine(), m.Options()
	in := &Input{Eager: options.Eager, Batch: b, Tokens: e.FromInts(b.Tokens), Positions: e.FromInts(b.Rows.Position), Cache: cache}
	in.WantedAt = in.Positions
	for _, p := range b.Rows.Position {
		in.Longest = max(in.Longest, int(p)+1)
	}
	loops := e.Device() == "cpu" && options.Type() == torch.Float32 && !options.Eager
	in.all = b.attention(e, b.Rows, cache, loops)
	if len(b.Want) < len(b.Tokens) {
		in.Want = e.FromInts(b.Want)
		in.WantedAt = e.FromInts(b.Wanted.Position)
		in.some = b.attention(e, b.Wanted, cache, loops)
	}
	if cache != nil {
		in.Slots = e.FromInts(b.Slots)
	}
	if r, ok := m.(interface{ Recurrent() bool }); ok && r.Recurrent() {
		in.Steps = e.Pack(torch.Packing{Offset: b.Rows.Offset, Lane: b.Lanes, Past: b.Past}, options.Type())
	}
	return in
}

// attention lays sequences out. In a cache a sequence's keys begin at its position 0, not at its first new row.
func (b *Batch) attention(e *torch.Engine, s torch.Sequences, cache *Cache, loops bool) attention {
	if cache != nil {
		start := make([]int64, len(s.KeyStart))
		for i, row := range s.KeyStart {
			if s.Pages == nil && s.Offset[i] < s.Offset[i+1] {
				start[i] = b.Slots[row] - b.Rows.Position[row]
			}
		}
		s.KeyStart = start
	}
	if loops || len(s.Position) == 0 {
		return attention{sequences: s}
	}
	return attention{sequences: s, padding: e.Pad(s)}
}

// Attend is attention of queries over the batch's keys and values, through the cache where there is one. wanted
// says that q has the wanted rows only.
func (in *Input) Attend(layer int, q, k, v *torch.Tensor, wanted bool, scale float64) *torch.Tensor {
	a := in.all
	if wanted {
		a = in.some
	}
	if in.Cache != nil {
		keys, values := in.Cache.Layers[layer].Keys, in.Cache.Layers[layer].Values
		keys.SetRows(in.Slots, k)
		values.SetRows(in.Slots, v)
		k, v = keys, values
	}
	if a.padding != nil {
		return q.AttendPadded(k, v, a.padding, scale, in.Eager)
	}
	return q.Attend(k, v, a.sequences, scale)
}
