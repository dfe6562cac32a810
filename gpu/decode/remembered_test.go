package decode_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// architectures are configurations of small models with a vocabulary of 300. Weights are large enough that choices are
// not all alike.
var architectures = map[string]string{
	"qwen2": `{"model_type": "qwen2", "vocab_size": 300, "hidden_size": 96, "intermediate_size": 160, "num_hidden_layers": 3,
		"num_attention_heads": 6, "num_key_value_heads": 2, "max_position_embeddings": 1024, "rope_theta": 10000,
		"rms_norm_eps": 1e-6, "tie_word_embeddings": true, "initializer_range": 0.2, "hidden_act": "silu"}`,
	"qwen3_5": `{"model_type": "qwen3_5_text", "vocab_size": 300, "hidden_size": 64, "intermediate_size": 96,
		"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
		"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
		"linear_conv_kernel_dim": 4, "full_attention_interval": 4, "max_position_embeddings": 1024, "rms_norm_eps": 1e-6,
		"rope_parameters": {"rope_theta": 10000, "partial_rotary_factor": 0.25, "rope_type": "default"},
		"tie_word_embeddings": true, "initializer_range": 0.1, "hidden_act": "silu"}`,
}

// each runs a test for every architecture.
func each(t *testing.T, f func(t *testing.T, e *torch.Engine, m nn.Decoder)) {
	for name, config := range architectures {
		t.Run(name, func(t *testing.T) {
			e := torchtest.Engine(t)
			f(t, e, load(t, e, config))
		})
	}
}

func load(t testing.TB, e *torch.Engine, config string) nn.Decoder {
	t.Helper()
	dir := t.TempDir()
	if err := nn.Create([]byte(config), 5, dir); err != nil {
		t.Fatal(err)
	}
	return loaded(t, e, dir)
}

// turn is what is asked at one time.
type turn struct {
	choices   []gpu.Choice
	samplings []gpu.Sampling
}

// turns are conversations that grow, with a beginning in common, some taken up again in the middle, some prompts twice.
func turns() []turn {
	rng := rand.New(rand.NewPCG(7, 7))
	common := text(rng, 70)
	var all []turn
	talks := make([][]int32, 5)
	for i := range talks {
		talks[i] = slices.Concat(common[:30+rng.IntN(40)], text(rng, rng.IntN(40)))
	}
	for round := range 4 {
		var now turn
		for i := range talks {
			if round == 2 && i == 1 {
				talks[i] = talks[i][:50] // as if what followed had been otherwise
			}
			talks[i] = append(slices.Clip(talks[i]), text(rng, 1+rng.IntN(60))...)
			if (round+i)%2 == 0 {
				c := gpu.Choice{Prompt: talks[i], Seed: uint64(i)}
				shared := text(rng, rng.IntN(20))
				for j := range 2 + rng.IntN(7) {
					c.Candidates = append(c.Candidates, slices.Concat(shared, []int32{int32(j % 3)}, text(rng, rng.IntN(3)), []int32{int32(50 + j), vocabulary - 1}))
				}
				c.Score = []gpu.Score{"", gpu.ScoreNodes, gpu.ScoreSequence}[(round+i/2)%3]
				c.Temperature = float32(round % 2)
				now.choices = append(now.choices, c)
				if i == 0 {
					c.Score = ""
					now.choices = append(now.choices, c)
				}
				continue
			}
			for member := range 1 + 3*(i%2) {
				now.samplings = append(now.samplings, gpu.Sampling{
					Prompt: talks[i], MaxTokens: 1 + rng.IntN(24), Temperature: float32(i) / 2, TopK: 20 * (member % 2), TopP: 0.9,
					Seed: uint64(100*round + member), Stop: []int32{int32(rng.IntN(vocabulary))}, Best: member,
				})
			}
		}
		all = append(all, now)
	}
	return all
}

// answered is a turn's answers.
type answered struct {
	chosen  []gpu.Chosen
	sampled []gpu.Sampled
}

func ask(t *testing.T, b *decode.Batcher, now turn) answered {
	t.Helper()
	chosen, err := b.Choose(t.Context(), now.choices)
	if err != nil {
		t.Fatal(err)
	}
	sampled, err := b.Sample(t.Context(), now.samplings)
	if err != nil {
		t.Fatal(err)
	}
	return answered{chosen, sampled}
}

// alone asks each request of a batcher of its own: nothing is remembered and nothing stands beside it.
func alone(t *testing.T, e *torch.Engine, m nn.Decoder, now turn) (a answered) {
	t.Helper()
	for i := range now.choices {
		a.chosen = append(a.chosen, fresh(t, e, m, turn{choices: now.choices[i : i+1]}).chosen...)
	}
	for i := range now.samplings {
		a.sampled = append(a.sampled, fresh(t, e, m, turn{samplings: now.samplings[i : i+1]}).sampled...)
	}
	return a
}

