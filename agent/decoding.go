package agent

import (
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
)

// Decoding is how Play has its policy choose among the candidates.
type Decoding string

// The ways to choose. The first two give the same command for the same prompt, always.
const (
	// Greedy goes through the trie of the candidates and takes the likeliest token at each node. A word that begins well
	// and has no good end is taken all the same: where a model would say `take kettle` and no kettle is there, it takes
	// what is.
	Greedy Decoding = "greedy"
	// Likeliest takes the candidate whose whole text has the highest probability, the first of equal ones. It computes all
	// nodes of the trie, in one pass.
	Likeliest Decoding = "likeliest"
	// Drawn draws a candidate with its probability among all, each whole text as likely as the model has it to the power of
	// 1/temperature, from the seed of settings, game and place: a policy's own play, to learn from.
	Drawn Decoding = "drawn"
)

// Validate refuses a name that stands for no way.
func (d Decoding) Validate() error {
	switch d {
	case "", Greedy, Likeliest, Drawn:
		return nil
	}
	return fmt.Errorf("decoding %q: expected %s, %s or %s", string(d), Greedy, Likeliest, Drawn)
}

// Rule names the exact rule, for reports. "" is Greedy.
func (d Decoding) Rule() string {
	switch d {
	case Likeliest:
		return "likeliest command/1"
	case Drawn:
		return "drawn command/1"
	}
	return "greedy trie/1"
}

// score is what the policy must be asked for.
func (d Decoding) score() gpu.Score {
	if d == Likeliest || d == Drawn {
		return gpu.ScoreSequence
	}
	return ""
}

// pick is what of the policy's answer about n candidates counts.
func (d Decoding) pick(c gpu.Chosen, n int) (gpu.Chosen, error) {
	if d != Likeliest {
		if c.Index < 0 || c.Index >= n {
			return c, fmt.Errorf("the policy chose %d of %d candidates", c.Index, n)
		}
		return c, nil
	}
	if len(c.LogProbs) != n {
		return c, fmt.Errorf("the policy gave %d of %d candidates a probability", len(c.LogProbs), n)
	}
	best := 0
	for i, p := range c.LogProbs {
		if math.IsNaN(float64(p)) || p > 1e-3 { // above 0 by rounding at most
			return c, fmt.Errorf("the policy gave candidate %d the log-probability %v, expected 0 or below", i, p)
		}
		if p > c.LogProbs[best] {
			best = i
		}
	}
	if math.IsInf(float64(c.LogProbs[best]), -1) {
		return c, fmt.Errorf("the policy gave none of %d candidates a probability above 0", n)
	}
	return gpu.Chosen{Index: best, LogProb: c.LogProbs[best]}, nil
}
