// Package gputest is a gpu.Runner in plain Go for tests of what stands above the contract: its models are tables of
// numbers that really learn, choose and are kept, in microseconds. The device's own runner is tested for itself.
package gputest

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/gpu"
)

// Runner is a gpu.Runner. Its funcs may be nil; they are called before the work and their error, if any, is its error.
type Runner struct {
	OnStep  func(step int) error  // before optimiser step number step, from 1
	OnMicro func([][]gpu.Example) // the micro-batches of a step
	OnLoss  func(gpu.LossResult) gpu.LossResult
	OnLoad  func(dir string) error
}

var _ gpu.Runner = (*Runner)(nil)

// Info implements gpu.Runner.
func (r *Runner) Info() gpu.Info {
	return gpu.Info{Device: "test", Name: "table", Library: "gputest", Threads: 1, Class: "test"}
}

const (
	weightsFile = "model.safetensors"
	adapterFile = "adapter_model.safetensors"
	stateFile   = "state.json"
	size        = 64 // numbers a model
)

// weights are a model, or what an adapter adds to one.
type weights [size]float64

// Init implements gpu.Runner.
func (r *Runner) Init(_ context.Context, config gpu.ModelConfig, seed uint64, dir string) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	var w weights
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	if err := write(dir, "config.json", map[string]any{"model_type": "table", "max_position_embeddings": config.Positions}); err != nil {
		return err
	}
	return write(dir, weightsFile, w)
}

func (r *Runner) load(dir, name string, w *weights) error {
	if r.OnLoad != nil {
		if err := r.OnLoad(dir); err != nil {
			return err
		}
	}
	return read(dir, name, w)
}

// Policy implements gpu.Runner.
func (r *Runner) Policy(_ context.Context, config gpu.PolicyConfig) (gpu.Policy, error) {
	dir, adapter := config.Model, config.Adapter
	p := &policy{}
	if err := r.load(dir, weightsFile, &p.w); err != nil {
		return nil, err
	}
	if adapter == "" {
		return p, nil
	}
	var delta weights
	if err := r.load(adapter, adapterFile, &delta); err != nil {
		return nil, err
	}
	for i := range p.w {
		p.w[i] += delta[i]
	}
	return p, nil
}

type policy struct{ w weights }

// Choose implements gpu.Policy: a candidate's score is the mean number of its tokens, and of the prompt's last ones.
// Both kinds of gpu.Score are log softmax of these.
func (p *policy) Choose(ctx context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	chosen := make([]gpu.Chosen, len(requests))
	for i, q := range requests {
		scores := make([]float64, len(q.Candidates))
		for j, c := range q.Candidates {
			scores[j] = p.w.score(q.Prompt[max(0, len(q.Prompt)-8):], c)
		}
		best, logProbs := softmax(scores, 1)
		chosen[i].Index = best
		if q.Temperature > 0 {
			_, heated := softmax(scores, float64(q.Temperature))
			chosen[i].Index = pick(heated, q.Seed)
			chosen[i].Drawn = float32(heated[chosen[i].Index])
		}
		if q.Score == "" {
			continue
		}
		chosen[i].LogProb = float32(logProbs[chosen[i].Index])
		for _, l := range logProbs {
			chosen[i].LogProbs = append(chosen[i].LogProbs, float32(l))
		}
	}
	return chosen, ctx.Err()
}

// softmax is the first largest score and the logarithms of all shares.
func softmax(scores []float64, temperature float64) (best int, logProbs []float64) {
	sum := 0.0
	for i, s := range scores {
		if s > scores[best] {
			best = i
		}
		sum += math.Exp(s / temperature)
	}
	for _, s := range scores {
		logProbs = append(logProbs, s/temperature-math.Log(sum))
	}
	return best, logProbs
}

func pick(logProbs []float64, seed uint64) int {
	left := rand.New(rand.NewPCG(seed, 0)).Float64()
	for i, l := range logProbs {
		if left -= math.Exp(l); left < 0 {
			return i
		}
	}
	return len(logProbs) - 1
}

func (w *weights) score(parts ...[]int32) float64 {
	h := fnv.New32a()
	for _, p := range parts {
		for _, t := range p {
			h.Write([]byte{byte(t), byte(t >> 8)})
		}
	}
	return w[h.Sum32()%size]
}

// Sample implements gpu.Policy over a vocabulary of 64 tokens, whose scores follow from the last eight before them.
// TopK, TopP and Best are not looked at.
func (p *policy) Sample(ctx context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	sampled := make([]gpu.Sampled, len(requests))
	for i, q := range requests {
		text := slices.Clone(q.Prompt)
		out := &sampled[i]
		for n := range q.MaxTokens {
			scores := make([]float64, size)
			for token := range scores {
				scores[token] = p.w.score(text[max(0, len(text)-8):], []int32{int32(token)})
			}
			token, logProbs := softmax(scores, 1)
			drawn := 0.0
			if q.Temperature > 0 {
				_, heated := softmax(scores, float64(q.Temperature))
				token = pick(heated, q.Seed+uint64(n))
				drawn = heated[token]
			}
			text = append(text, int32(token))
			out.Tokens, out.LogProbs = append(out.Tokens, int32(token)), append(out.LogProbs, float32(logProbs[token]))
			out.Drawn = append(out.Drawn, float32(drawn))
			if out.Stopped = slices.Contains(q.Stop, int32(token)); out.Stopped {
				break
			}
		}
	}
	return sampled, ctx.Err()
}

// Close implements gpu.Policy.
func (p *policy) Close() error { return nil }

func write(dir, name string, v any) error {
	raw, err := json.Marshal(v) // floats are written so that they are read back bit for bit
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), raw, 0o644)
}

func read(dir, name string, v any) error {
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}
