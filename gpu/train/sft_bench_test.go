package train_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/scripts/bench"
	"github.com/hone-rl/hone/tokenizer"
)

// wide is the model of the comparisons with torch by hand and with Trainer.
var wide = gpu.ModelConfig{
	Hidden: 256, Layers: 4, Heads: 8, KVHeads: 2, Intermediate: 704, Vocabulary: 2048, Positions: 1024,
	RopeTheta: 10000, InitStd: 0.06, TieEmbedding: true,
}

// BenchmarkPythonSFT is an epoch over 64 records of real ALFWorld games of 61 to 512 tokens, 8 a step, beside
// transformers' Trainer with peft: with LoRA and of all weights. Real tokens are counted, not padding.
func BenchmarkPythonSFT(b *testing.B) {
	const batch = 8
	records := episodes(b, 64)
	config := recipe
	config.Steps, config.Warmup, config.Flat, config.Rate = 1_000_000, 0, 1, 1e-4
	lora := &gpu.LoRA{Rank: 16, Alpha: 32, Dropout: 0.05}
	dir := b.TempDir()
	if err := qwen2.Init(wide, 3, dir); err != nil { // the bytes that begin writes
		b.Fatal(err)
	}
	tokens, lengths := 0, []int{}
	for _, r := range records {
		tokens += len(r.Tokens)
		lengths = append(lengths, len(r.Tokens))
	}
	b.Logf("%d records of %d to %d tokens, %d in all", len(records), slices.Min(lengths), slices.Max(lengths), tokens)
	input := bench.WriteJSON(b, map[string]any{"config": config, "records": records, "batch": batch, "lora": lora})
	peer := bench.Start(b, bench.Program{Environment: ".venv", Script: "sft.py", Args: []string{dir, input}})
	for _, what := range []string{"lora", "full"} {
		b.Run(what, func(b *testing.B) {
			config := config
			if what == "lora" {
				config.LoRA = lora
			}
			e := torchtest.Engine(b)
			trainer, _ := begin(b, e, wide, config)
			sampler, err := gpu.NewSampler(lengths, batch, gpu.DefaultWindow, 1)
			if err != nil {
				b.Fatal(err)
			}
			epoch := func() error {
				for range sampler.Epoch() {
					var micro []gpu.Example
					for _, i := range sampler.Batch(trainer.Steps()) {
						micro = append(micro, records[i])
					}
					if _, err := trainer.Step(context.Background(), [][]gpu.Example{micro}); err != nil {
						return err
					}
				}
				return nil
			}
			bench.Comparison{
				Unit: "tokens", Work: float64(tokens),
				Ours: func(c *bench.Clock) (any, error) {
					err := e.Do(context.Background(), func() error { return c.Time(epoch) })
					return []int{tokens, sampler.Epoch()}, err
				},
				Peers: []bench.Rival{
					{Name: "trainer", Peer: peer, Round: what + "-default"},
					{Name: "trainer-grouped", Peer: peer, Round: what + "-grouped"},
				},
			}.Run(b)
		})
	}
}

// episodes are n records of recorded ALFWorld games: what was said up to a step, and the next command as the answer,
// by a vocabulary of 2,048 learned from them. Of game i the step is the (7·i mod n)-th; longer ones are left out.
func episodes(b *testing.B, n int) []gpu.Example {
	b.Helper()
	file, err := os.Open(outside.Shared(b, "alfworld-episodes", "train_trajectories.jsonl.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			b.Error(err)
		}
	}()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	var prompts, answers, all []string
	for decoder := json.NewDecoder(unpacked); len(prompts) < 4*n; {
		var game struct{ Actions, Observations []string }
		if err := decoder.Decode(&game); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		at := 7 * len(prompts) % len(game.Actions)
		var text strings.Builder
		text.WriteString(game.Observations[0])
		for i := range at {
			text.WriteString("\n> " + game.Actions[i] + "\n" + game.Observations[i+1])
		}
		prompts, answers = append(prompts, text.String()+"\n>"), append(answers, " "+game.Actions[at]+"\n")
		all = append(all, prompts[len(prompts)-1]+answers[len(answers)-1])
	}
	vocabulary, err := tokenizer.Train(tokenizer.TrainConfig{Vocabulary: wide.Vocabulary, Split: tokenizer.SplitPhrase}, slices.Values(all))
	if err != nil {
		b.Fatal(err)
	}
	var records []gpu.Example
	for i, prompt := range prompts {
		tokens := vocabulary.Encode(prompt)
		x := gpu.Example{Tokens: append(slices.Clone(tokens), vocabulary.Encode(answers[i])...), Answer: len(tokens)}
		if len(x.Tokens) <= 512 && len(records) < n {
			records = append(records, x)
		}
	}
	return records
}
