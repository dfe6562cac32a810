package decode

import (
	"context"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// sequence is one request under way.
type sequence struct {
	request int // its index
	at      nn.Place
	done    int     // tokens in the cache
	pending []int32 // tokens still to be computed; the last one's state is asked for
}

// waveRows bounds the cache of one wave of requests: the rest wait for the next. Requests do not depend on each
// other, so where a wave ends changes nothing.
const waveRows = 32768

// waves splits requests, of which request i needs rows(i) cache slots, into runs [from, to).
func waves(n int, rows func(i int) int) [][2]int {
	var all [][2]int
	for from := 0; from < n; {
		to, sum := from, 0
		for to < n && (to == from || sum+rows(to) <= waveRows) {
			sum += rows(to)
			to++
		}
		all = append(all, [2]int{from, to})
		from = to
	}
	return all
}

// run computes sequences' pending tokens until none is left. decide is given the final states of those that had
// some, in order, and says what each goes on with by setting pending; it drops those that are done.
func run(ctx context.Context, e *torch.Engine, model nn.Decoder, slots int, active []*sequence,
	decide func(active []*sequence, hidden *torch.Tensor) ([]*sequence, error),
) error {
	if len(active) == 0 {
		return nil
	}
	rows := nn.MinRows(e)
	spare := nn.Place{Slot: slots, Lane: len(active)}
	cache := model.NewCache(slots+rows, len(active)+1)
	defer cache.Free()
	vocabulary, positions := model.Limits()
	for len(active) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := nn.NewBatch()
		for _, s := range active {
			n := len(s.pending)
			b.Add(s.pending, s.done, s.at, n-1, n)
		}
		b.Pad(rows, spare)
		if err := b.Check(vocabulary, positions); err != nil {
			return err
		}
		for _, s := range active {
			s.done += len(s.pending)
			s.pending = nil
		}
		var err error
		e.Scope(func() []*torch.Tensor {
			active, err = decide(active, nn.Forward(model, b, cache))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
