package gputest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hone-rl/hone/gpu"
)

// dimensions of a vector, as all-MiniLM-L6-v2's.
const dimensions = 384

// Embedder implements gpu.Runner. It needs no files.
func (r *Runner) Embedder(_ context.Context, dir string) (gpu.Embedder, error) {
	if r.OnLoad != nil {
		if err := r.OnLoad(dir); err != nil {
			return nil, err
		}
	}
	return embedder{}, nil
}

type embedder struct{}

// Embed implements gpu.Embedder: the sum of a direction for each token, so that texts with many tokens in common have
// vectors close to each other.
func (embedder) Embed(ctx context.Context, texts [][]int32) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if len(text) == 0 {
			return nil, fmt.Errorf("gputest: text %d: 0 tokens", i)
		}
		var sum [dimensions]float64
		for _, t := range text {
			rng := rand.New(rand.NewPCG(uint64(uint32(t)), 384))
			for j := range sum {
				sum[j] += rng.NormFloat64()
			}
		}
		length := 0.0
		for _, x := range sum {
			length += x * x
		}
		vectors[i] = make([]float32, dimensions)
		for j, x := range sum {
			vectors[i][j] = float32(x / math.Sqrt(length))
		}
	}
	return vectors, ctx.Err()
}

// Close implements gpu.Embedder.
func (embedder) Close() error { return nil }
