package decode_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/scripts/bench"
)

// benchModel is hidden 256, 4 layers, vocabulary 2,048, with random weights.
func benchModel(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if err := qwen2.Init(gpu.ModelConfig{
		Hidden: 256, Layers: 4, Heads: 4, KVHeads: 2, Intermediate: 704, Vocabulary: 2048, Positions: 2048, RopeTheta: 10000,
		InitStd: 0.06, TieEmbedding: true,
	}, 1, dir); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkPythonRollout is a group of 8 rollouts of 64 tokens from one prompt of 1,000, at temperature 1, beside
// transformers' generate with num_return_sequences. Both draw the same number of tokens; greedily both give the same.
func BenchmarkPythonRollout(b *testing.B) {
	const group, tokens = 8, 64
	dir := benchModel(b)
	rng := rand.New(rand.NewPCG(4, 4))
	prompt := make([]int32, 1000)
	for i := range prompt {
		prompt[i] = rng.Int32N(2048)
	}
	var requests []gpu.Sampling
	for i := range group {
		requests = append(requests, gpu.Sampling{Prompt: prompt, MaxTokens: tokens, Temperature: 1, Seed: uint64(i)})
	}
	peer := bench.Start(b, bench.Program{
		Environment: ".venv", Script: "rollout.py",
		Args: []string{dir, bench.WriteJSON(b, map[string]any{"Prompt": prompt, "Group": group, "Tokens": tokens})},
	})
	b.Run(fmt.Sprintf("group=%d", group), func(b *testing.B) {
		e := torchtest.Engine(b)
		m := loaded(b, e, dir)
		bench.Comparison{
			Unit: "tokens", Work: group * tokens,
			Peers: []bench.Rival{{Name: "generate", Peer: peer, Round: "generate"}},
			Ours: func(c *bench.Clock) (any, error) {
				decoder := batcher(b, e, m, decode.Config{}) // nothing is remembered from round to round
				n := 0
				if err := c.Time(func() error {
					sampled, err := decoder.Sample(b.Context(), requests)
					for _, s := range sampled {
						n += len(s.Tokens)
					}
					return err
				}); err != nil {
					return nil, err
				}
				greedy, err := decoder.Sample(b.Context(), []gpu.Sampling{{Prompt: prompt, MaxTokens: 8}})
				if err != nil {
					return nil, err
				}
				return []any{n, greedy[0].Tokens}, nil
			},
		}.Run(b)
	})
}
