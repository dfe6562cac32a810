package decode_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

const vocabulary = 300

// small is a new model: random weights large enough that its choices are not all alike. It ends with the process.
func small(t *testing.T, e *torch.Engine) nn.Decoder {
	t.Helper()
	dir := t.TempDir()
	config := gpu.ModelConfig{
		Hidden: 96, Layers: 3, Heads: 6, KVHeads: 2, Intermediate: 160, Vocabulary: vocabulary, Positions: 512,
		RopeTheta: 10000, InitStd: 0.2, TieEmbedding: true,
	}
	if err := qwen2.Init(config, 5, dir); err != nil {
		t.Fatal(err)
	}
	return loaded(t, e, dir)
}

// loaded is the model in dir; it ends with the process.
func loaded(t testing.TB, e *torch.Engine, dir string) (m nn.Decoder) {
	t.Helper()
	torchtest.Do(t, e, func() {
		var err error
		if m, err = models.Load(e, dir, nn.Options{}); err != nil {
			panic(err)
		}
	})
	return m
}

func text(rng *rand.Rand, n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(rng.IntN(vocabulary - 1)) // the last token ends a candidate
	}
	return tokens
}

// requests have prompts of many lengths; candidates share long beginnings and end in a token of their own.
func requests(n int) []gpu.Choice {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]gpu.Choice, n)
	for i := range all {
		all[i].Prompt = text(rng, 1+rng.IntN(150))
		shared := text(rng, rng.IntN(6))
		for j := range 1 + rng.IntN(9) {
			middle := text(rng, rng.IntN(4))
			candidate := slices.Concat(shared, []int32{int32(j % 3)}, middle, []int32{int32(100 + j), vocabulary - 1})
			all[i].Candidates = append(all[i].Candidates, candidate)
		}
	}
	return all
}

