package decode

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// sampler is a gpu.Sampling under way.
type sampler struct {
	gpu.Sampling
	out       *gpu.Sampled
	generator *rand.Rand
}

func newSampler(r gpu.Sampling, out *gpu.Sampled) *sampler {
	return &sampler{Sampling: r, out: out, generator: generator(r.Seed, "sample")}
}

// generator is a request's own: what it draws follows from its seed alone.
func generator(seed uint64, purpose string) *rand.Rand {
	var stream uint64
	for _, c := range []byte(purpose) {
		stream = stream<<8 | uint64(c)
	}
	return rand.New(rand.NewPCG(seed, stream))
}

func (s *sampler) request(prompt []int32) *request { return newRequest(prompt, s) }

func (s *sampler) needs() []int { return []int{s.MaxTokens - 1} } // the last token is not computed

func (s *sampler) ask(q *questions, row, _ int) {
	draw := torch.Draw{Row: row, Temperature: float64(s.Temperature), TopK: s.TopK, TopP: float64(s.TopP)}
	if s.Temperature > 0 {
		draw.Uniform = s.generator.Float64()
	}
	q.draws = append(q.draws, draw)
	q.best = max(q.best, s.Best)
}

func (s *sampler) next(a answers) ([]branch, bool, error) {
	d := a.drawn[0]
	if !d.Finite {
		return nil, false, fmt.Errorf("token %d: the logits have no finite largest or are not numbers (%v)", len(s.out.Tokens), d.Largest)
	}
	s.out.Tokens = append(s.out.Tokens, d.Token)
	s.out.LogProbs = append(s.out.LogProbs, float32(d.LogProb))
	s.out.Drawn = append(s.out.Drawn, float32(d.Drawn))
	if s.Best > 0 {
		best := make([]gpu.TokenLogProb, s.Best)
		for i := range best {
			best[i] = gpu.TokenLogProb{Token: d.IDs[i], LogProb: d.Best[i]}
		}
		s.out.Best = append(s.out.Best, best)
	}
	s.out.Stopped = s.stops(d.Token)
	if s.out.Stopped || len(s.out.Tokens) == s.MaxTokens {
		return nil, true, nil
	}
	return single([]int32{d.Token}), false, nil
}

func (s *sampler) stops(token int32) bool {
	return slices.Contains(s.Stop, token) || slices.ContainsFunc(s.StopSequences, func(end []int32) bool {
		from := len(s.out.Tokens) - len(end)
		return from >= 0 && slices.Equal(s.out.Tokens[from:], end)
	})
}
