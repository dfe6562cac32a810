package train_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/scripts/bench"
)

const (
	peerBatches = 16 // that follow each other round and round
	peerRecords = 16 // of a batch
	peerSteps   = 8  // of a round
)

// BenchmarkPython is training steps of the small teacher beside two ways in Python, on the same batches from the same
// weights: 16 records of 81 tokens in the mean, the last one to three of them answer. Losses must agree.
func BenchmarkPython(b *testing.B) {
	besidePython(b, gpu.ModelConfig{
		Hidden: 192, Layers: 3, Heads: 6, KVHeads: 2, Intermediate: 512, Vocabulary: 2048, Positions: 512,
		RopeTheta: 10000, InitStd: 0.06, TieEmbedding: true,
	}, 1, 2)
}

// BenchmarkPythonWide is the same of a model of hidden 256 and 4 layers, on one thread.
func BenchmarkPythonWide(b *testing.B) { besidePython(b, wide, 1) }

func besidePython(b *testing.B, model gpu.ModelConfig, threads ...int) {
	b.Helper()
	config := recipe
	config.Steps, config.Warmup, config.Flat = 1_000_000, 0, 1 // a rate that does not change
	batches := peerData(model.Vocabulary)
	dir := b.TempDir()
	if err := qwen2.Init(model, 3, dir); err != nil { // the bytes that begin writes
		b.Fatal(err)
	}
	input := bench.WriteJSON(b, map[string]any{"config": config, "batches": batches})
	program := bench.Program{Environment: ".venv", Script: "train.py", Args: []string{dir, input, strconv.Itoa(peerSteps)}}
	peer, spinning := bench.Start(b, program), (*bench.Peer)(nil)
	if slices.Max(threads) > 1 {
		program.Spinning = true
		spinning = bench.Start(b, program)
	}
	for _, threads := range threads {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			e := torchtest.Threads(b, threads)
			trainer, _ := begin(b, e, model, config)
			rivals := []bench.Rival{
				{Name: "transformers", Peer: peer, Round: fmt.Sprintf("transformers-%d", threads)},
				{Name: "torch", Peer: peer, Round: fmt.Sprintf("lean-%d", threads)},
			}
			if threads > 1 {
				rivals = append(rivals,
					bench.Rival{Name: "transformers-spinning", Peer: spinning, Round: rivals[0].Round},
					bench.Rival{Name: "torch-spinning", Peer: spinning, Round: rivals[1].Round})
			}
			done := 0
			steps := func() (loss float64, err error) {
				for range peerSteps {
					r, err := trainer.Step(context.Background(), [][]gpu.Example{batches[done%peerBatches]})
					if err != nil {
						return 0, err
					}
					loss = r.Loss
					done++
				}
				return loss, nil
			}
			bench.Comparison{
				Unit: "records", Work: peerRecords * peerSteps, Tolerance: 1e-3, // fp32, some steps at a high rate
				Ours: func(c *bench.Clock) (any, error) {
					var loss float64
					err := e.Do(context.Background(), func() error {
						return c.Time(func() (err error) {
							loss, err = steps()
							return err
						})
					})
					return loss, err
				},
				Peers: rivals,
			}.Run(b)
		})
	}
}

// peerData is batches of random tokens. In each batch lengths are alike, as they are when records are sorted.
func peerData(vocabulary int) [][]gpu.Example {
	rng := rand.New(rand.NewPCG(4, 2))
	all := make([][]gpu.Example, peerBatches)
	for i := range all {
		all[i] = make([]gpu.Example, peerRecords)
		for j := range all[i] {
			tokens := make([]int32, 76+rng.IntN(11))
			for k := range tokens {
				tokens[k] = int32(rng.IntN(vocabulary))
			}
			all[i][j] = gpu.Example{Tokens: tokens, Answer: len(tokens) - 1 - rng.IntN(3)}
		}
	}
	return all
}
