package grpo_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/internal/outside"
)

// example is what both sides compute from. The logits are the leaves of the gradient.
type example struct {
	Logits    [][]float32 `json:"logits"`
	Targets   []int       `json:"targets"`
	Old       []float32   `json:"old"`
	Reference []float32   `json:"reference"`
	Sampler   []float32   `json:"sampler"`
	Teacher   []float32   `json:"teacher"`
	Episode   int         `json:"episode"`
	Spans     []spanJSON  `json:"spans"`
}

type spanJSON struct {
	From      int     `json:"from"`
	To        int     `json:"to"`
	Part      int     `json:"part"`
	Advantage float64 `json:"advantage"`
	Sequence  int     `json:"sequence"`
}

const words = 7 // of the vocabulary

// scores are log-probabilities of the targets and entropies, of all tokens.
func (x example) scores() (logp, entropy, all [][]float64) {
	for i, row := range x.Logits {
		sum := 0.0
		for _, z := range row {
			sum += math.Exp(float64(z))
		}
		each, h := make([]float64, len(row)), 0.0
		for k, z := range row {
			each[k] = float64(z) - math.Log(sum)
			h -= math.Exp(each[k]) * each[k]
		}
		logp = append(logp, []float64{each[x.Targets[i]]})
		entropy, all = append(entropy, []float64{h}), append(all, each)
	}
	return logp, entropy, all
}

// draw makes micro-batches of examples with spans of each part, some tokens masked, log-probabilities up to far apart.
func draw(seed uint64, parts int) [][]example {
	rng := rand.New(rand.NewPCG(seed, 1))
	micro := make([][]example, 3)
	number := 0
	for m := range micro {
		for range 2 + m {
			n := 9 + rng.IntN(6)
			x := example{Targets: make([]int, n), Episode: number / 7}
			for i := range n {
				row := make([]float32, words)
				for k := range row {
					row[k] = float32(rng.NormFloat64() * 1.5)
				}
				x.Targets[i] = rng.IntN(words)
				x.Logits = append(x.Logits, row)
			}
			logp, _, _ := x.scores()
			for i := range n {
				away := func(by float64) float32 { return float32(logp[i][0] + by*rng.NormFloat64()) }
				x.Old = append(x.Old, away(0.4))
				if i == 2 {
					x.Old[i] = float32(logp[i][0] - 1.5) // a ratio of 4.5, for the second clip
				}
				x.Reference = append(x.Reference, away(0.5))
				if i == 3 {
					x.Reference[i] = float32(logp[i][0] + 3) // k3 is 16
				}
				x.Sampler = append(x.Sampler, x.Old[i]+float32(0.5*rng.NormFloat64()))
				x.Teacher = append(x.Teacher, away(1))
			}
			for from := rng.IntN(2); from+2 < n; {
				to := from + 1 + rng.IntN(n-from-1)
				x.Spans = append(x.Spans, spanJSON{from, to, number % parts, []float64{1.3, -0.7, 0, -2, 0.4}[number%5], number / 4})
				from, number = to+rng.IntN(3), number+1
			}
			micro[m] = append(micro[m], x)
		}
	}
	return micro
}

type caseJSON struct {
	Config configJSON         `json:"config"`
	Micro  [][]example        `json:"micro"`
	Distil *grpo.DistilConfig `json:"distil"`
}

type configJSON struct {
	ClipLow  float64    `json:"clip_low"`
	ClipHigh float64    `json:"clip_high"`
	Dual     *float64   `json:"dual"`
	KLLimit  *float64   `json:"kl_limit"`
	Cap      float64    `json:"cap"`
	Parts    []partJSON `json:"parts"`
}

// partJSON has no omitted fields.
type partJSON struct {
	Loss      credit.Loss    `json:"loss"`
	Weight    float64        `json:"weight"`
	Aggregate grpo.Aggregate `json:"aggregate"`
	KL        float64        `json:"kl"`
	Entropy   float64        `json:"entropy"`
}

