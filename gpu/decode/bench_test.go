package decode_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// teacher is a model of the small teacher's size, with random weights.
func teacher(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if err := qwen2.Init(gpu.ModelConfig{
		Hidden: 192, Layers: 3, Heads: 6, KVHeads: 2, Intermediate: 512, Vocabulary: 2048, Positions: 512, RopeTheta: 10000,
		InitStd: 0.06, TieEmbedding: true,
	}, 1, dir); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkChoose is decisions of the small teacher: prompts of 80 tokens, 27 candidates of two tokens.
func BenchmarkChoose(b *testing.B) {
	dir := teacher(b)
	rng := rand.New(rand.NewPCG(6, 6))
	var all []gpu.Choice
	for range 60 {
		c := gpu.Choice{Prompt: text(rng, 80)}
		for j := range 27 {
			c.Candidates = append(c.Candidates, []int32{int32(j / 3), int32(j)})
		}
		all = append(all, c)
	}
	for _, n := range []int{1, 16, 60} {
		b.Run(fmt.Sprintf("requests=%d", n), func(b *testing.B) {
			e := torchtest.Engine(b)
			m := loaded(b, e, dir)
			for b.Loop() {
				if _, err := batcher(b, e, m, decode.Config{}).Choose(b.Context(), all[:n]); err != nil { // nothing remembered
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}
