package decode_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// A call whose context ends comes back at once; what was asked beside it is answered as ever, and the room it had is
// free again: the next call needs all of it.
func TestCancelledCallLeavesTheOthers(t *testing.T) {
	e := torchtest.Engine(t)
	m := load(t, e, architectures["qwen2"])
	rng := rand.New(rand.NewPCG(11, 11))
	long := gpu.Sampling{Prompt: text(rng, 20), MaxTokens: 900, Temperature: 1}
	short := gpu.Sampling{Prompt: text(rng, 20), MaxTokens: 40, Temperature: 1}
	want := fresh(t, e, m, turn{samplings: []gpu.Sampling{short}})
	b := batcher(t, e, m, decode.Config{CacheTokens: 1024})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := b.Sample(ctx, []gpu.Sampling{long}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
	for b.Stats().Passes < 3 {
		if got := ask(t, b, turn{samplings: []gpu.Sampling{{Prompt: long.Prompt[:5], MaxTokens: 1}}}); len(got.sampled[0].Tokens) != 1 {
			t.Errorf("%+v", got)
		}
	}
	wait.Go(func() {
		if got := ask(t, b, turn{samplings: []gpu.Sampling{short}}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	cancel()
	wait.Wait()
	if got := ask(t, b, turn{samplings: []gpu.Sampling{long}}); len(got.sampled[0].Tokens) != 900 {
		t.Errorf("%d tokens, want 900", len(got.sampled[0].Tokens))
	}
}

// A request that the model has no numbers for fails its own call alone.
func TestNotFiniteFailsAlone(t *testing.T) {
	e := torchtest.Engine(t)
	m := load(t, e, architectures["qwen2"])
	torchtest.Do(t, e, func() { // the embedding of token 7 is not a number; the head is the same matrix, so 7 has no logit
		nan := slices.Repeat([]float32{float32(math.NaN())}, 96)
		m.Head().SetRows(e.FromInts([]int64{7}), e.FromFloats(nan, 1, 96))
	})
	b := batcher(t, e, m, decode.Config{})
	good := gpu.Choice{Prompt: []int32{1, 2, 3}, Candidates: [][]int32{{4, 5}, {4, 6}, {8}}}
	bad := gpu.Choice{Prompt: []int32{1, 7, 3}, Candidates: good.Candidates}
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			if got, err := b.Choose(t.Context(), []gpu.Choice{good}); err != nil || got[0].LogProb >= 0 {
				t.Errorf("%v, %v", got, err)
			}
		})
		wait.Go(func() {
			if _, err := b.Choose(t.Context(), []gpu.Choice{good, bad}); err == nil || !strings.Contains(err.Error(), "request 1") {
				t.Errorf("error %v, want one that names request 1", err)
			}
		})
	}
	wait.Wait()
	if _, err := b.Sample(t.Context(), []gpu.Sampling{{Prompt: []int32{7}, MaxTokens: 1}}); err == nil {
		t.Error("no error from logits that are not numbers")
	}
}

func TestClosed(t *testing.T) {
	e := torchtest.Engine(t)
	m := load(t, e, architectures["qwen2"])
	b, err := decode.New(e, m, decode.Config{})
	if err != nil {
		t.Fatal(err)
	}
	asked := gpu.Sampling{Prompt: []int32{1, 2, 3}, MaxTokens: 1000, Temperature: 1}
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := b.Sample(t.Context(), []gpu.Sampling{asked}); !errors.Is(err, decode.ErrClosed) {
			t.Errorf("under way: %v, want %v", err, decode.ErrClosed)
		}
	})
	for b.Stats().Passes == 0 {
		ask(t, b, turn{choices: requests(1)})
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	if _, err := b.Sample(t.Context(), []gpu.Sampling{asked}); !errors.Is(err, decode.ErrClosed) {
		t.Errorf("after: %v, want %v", err, decode.ErrClosed)
	}
	if err := b.Close(); !errors.Is(err, decode.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

// Over many calls with a full memory no tensor is left behind, and none when the batcher is closed.
func TestNothingLeaks(t *testing.T) {
	each(t, func(t *testing.T, e *torch.Engine, m nn.Decoder) {
		handles := func() (n int) {
			torchtest.Do(t, e, func() { n = e.Handles() })
			return n
		}
		b, err := decode.New(e, m, decode.Config{CacheTokens: 512})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(12, 12))
		var after []int
		var memory []int64
		for i := range 60 {
			now := turn{choices: requests(3)}
			for j := range now.choices {
				now.choices[j].Prompt = text(rng, 1+rng.IntN(120))
				now.choices[j].Score = gpu.ScoreSequence
			}
			now.samplings = []gpu.Sampling{{Prompt: text(rng, 40), MaxTokens: 9, Temperature: 1}, {Prompt: now.choices[0].Prompt, MaxTokens: 3}}
			ask(t, b, now)
			if i%20 == 19 {
				after = append(after, handles())
				torchtest.Do(t, e, func() { memory = append(memory, e.Memory().Allocated) })
			}
		}
		if slices.Max(after) != slices.Min(after) || memory[2] > memory[1] {
			t.Errorf("tensors held after 20, 40 and 60 rounds: %v, bytes %v", after, memory)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		perCache := 2 * len(m.Blocks()) // keys and values, or inputs and state
		if left := after[0] - handles(); left != perCache {
			t.Errorf("closing freed %d tensors, want the cache's %d", left, perCache)
		}
	})
}

func TestSampleRefuses(t *testing.T) {
	e := torchtest.Engine(t)
	b := batcher(t, e, load(t, e, architectures["qwen2"]), decode.Config{})
	good := gpu.Sampling{Prompt: []int32{1, 2}, MaxTokens: 2, Temperature: gpu.MinTemperature}
	nan := float32(math.NaN())
	for says, change := range map[string]func(r *gpu.Sampling){
		"prompt is empty":   func(r *gpu.Sampling) { r.Prompt = nil },
		"token 300":         func(r *gpu.Sampling) { r.Prompt = []int32{300} },
		"takes 1024":        func(r *gpu.Sampling) { r.MaxTokens = 1023 },
		"max tokens -1":     func(r *gpu.Sampling) { r.MaxTokens = -1 },
		"922337203685477":   func(r *gpu.Sampling) { r.MaxTokens = math.MaxInt },
		"temperature -1":    func(r *gpu.Sampling) { r.Temperature = -1 },
		"temperature 1e-05": func(r *gpu.Sampling) { r.Temperature = 1e-5 },
		"temperature NaN":   func(r *gpu.Sampling) { r.Temperature = nan },
		"temperature 20000": func(r *gpu.Sampling) { r.Temperature = 2e4 },
		"temperature +Inf":  func(r *gpu.Sampling) { r.Temperature = float32(math.Inf(1)) },
		"top-k -1":          func(r *gpu.Sampling) { r.TopK = -1 },
		"top-p 1.5":         func(r *gpu.Sampling) { r.TopP = 1.5 },
		"top-p NaN":         func(r *gpu.Sampling) { r.TopP = nan },
		"best 65":           func(r *gpu.Sampling) { r.Best = 65 },
		"sequence 1 is":     func(r *gpu.Sampling) { r.StopSequences = [][]int32{{1}, {}} },
		"token -1":          func(r *gpu.Sampling) { r.StopSequences = [][]int32{{1, -1}} },
		"stop: token 300":   func(r *gpu.Sampling) { r.Stop = []int32{300} },
	} {
		r := good
		change(&r)
		if _, err := b.Sample(t.Context(), []gpu.Sampling{good, r}); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "request 1") {
			t.Errorf("error %v, want one about request 1 that says %q", err, says)
		}
	}
	if _, err := decode.New(e, nil, decode.Config{CacheTokens: -1}); err == nil {
		t.Error("negative room: no error")
	}
}

// A text ends with the first stop token or sequence, which may begin anywhere in it, but not in the prompt.
func TestStopSequences(t *testing.T) {
	e := torchtest.Engine(t)
	b := batcher(t, e, load(t, e, architectures["qwen2"]), decode.Config{})
	plain := gpu.Sampling{Prompt: []int32{5, 6, 7, 8}, MaxTokens: 12, Temperature: 1, Seed: 3}
	tokens := ask(t, b, turn{samplings: []gpu.Sampling{plain}}).sampled[0].Tokens
	for _, c := range []struct {
		name string
		stop [][]int32
		want int // tokens
	}{
		{"none", nil, 12},
		{"one token", [][]int32{tokens[4:5]}, slices.Index(tokens, tokens[4]) + 1},
		{"three tokens", [][]int32{{299, 299}, tokens[3:6]}, 6},
		{"into the prompt", [][]int32{{8, tokens[0]}}, 12},
		{"the last ones", [][]int32{tokens[10:]}, 12},
	} {
		r := plain
		r.StopSequences = c.stop
		got := ask(t, b, turn{samplings: []gpu.Sampling{r}}).sampled[0]
		if !slices.Equal(got.Tokens, tokens[:c.want]) || got.Stopped != (c.stop != nil && c.name != "into the prompt") {
			t.Errorf("%s: %v, stopped %v: want the first %d of %v", c.name, got.Tokens, got.Stopped, c.want, tokens)
		}
	}
}