// spell writes out what a configuration's zeros mean.
func spell(c grpo.Config) (j configJSON) {
	number := func(x, otherwise float64) float64 {
		if x == 0 {
			return otherwise
		}
		return x
	}
	j.ClipLow, j.ClipHigh, j.Cap = number(c.ClipLow, 0.2), number(c.ClipHigh, 0.2), c.Cap
	if dual := number(c.Dual, 3); dual > 0 {
		j.Dual = &dual
	}
	if limit := number(c.KLLimit, 10); limit > 0 {
		j.KLLimit = &limit
	}
	for _, p := range c.Parts {
		j.Parts = append(j.Parts, partJSON{p.Loss, p.Weight, p.Aggregate, p.KL, p.Entropy})
	}
	return j
}

// options are every option, one at a time and together.
func options() map[string]struct {
	config grpo.Config
	distil *grpo.DistilConfig
} {
	type option = struct {
		config grpo.Config
		distil *grpo.DistilConfig
	}
	plain := grpo.Part{Name: "util", Loss: credit.Clipped, Weight: 1, Aggregate: grpo.TokenMean}
	one := func(change func(c *grpo.Config)) option {
		c := grpo.Config{Parts: []grpo.Part{plain}}
		change(&c)
		return option{config: c}
	}
	part := func(change func(p *grpo.Part)) option { return one(func(c *grpo.Config) { change(&c.Parts[0]) }) }
	paper, err := credit.Named("skill1-paper")
	if err != nil {
		panic(err)
	}
	three := grpo.Config{Parts: grpo.Parts(paper, grpo.SequenceMean, 0.01, 0.001)}
	all := three
	all.ClipHigh, all.Dual, all.Cap = 0.28, 2, 2
	taught := func(o option, d grpo.DistilConfig) option { o.distil = &d; return o }
	return map[string]option{
		"clip":              one(func(*grpo.Config) {}),
		"clip low and high": one(func(c *grpo.Config) { c.ClipLow, c.ClipHigh = 0.1, 0.28 }),
		"dual clip":         one(func(c *grpo.Config) { c.Dual = 1.5 }),
		"no dual clip":      one(func(c *grpo.Config) { c.Dual = -1 }),
		"kl":                part(func(p *grpo.Part) { p.KL = 0.01 }),
		"kl without limit":  one(func(c *grpo.Config) { c.Parts[0].KL, c.KLLimit = 0.5, -1 }),
		"kl limit":          one(func(c *grpo.Config) { c.Parts[0].KL, c.KLLimit = 0.5, 2 }),
		"entropy":           part(func(p *grpo.Part) { p.Entropy = 0.01 }),
		"importance weight": one(func(c *grpo.Config) { c.Cap = 1.5 }),
		"sequence-mean":     part(func(p *grpo.Part) { p.Aggregate = grpo.SequenceMean }),
		"sequence-sum":      part(func(p *grpo.Part) { p.Aggregate = grpo.SequenceSum }),
		"episode-sum":       part(func(p *grpo.Part) { p.Aggregate = grpo.EpisodeSum }),
		"micro-mean":        part(func(p *grpo.Part) { p.Aggregate = grpo.MicroMean }),
		"reinforce":         part(func(p *grpo.Part) { p.Loss, p.Aggregate = credit.Reinforce, grpo.EpisodeSum }),
		"reinforce, weighted": one(func(c *grpo.Config) {
			c.Parts[0].Loss, c.Parts[0].KL, c.Parts[0].Entropy, c.Cap = credit.Reinforce, 0.01, 0.001, 2
		}),
		"three parts":     {config: three},
		"all of it":       {config: all},
		"teacher, beta 0": taught(option{config: three}, grpo.DistilConfig{Coefficient: 0.01, Aggregate: grpo.TokenMean}),
		"teacher, beta 5": taught(option{config: three}, grpo.DistilConfig{Coefficient: 0.3, Beta: 5, Aggregate: grpo.SequenceMean}),
	}
}