// batcher is a new one, closed when the test ends.
func batcher(t testing.TB, e *torch.Engine, m nn.Decoder, config decode.Config) *decode.Batcher {
	t.Helper()
	b, err := decode.New(e, m, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func choose(t *testing.T, e *torch.Engine, m nn.Decoder, requests []gpu.Choice) []gpu.Chosen {
	t.Helper()
	chosen, err := batcher(t, e, m, decode.Config{}).Choose(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	return chosen
}

// One request alone, and among 3 and 16 others of other lengths, at one thread and at two: equal to the last bit.
func TestChooseIsIndependentOfTheBatch(t *testing.T) {
	for _, threads := range []int{1, 2} {
		e := torchtest.Threads(t, threads)
		m := small(t, e)
		all := requests(17)
		together := choose(t, e, m, all)
		decisions := 0
		for i := range all {
			alone := choose(t, e, m, all[i:i+1])[0]
			four := choose(t, e, m, []gpu.Choice{all[(i+5)%17], all[(i+9)%17], all[i], all[(i+1)%17]})[2]
			for _, got := range []gpu.Chosen{alone, four} {
				if got.Index != together[i].Index || math.Float32bits(got.LogProb) != math.Float32bits(together[i].LogProb) {
					t.Errorf("%d threads, request %d: %v, among 16 others %v", threads, i, got, together[i])
				}
			}
			if alone.LogProb < 0 {
				decisions++
			}
		}
		if decisions < 10 {
			t.Errorf("%d of 17 requests decided anything", decisions)
		}
	}
}

// The trie through the cache gives what whole passes over prompt and path give.
func TestChooseEqualsUncached(t *testing.T) {
	e := torchtest.Engine(t)
	m := small(t, e)
	all := requests(12)
	got := choose(t, e, m, all)
	for i, r := range all {
		var index int
		var logProb float64
		torchtest.Do(t, e, func() { index, logProb = uncached(e, m, r) })
		if got[i].Index != index || math.Abs(float64(got[i].LogProb)-logProb) > 1e-4 {
			t.Errorf("request %d: %v, uncached %d %v", i, got[i], index, logProb)
		}
	}
}

// uncached walks the candidates by their texts alone: at each position the distinct next tokens of those still open.
func uncached(e *torch.Engine, m nn.Decoder, r gpu.Choice) (index int, logProb float64) {
	open := map[int]bool{}
	for i := range r.Candidates {
		open[i] = true
	}
	for depth := 0; ; depth++ {
		next := map[int32]bool{}
		for i := range open {
			index = i
			if depth < len(r.Candidates[i]) {
				next[r.Candidates[i][depth]] = true
			}
		}
		if len(open) == 1 {
			return index, logProb
		}
		prefix := slices.Concat(r.Prompt, r.Candidates[index][:depth])
		b := nn.NewBatch()
		b.Add(prefix, 0, nn.Place{}, len(prefix)-1, len(prefix))
		var logits []float32
		e.Scope(func() []*torch.Tensor {
			logits = m.Logits(nn.Forward(m, b, nil)).Floats()
			return nil
		})
		best, sum := int32(-1), 0.0
		for token := range next {
			sum += math.Exp(float64(logits[token]))
			if best < 0 || logits[token] > logits[best] {
				best = token
			}
		}
		logProb += float64(logits[best]) - math.Log(sum)
		for i := range open {
			if r.Candidates[i][depth] != best {
				delete(open, i)
			}
		}
	}
}

func TestChooseRefuses(t *testing.T) {
	e := torchtest.Engine(t)
	m := small(t, e)
	b := batcher(t, e, m, decode.Config{})
	prompt := []int32{1, 2, 3}
	for name, r := range map[string]gpu.Choice{
		"no candidates":       {Prompt: prompt},
		"empty prompt":        {Candidates: [][]int32{{1}, {2}}},
		"beginning":           {Prompt: prompt, Candidates: [][]int32{{1, 2}, {1}}},
		"beginning first":     {Prompt: prompt, Candidates: [][]int32{{1}, {1, 2}}},
		"twice":               {Prompt: prompt, Candidates: [][]int32{{1, 2}, {1, 2}}},
		"token too large":     {Prompt: []int32{vocabulary}, Candidates: [][]int32{{1}, {2}}},
		"candidate too large": {Prompt: prompt, Candidates: [][]int32{{1}, {-2}}},
		"too long":            {Prompt: make([]int32, 511), Candidates: [][]int32{{1}, {2, 3}}},
	} {
		if _, err := b.Choose(t.Context(), []gpu.Choice{r}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	got, err := b.Choose(t.Context(), []gpu.Choice{{Prompt: prompt, Candidates: [][]int32{{9, 8, 7}}}})
	if err != nil || got[0].Index != 0 || got[0].LogProb != 0 {
		t.Errorf("one candidate: %v, %v: want index 0 and log-probability 0", got, err)
	}
}

func sample(t *testing.T, e *torch.Engine, m nn.Decoder, requests []gpu.Sampling) []gpu.Sampled {
	t.Helper()
	sampled, err := batcher(t, e, m, decode.Config{}).Sample(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	return sampled
}

func TestSampleIsIndependentOfTheBatch(t *testing.T) {
	e := torchtest.Engine(t)
	m := small(t, e)
	rng := rand.New(rand.NewPCG(3, 4))
	var all []gpu.Sampling
	for i := range 9 {
		all = append(all, gpu.Sampling{
			Prompt: text(rng, 1+rng.IntN(90)), MaxTokens: 1 + rng.IntN(12), Temperature: float32(i) * 0.3, Seed: uint64(i),
			Stop: []int32{int32(rng.IntN(vocabulary)), 17},
		})
	}
	together := sample(t, e, m, all)
	for i, r := range all {
		alone := sample(t, e, m, all[i:i+1])[0]
		if !slices.Equal(alone.Tokens, together[i].Tokens) || !slices.Equal(alone.LogProbs, together[i].LogProbs) ||
			alone.Stopped != together[i].Stopped {
			t.Errorf("request %d: alone %v, together %v", i, alone, together[i])
		}
		n := len(alone.Tokens)
		if n == 0 || n > r.MaxTokens || alone.Stopped != slices.Contains(r.Stop, alone.Tokens[n-1]) || (!alone.Stopped && n != r.MaxTokens) {
			t.Errorf("request %d of at most %d tokens: %v", i, r.MaxTokens, alone)
		}
	}
}

// At temperature 0 the tokens are the argmax of whole passes; a high temperature and another seed give others.
func TestSampleGreedyAndSeeds(t *testing.T) {
	e := torchtest.Engine(t)
	m := small(t, e)
	prompt := []int32{5, 6, 7, 8}
	got := sample(t, e, m, []gpu.Sampling{
		{Prompt: prompt, MaxTokens: 8},
		{Prompt: prompt, MaxTokens: 8, Temperature: 1, Seed: 1},
		{Prompt: prompt, MaxTokens: 8, Temperature: 1, Seed: 2},
	})
	tokens := slices.Clone(prompt)
	torchtest.Do(t, e, func() {
		for i := range 8 {
			b := nn.NewBatch()
			b.Add(tokens, 0, nn.Place{}, len(tokens)-1, len(tokens))
			logits := m.Logits(nn.Forward(m, b, nil))
			next := int32(logits.Argmax().Ints()[0])
			tokens = append(tokens, next)
			values, sum := logits.Floats(), 0.0
			for _, l := range values {
				sum += math.Exp(float64(l))
			}
			want := float64(values[next]) - math.Log(sum)
			if d := math.Abs(float64(got[0].LogProbs[i]) - want); d > 1e-4 {
				t.Errorf("token %d: log-probability %v, want %v", i, got[0].LogProbs[i], want)
			}
		}
	})
	if !slices.Equal(got[0].Tokens, tokens[4:]) {
		t.Errorf("greedy %v, want %v", got[0].Tokens, tokens[4:])
	}
	if slices.Equal(got[1].Tokens, got[2].Tokens) {
		t.Errorf("two seeds give %v", got[1].Tokens)
	}
}