func fresh(t *testing.T, e *torch.Engine, m nn.Decoder, now turn) answered {
	t.Helper()
	b, err := decode.New(e, m, decode.Config{})
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t, b, now)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return a
}

// What is remembered, forgotten, computed in pieces or asked beside it changes no bit of a result. This holds on the
// CPU in fp32 alone: on a GPU and in bf16 the library's products depend on their shapes.
func TestRememberedEqualsAlone(t *testing.T) {
	each(t, func(t *testing.T, e *torch.Engine, m nn.Decoder) {
		all := turns()
		var want []answered
		for _, now := range all {
			want = append(want, alone(t, e, m, now))
		}
		for name, config := range map[string]decode.Config{
			"room": {}, "little room": {CacheTokens: 320}, "less than one needs": {CacheTokens: 1}, "small passes": {PassRows: 7},
			"both": {CacheTokens: 256, PassRows: 33},
		} {
			b := batcher(t, e, m, config)
			for i, now := range all {
				if got := ask(t, b, now); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%s, turn %d:\n got %+v\nwant %+v", name, i, got, want[i])
				}
			}
		}
		together := batcher(t, e, m, decode.Config{CacheTokens: 1024})
		var wait sync.WaitGroup
		for i, now := range all {
			for range 2 {
				wait.Go(func() {
					if got := ask(t, together, now); !reflect.DeepEqual(got, want[i]) {
						t.Errorf("from many goroutines, turn %d:\n got %+v\nwant %+v", i, got, want[i])
					}
				})
			}
		}
		wait.Wait()
	})
}

// A row of results is the same alone and in batches of 3 and 16, whatever the neighbours.
func TestBatchOf3And16(t *testing.T) {
	each(t, func(t *testing.T, e *torch.Engine, m nn.Decoder) {
		all := turn{choices: requests(17)}
		rng := rand.New(rand.NewPCG(8, 8))
		for i := range 17 {
			all.samplings = append(all.samplings, gpu.Sampling{
				Prompt: text(rng, 1+rng.IntN(90)), MaxTokens: 8, Temperature: 1, Seed: uint64(i), TopP: 0.95,
			})
		}
		want := alone(t, e, m, all)
		for _, size := range []int{3, 16} {
			for from := 0; from < 17; from += size {
				to := min(from+size, 17)
				got := fresh(t, e, m, turn{all.choices[from:to], all.samplings[from:to]})
				if !reflect.DeepEqual(got, answered{want.chosen[from:to], want.sampled[from:to]}) {
					t.Errorf("batch of %d from %d: got %+v", size, from, got)
				}
			}
		}
	})
}

// Only what is new is computed: a group's prompt once, and of a longer prompt what follows the last whole page.
func TestOnlyNewTokensAreComputed(t *testing.T) {
	each(t, func(t *testing.T, e *torch.Engine, m nn.Decoder) {
		const page = torch.PageRows
		b := batcher(t, e, m, decode.Config{})
		count := func(name string, want int64, now turn) {
			t.Helper()
			before := b.Stats().Tokens
			ask(t, b, now)
			if got := b.Stats().Tokens - before; got != want {
				t.Errorf("%s: %d tokens computed, want %d", name, got, want)
			}
		}
		rng := rand.New(rand.NewPCG(9, 9))
		prompt := text(rng, 200)
		group := func(prompt []int32, n int) (g turn) {
			for i := range 8 {
				g.samplings = append(g.samplings, gpu.Sampling{Prompt: prompt, MaxTokens: n, Temperature: 1, Seed: uint64(i)})
			}
			return g
		}
		count("a group", 200+8*4, group(prompt, 5))
		count("the same again", 200%page, group(prompt, 1))
		longer := append(slices.Clip(prompt), text(rng, 30)...)
		count("30 more", 230-200/page*page, group(longer, 1))
		other := slices.Concat(prompt[:100], text(rng, 50))
		ask(t, b, group(other, 1)) // leaves a copy of a recurrent state where it parts, at 96
		again := slices.Concat(prompt[:96], text(rng, 54))
		count("another end", 150-96, group(again, 1))
		scored := gpu.Choice{Prompt: prompt, Score: gpu.ScoreNodes, Candidates: [][]int32{{1, 2, 3}, {1, 2, 4}, {1, 5, 6}, {7, 8}}}
		// Behind the prompt {1, 2} alone leads to further decisions.
		count("a distribution", 200%page+2, turn{choices: []gpu.Choice{scored}})
	})
}
