package train_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// cpuTime is the process's, user and system: on a shared machine it says more than the clock.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStep is a training step of the small teacher: 16 records of 81 tokens in the mean, two of them answer.
func BenchmarkStep(b *testing.B) {
	model := gpu.ModelConfig{
		Hidden: 192, Layers: 3, Heads: 6, KVHeads: 2, Intermediate: 512, Vocabulary: 2048, Positions: 512,
		RopeTheta: 10000, InitStd: 0.06, TieEmbedding: true,
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			e := torchtest.Threads(b, threads)
			trainer, _ := begin(b, e, model, recipe)
			var batches [][]gpu.Example
			for i := range 16 {
				batches = append(batches, batch(uint64(i), 16, 2048, 76, 86))
			}
			cpu, tokens := cpuTime(b), 0
			b.ResetTimer()
			if err := e.Do(b.Context(), func() error {
				for i := range b.N {
					r, err := trainer.Step(b.Context(), [][]gpu.Example{batches[i%16]})
					if err != nil {
						return err
					}
					tokens += r.Tokens
				}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(16*float64(b.N)/seconds, "records/s")
			b.ReportMetric(float64(tokens)/seconds, "tokens/s")
			b.ReportMetric((cpuTime(b)-cpu).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}
