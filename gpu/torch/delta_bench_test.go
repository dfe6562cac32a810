package torch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// BenchmarkDeltaRule is the rule over packed sequences, forward alone and with its gradients: by the CPU's loops in
// fp32, and in chunks by libtorch's operations, which run in fp32 too for inputs in bf16.
func BenchmarkDeltaRule(b *testing.B) {
	for _, size := range []struct {
		name    string
		lengths []int64
		rule    torch.DeltaRule
	}{
		{"small", []int64{512, 512, 512, 512}, torch.DeltaRule{KeyHeads: 4, ValueHeads: 8, KeyDim: 32, ValueDim: 32}},
		{"mixed lengths", []int64{512, 40, 90, 200, 64, 300}, torch.DeltaRule{KeyHeads: 4, ValueHeads: 8, KeyDim: 32, ValueDim: 32}},
		{"published", []int64{512}, torch.DeltaRule{KeyHeads: 16, ValueHeads: 16, KeyDim: 128, ValueDim: 128}},
	} {
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			for _, backward := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/%s", size.name, map[torch.DType]string{torch.Float32: "loops", torch.BFloat16: "chunks"}[dtype],
					map[bool]string{false: "forward", true: "both ways"}[backward])
				b.Run(name, func(b *testing.B) { benchDelta(b, size.rule, packing(size.lengths...), dtype, backward) })
			}
		}
	}
}

func benchDelta(b *testing.B, d torch.DeltaRule, p torch.Packing, dtype torch.DType, backward bool) {
	e := torchtest.Engine(b)
	torchtest.Do(b, e, func() {
		rng := rand.New(rand.NewPCG(1, 1))
		rows, heads := p.Offset[len(p.Lane)], int64(d.ValueHeads)
		load := func(shape ...int64) *torch.Tensor {
			x := random(rng, shape...).tensor(e, dtype)
			if backward {
				x = x.View(x.Elements()).Leaf(e.Zeros(dtype, x.Elements()), 0, shape...)
			}
			return x
		}
		d.Mixed = load(rows, int64(2*d.KeyHeads*d.KeyDim+d.ValueHeads*d.ValueDim))
		d.A, d.B, d.ALog, d.DTBias = load(rows, heads), load(rows, heads), load(heads), load(heads)
		b.ResetTimer()
		for range b.N {
			e.Scope(func() []*torch.Tensor {
				packed := e.Pack(p, dtype)
				if !backward {
					d.Forward(packed, nil)
					return nil
				}
				e.Grad(func() { d.Forward(packed, nil).Sum().Backward() })
				return nil
			})
		}
		b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
