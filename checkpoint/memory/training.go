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
	Weights   int64 `json:"weights"`   // that are not trained, or copies of trained ones in bf16
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
	k := kindOf(t.BFloat16, t.Eager, t.CUDA)
	all, trained := checkpoint.Parameters(t.Model), int64(0)
	u := Use{}
	if t.Adapter != nil {
		u.Weights, trained = all*k.size, Rank(t.Adapter, t.Rank)
	} else if trained = all; t.BFloat16 {
		u.Weights = all * k.size // what is trained in fp32 is computed with in rounded copies
	}
	u.Trained, u.Gradients, u.Moments = trained*fp32, trained*fp32, 2*trained*fp32
	b := &builder{tape: &tape{}, kind: k, full: t.Adapter == nil, dropout: t.Dropout, cuda: t.CUDA}
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
	u.Peak = b.peak + b.products(t.Model, in.rows)
	u.Pass = u.Peak - u.fixed()
	return u, nil
}

// products is what the CPU's library for bf16 takes for sums in fp32, of the widest product: about what was measured.
func (b *builder) products(m checkpoint.Model, rows int64) int64 {
	if b.cuda || b.size == fp32 {
		return 0
	}
	widest := int64(0)
	for _, l := range m.Linears() {
		widest = max(widest, l.In, l.Out)
	}
	return rows * widest * fp32
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
	if !t.Recompute {
		b.grad = true
		final := b.scope(func() *value {
			x := embed()
			for i := range m.blocks {
				before := x
				x = b.scope(func() *value { return m.through(b, i, before, in) })
				b.release(before.storage)
			}
			return m.last(b, x, in.wanted)
		})
		b.grad = false
		b.backward(final, t.loss(b, m, in))
		return
	}
	states := []*value{embed()}
	for i := range m.blocks {
		states = append(states, b.scope(func() *value { return m.through(b, i, states[i], in) }))
	}
	m.last(b, states[len(states)-1], in.wanted)
	slope := b.hold(t.loss(b, m, in))
	for i := len(m.blocks); i >= 0; i-- {
		leaf := &value{storage: states[i].storage, needs: i > 0 || b.full}
		b.scope(func() *value {
			b.grad = true
			var y *value
			if i == len(m.blocks) {
				y = m.last(b, leaf, in.wanted)
			} else {
				y = m.through(b, i, leaf, in)
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
	if b.full {
		bytes = max(bytes, logits*b.size+b.gathered(m.vocabulary*m.hidden)) // of the head
	}
	slope := b.make(in.wanted * m.hidden * b.size)
	b.touch(bytes + in.wanted*(2*i64+3*fp32))
	return slope
}

// update is what the optimiser makes beside its buffers: on a GPU the gradient and its squares in fp64, for their sum.
func (t Training) update(trained int64) int64 {
	if !t.CUDA {
		return 0
	}
	return 2 * trained * 8
}