// objective is ours over the examples.
func objective(t *testing.T, config grpo.Config, distil *grpo.DistilConfig, micro [][]example) (gpu.Objective, *grpo.Step) {
	t.Helper()
	tokens, taught := make([][]grpo.Tokens, len(micro)), make([][]grpo.Taught, len(micro))
	for m, examples := range micro {
		for _, x := range examples {
			var spans []grpo.Span
			for _, s := range x.Spans {
				spans = append(spans, grpo.Span(s))
			}
			tokens[m] = append(tokens[m], grpo.Tokens{Old: x.Old, Reference: x.Reference, Sampler: x.Sampler, Spans: spans, Episode: x.Episode})
			taught[m] = append(taught[m], grpo.Taught{Teacher: x.Teacher, Spans: spans, Episode: x.Episode})
		}
	}
	step, err := grpo.New(config, tokens)
	if err != nil {
		t.Fatal(err)
	}
	if distil == nil {
		return step.Objective, step
	}
	teacher, err := grpo.NewDistillation(*distil, taught)
	if err != nil {
		t.Fatal(err)
	}
	return grpo.Sum(step.Objective, teacher.Objective), step
}

// byLogits is the loss and its gradient by the logits.
func byLogits(t *testing.T, o gpu.Objective, micro [][]example) (loss float64, gradients [][][][]float64) {
	t.Helper()
	for m, examples := range micro {
		var v gpu.TokenValues
		for _, x := range examples {
			logp, entropy, _ := x.scores()
			v.LogProbs, v.Entropy = append(v.LogProbs, flat(logp)), append(v.Entropy, flat(entropy))
		}
		l, by, err := o(m, v)
		if err != nil {
			t.Fatal(err)
		}
		loss += l
		gradients = append(gradients, nil)
		for i, x := range examples {
			_, entropy, all := x.scores()
			var rows [][]float64
			for j, each := range all {
				row := make([]float64, words)
				for k, p := range each {
					row[k] = -float64(by.LogProbs[i][j]) * math.Exp(p)
					if by.Entropy != nil {
						row[k] -= float64(by.Entropy[i][j]) * math.Exp(p) * (p + entropy[j][0])
					}
				}
				row[x.Targets[j]] += float64(by.LogProbs[i][j])
				rows = append(rows, row)
			}
			gradients[m] = append(gradients[m], rows)
		}
	}
	return loss, gradients
}

func flat(rows [][]float64) (all []float32) {
	for _, row := range rows {
		all = append(all, float32(row[0]))
	}
	return all
}

// TestGradientPython: PyTorch's autograd finds the same loss and gradient by the logits for every option, in fp64 and
// fp32, to 1e-5 of the largest. It takes some seconds, nearly all of them Python's imports.
func TestGradientPython(t *testing.T) {
	python := outside.NewPython(t)
	var names []string
	var cases []caseJSON
	for name, o := range options() {
		names = append(names, name)
		cases = append(cases, caseJSON{spell(o.config), draw(uint64(len(name)), len(o.config.Parts)), o.distil})
	}
	data, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	type result struct {
		Loss      float64
		Gradients [][][][]float64
	}
	var theirs []struct{ Float64, Float32 result }
	python.Read(t, &theirs, "grpo_loss.py", path)
	for i, name := range names {
		o := options()[name]
		ours, step := objective(t, o.config, o.distil, cases[i].Micro)
		loss, gradients := byLogits(t, ours, cases[i].Micro)
		for dtype, want := range map[string]result{"float64": theirs[i].Float64, "float32": theirs[i].Float32} {
			most, largest, seen := 0.0, 0.0, 0
			for m := range gradients {
				for e := range gradients[m] {
					for j := range gradients[m][e] {
						for k, got := range gradients[m][e][j] {
							most = max(most, math.Abs(got-want.Gradients[m][e][j][k]))
							largest = max(largest, math.Abs(want.Gradients[m][e][j][k]))
							seen++
						}
					}
				}
			}
			if !(most <= 1e-5*largest) || largest == 0 || seen == 0 {
				t.Errorf("%s, %s: gradients differ by %g of %g", name, dtype, most, largest)
			}
			if !(math.Abs(loss-want.Loss) <= 1e-5*max(1, math.Abs(want.Loss))) {
				t.Errorf("%s, %s: loss %v, PyTorch %v", name, dtype, loss, want.Loss)
			}
			t.Logf("%s, %s: gradients differ by %.2g of the largest", name, dtype, most/largest)
		}
		if all, _ := step.Statistics(); all.Clip == 0 && o.config.Parts[0].Loss == credit.Clipped || all.Dual == 0 && o.config.Dual >= 0 && o.config.Parts[0].Loss == credit.Clipped {
			t.Errorf("%s: nothing was cut, so the clips are not compared: %+v", name, all)
		}
	}
}
