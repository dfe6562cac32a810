package memory

import "github.com/hone-rl/hone/checkpoint"

// Training is a step of gpu/train on one micro-batch. What micro-batches are accumulated changes nothing: their
// gradients gather in the same place.
type Training struct {
	Model     checkpoint.Model
	Adapter   []checkpoint.Linear // the layers with an adapter; none: all parameters are trained
	Rank      int64
	Dropout   bool // of the adapter
	BFloat16  bool // weights that are not trained, and states
	Eager     bool
	Recompute bool
	CUDA      bool
	Batch     Sequences
}

// Use is bytes of a device.
type Use struct {
	Weights   int64 `json:"weights"`   // that are not trained
	Trained   int64 `json:"trained"`   // what is trained, in fp32
	Gradients int64 `json:"gradients"` // of it
	Moments   int64 `json:"moments"`   // AdamW's two
	Cache     int64 `json:"cache"`     // keys, values and states of decoding
	Pass      int64 `json:"pass"`      // the most that a pass takes beside them: states kept and made, logits, gradients of states
	Peak      int64 `json:"peak"`      // the most there is at once
}

func (u Use) fixed() int64 { return u.Weights + u.Trained + u.Gradients + u.Moments + u.Cache }

// Use is what the step takes.
func (t Training) Use() (Use, error) {
	m, err := describe(t.Model, t.rank())
	if err != nil {
		return Use{}, err
	}
	k := kind{size: fp32, loops: !t.CUDA && !t.BFloat16, eager: t.Eager}
	if t.BFloat16 {
		k.size = 2
	}
	all, trained := checkpoint.Parameters(t.Model), int64(0)
	u := Use{}
	if t.Adapter == nil {
		trained = all
	} else {
		u.Weights = all * k.size
		trained = Rank(t.Adapter, t.Rank)
	}
	u.Trained, u.Gradients, u.Moments = trained*fp32, trained*fp32, 2*trained*fp32
	b := &builder{tape: &tape{}, kind: k, full: t.Adapter == nil, dropout: t.Dropout}
	in := t.Batch.batch()
	b.live = u.fixed() + in.tables(m.rotary)
	b.peak = b.live
	b.scope(func() *value {
		b.fresh(in.input(k))
		t.pass(b, m, in)
		return nil
	})
	b.touch(t.update(trained))
	// Before the first step what is trained lies both in the model and in the buffers that it is copied to.
	if t.Adapter == nil {
		b.peak = max(b.peak, u.fixed()+all*k.size)
	}
	u.Peak = b.peak
	u.Pass = u.Peak - u.fixed()
	return u, nil
}

func (t Training) rank() func(path string) int64 {
	has := map[string]bool{}
	for _, l := range t.Adapter {
		has[l.Path] = true
	}
	return func(path string) int64 {
		if has[path] {
			return t.Rank
		}
		return 0
	}
}

// Rank is the number of parameters of an adapter of that rank beside the layers.
func Rank(layers []checkpoint.Linear, rank int64) int64 {
	n := int64(0)
	for _, l := range layers {
		n += rank * (l.In + l.Out)
	}
	return n
}

// pass is gpu/nn's Pass and the loss.
func (t Training) pass(b *builder, m *model, in batch) {
	hidden := in.rows * m.hidden * b.size
	embed := func() *value {
		return b.do(op{in: []*value{b.trained()}, out: hidden, slopes: []int64{-1}})
	}
	part := func(i int, x *value) *value {
		return m.blocks[i](b, x, in, i == len(m.blocks)-1 && in.wanted < in.rows)
	}
	if !t.Recompute {
		b.grad = true
		final := b.scope(func() *value {
			x := embed()
			for i := range m.blocks {
				x = b.scope(func() *value { return part(i, x) })
			}
			return b.norm(x, in.wanted, m.hidden)
		})
		b.grad = false
		b.backward(final, t.loss(b, m, in))
		return
	}
	states := []*value{embed()}
	for i := range m.blocks {
		states = append(states, b.scope(func() *value { return part(i, states[i]) }))
	}
	b.norm(states[len(states)-1], in.wanted, m.hidden)
	slope := b.hold(t.loss(b, m, in))
	for i := len(m.blocks); i >= 0; i-- {
		leaf := &value{storage: states[i].storage, needs: i > 0 || b.full}
		b.scope(func() *value {
			b.grad = true
			var y *value
			if i == len(m.blocks) {
				y = b.norm(leaf, in.wanted, m.hidden)
			} else {
				y = part(i, leaf)
			}
			b.grad = false
			b.backward(y, slope)
			return nil
		})
		b.drop(slope)
		if slope = leaf.slope; slope == nil {
			return
		}
		if i > 0 {
			b.release(states[i].storage)
		}
	}
	b.drop(slope)
}

// loss is the gradient by the final states, made chunk by chunk of rows.
func (t Training) loss(b *builder, m *model, in batch) *storage {
	most := min(max((1<<22)/m.vocabulary, 64), 1024)
	if t.CUDA {
		most = min(max((1<<27)/m.vocabulary, 256), 8192)
	}
	chunks := max(1, (in.wanted+most-1)/most)
	logits := (in.wanted + chunks - 1) / chunks * m.vocabulary
	bytes := logits * b.size
	if !b.loops {
		bytes += 3 * logits * fp32
		if b.size != fp32 {
			bytes += logits * b.size
		}
	}
	if b.full && b.size != fp32 {
		bytes += m.vocabulary * m.hidden * b.size
	}
	slope := b.make(in.wanted * m.hidden * b.size)
	b.touch(bytes + in.wanted*(2*i64+3*fp32))
	return slope
}

// update is what the optimiser makes beside its buffers.
func (t Training) update(trained int64) int64 {
	if !t.CUDA {
		return 0
	}
	return 2 * trained * fp32
}
