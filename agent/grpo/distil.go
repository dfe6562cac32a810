package grpo

import (
	"errors"
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
)

// DistilConfig is privileged distillation on the student's own rollouts (OPSD; SDAR, arXiv 2605.15155): with
// δ = log p_T - log p and the gate σ(βδ), neither of which is differentiated, a token's loss is
// gate·(log p_T - log p). Its gradient is gate times that of -log p: the teacher speaks through the gate alone, and with
// β = 0 not at all, where the gate is 1/2 for every token.
type DistilConfig struct {
	Coefficient float64   `json:"coefficient" yaml:"coefficient"` // 0.01 in both sources
	Beta        float64   `json:"beta" yaml:"beta"`               // β: 0, or 5 as in SDAR
	Aggregate   Aggregate `json:"aggregate" yaml:"aggregate"`
}

// Taught are the log-probabilities of one example's answer tokens by the teacher, who read more, and which of the
// tokens learn from it. The spans' advantages and parts are not looked at.
type Taught struct {
	Teacher []float32
	Spans   []Span
	Episode int // as in Tokens
}

// Distillation is the loss of one optimiser step by a teacher.
type Distillation struct {
	config DistilConfig
	micro  [][]Taught
	shares shares
	seen   []distilSums
}

type distilSums struct {
	tokens            int
	loss, gate, delta float64
}

// NewDistillation prepares the loss over a step's micro-batches.
func NewDistillation(config DistilConfig, micro [][]Taught) (*Distillation, error) {
	if !(config.Coefficient >= 0 && finite(config.Coefficient)) || !(config.Beta >= 0 && finite(config.Beta)) || !config.Aggregate.known() {
		return nil, fmt.Errorf("grpo: distillation: coefficient %v, beta %v, aggregate %q: expected numbers of 0 or more, and one of %v",
			config.Coefficient, config.Beta, config.Aggregate, aggregates)
	}
	d := &Distillation{config: config, micro: micro, seen: make([]distilSums, len(micro))}
	counts := make([][]counted, len(micro))
	for m, examples := range micro {
		counts[m] = make([]counted, len(examples))
		for i, x := range examples {
			one := make([]Span, len(x.Spans))
			for j, s := range x.Spans {
				one[j] = Span{From: s.From, To: s.To, Sequence: s.Sequence}
			}
			if err := (Tokens{Old: x.Teacher, Spans: one}).check(1, func(int) (bool, bool) { return false, false }); err != nil {
				return nil, fmt.Errorf("grpo: distillation: micro-batch %d: example %d: %w", m, i, err)
			}
			counts[m][i] = counted{one, x.Episode}
		}
	}
	d.shares = newShares(counts, func(int) Aggregate { return config.Aggregate })
	return d, nil
}

// Objective is a [gpu.Objective].
func (d *Distillation) Objective(micro int, v gpu.TokenValues) (loss float64, by gpu.TokenValues, err error) {
	if micro < 0 || micro >= len(d.micro) {
		return 0, by, fmt.Errorf("grpo: distillation: micro-batch %d of %d", micro, len(d.micro))
	}
	examples := d.micro[micro]
	lengths := make([]int, len(examples))
	for i, x := range examples {
		lengths[i] = len(x.Teacher)
	}
	if err := shape(v, lengths, false); err != nil {
		return 0, by, fmt.Errorf("grpo: distillation: micro-batch %d: %w", micro, err)
	}
	by.LogProbs = zeros(lengths)
	var seen distilSums
	for i, x := range examples {
		for j, span := range x.Spans {
			counts := d.config.Coefficient * d.shares[micro][i][j]
			for k := span.From; k < span.To; k++ {
				delta := float64(x.Teacher[k]) - float64(v.LogProbs[i][k])
				gate := 1 / (1 + math.Exp(-d.config.Beta*delta))
				slope := float32(-counts * gate)
				if !finite(counts*gate*delta) || !finite(float64(slope)) {
					return 0, gpu.TokenValues{}, fmt.Errorf("grpo: distillation: micro-batch %d: example %d: token %d: log-probability %v, teacher's %v",
						micro, i, k, v.LogProbs[i][k], x.Teacher[k])
				}
				by.LogProbs[i][k] = slope
				loss += counts * gate * delta
				seen.tokens, seen.gate, seen.delta = seen.tokens+1, seen.gate+gate, seen.delta+delta
			}
		}
	}
	seen.loss = loss
	d.seen[micro] = seen
	return loss, by, nil
}

// DistilNumbers are what the log of a step says about distillation; means over the tokens that learn.
type DistilNumbers struct {
	Tokens int     `json:"tokens"`
	Loss   float64 `json:"loss"`
	Gate   float64 `json:"gate"`
	Delta  float64 `json:"delta"` // teacher's log-probability less the student's
}

// Statistics are the numbers of the micro-batches computed.
func (d *Distillation) Statistics() DistilNumbers {
	var n DistilNumbers
	for _, s := range d.seen {
		n.Tokens, n.Loss, n.Gate, n.Delta = n.Tokens+s.tokens, n.Loss+s.loss, n.Gate+s.gate, n.Delta+s.delta
	}
	if n.Tokens > 0 {
		n.Gate, n.Delta = n.Gate/float64(n.Tokens), n.Delta/float64(n.Tokens)
	}
	return n
}

// Sum is the objective that is the sum of others, in their order.
func Sum(objectives ...gpu.Objective) gpu.Objective {
	return func(micro int, v gpu.TokenValues) (loss float64, by gpu.TokenValues, err error) {
		if len(objectives) == 0 {
			return 0, by, errors.New("grpo: a sum of no objectives")
		}
		for i, objective := range objectives {
			l, b, err := objective(micro, v)
			if err != nil {
				return 0, gpu.TokenValues{}, err
			}
			if loss += l; i == 0 {
				by = b
				continue
			}
			if by.LogProbs, err = added(by.LogProbs, b.LogProbs); err == nil && b.Entropy != nil {
				if by.Entropy == nil {
					by.Entropy = b.Entropy
				} else {
					by.Entropy, err = added(by.Entropy, b.Entropy)
				}
			}
			if err != nil {
				return 0, gpu.TokenValues{}, fmt.Errorf("grpo: sum: objective %d: %w", i, err)
			}
		}
		return loss, by, nil
	}
}

// added is a + b, in new memory.
func added(a, b [][]float32) ([][]float32, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("derivatives of %d examples: expected %d", len(b), len(a))
	}
	sum := make([][]float32, len(a))
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return nil, fmt.Errorf("example %d: %d derivatives: expected %d", i, len(b[i]), len(a[i]))
		}
		sum[i] = make([]float32, len(a[i]))
		for k := range a[i] {
			sum[i][k] = a[i][k] + b[i][k]
		}
	}
	return sum, nil
}
