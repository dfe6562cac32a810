package grpo_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/gpu"
)

// single is a loss over one token with log-probability p now.
func single(t *testing.T, c grpo.Config, x grpo.Tokens, p, entropy float32) (loss float64, slope float32, n grpo.Numbers) {
	t.Helper()
	s, err := grpo.New(c, [][]grpo.Tokens{{x}})
	if err != nil {
		t.Fatal(err)
	}
	loss, by, err := s.Objective(0, gpu.TokenValues{LogProbs: [][]float32{{p}}, Entropy: [][]float32{{entropy}}})
	if err != nil {
		t.Fatal(err)
	}
	n, _ = s.Statistics()
	return loss, by.LogProbs[0][0], n
}

func one(a float64) []grpo.Span { return []grpo.Span{{To: 1, Advantage: a}} }

// plain is a configuration of one part.
func plain(change ...func(c *grpo.Config)) grpo.Config {
	c := grpo.Config{Parts: []grpo.Part{{Name: "util", Loss: credit.Clipped, Weight: 1, Aggregate: grpo.TokenMean}}}
	for _, f := range change {
		f(&c)
	}
	return c
}

func ln(x float64) float32 { return float32(math.Log(x)) }

// Loss and derivative of one token, by hand. ρ is exp(p - old) with old = -2.
func TestToken(t *testing.T) {
	kl := func(c *grpo.Config) { c.Parts[0].KL = 0.01 }
	reinforce := func(c *grpo.Config) { c.Parts[0].Loss = credit.Reinforce }
	for name, v := range map[string]struct {
		config           grpo.Config
		ratio, advantage float64
		reference        float32 // less p
		sampler          float32 // less old
		entropy          float32
		loss, slope      float64
		clip, dual       float64
	}{
		"unchanged":                     {plain(), 1, 1, 0, 0, 0, -1, -1, 0, 0},
		"unchanged, against":            {plain(), 1, -1, 0, 0, 0, 1, 1, 0, 0},
		"inside":                        {plain(), 1.1, 2, 0, 0, 0, -2.2, -2.2, 0, 0},
		"inside, against":               {plain(), 0.9, -2, 0, 0, 0, 1.8, 1.8, 0, 0},
		"cut above":                     {plain(), 1.5, 1, 0, 0, 0, -1.2, 0, 1, 0},
		"cut below":                     {plain(), 0.5, -1, 0, 0, 0, 0.8, 0, 1, 0},
		"not cut: became less likely":   {plain(), 0.5, 1, 0, 0, 0, -0.5, -0.5, 0, 0},
		"not cut: became likelier":      {plain(), 1.5, -1, 0, 0, 0, 1.5, 1.5, 0, 0},
		"second clip":                   {plain(), 5, -1, 0, 0, 0, 3, 0, 0, 1},
		"second clip, doubled":          {plain(), 5, -2, 0, 0, 0, 6, 0, 0, 1},
		"second clip, not for":          {plain(), 5, 1, 0, 0, 0, -1.2, 0, 1, 0},
		"second clip, lower":            {plain(func(c *grpo.Config) { c.Dual = 2 }), 2.5, -1, 0, 0, 0, 2, 0, 0, 1},
		"no second clip":                {plain(func(c *grpo.Config) { c.Dual = -1 }), 5, -1, 0, 0, 0, 5, 5, 0, 0},
		"clip higher, within":           {plain(func(c *grpo.Config) { c.ClipHigh = 0.28 }), 1.25, 1, 0, 0, 0, -1.25, -1.25, 0, 0},
		"clip higher, beyond":           {plain(func(c *grpo.Config) { c.ClipHigh = 0.28 }), 1.4, 1, 0, 0, 0, -1.28, 0, 1, 0},
		"clip lower":                    {plain(func(c *grpo.Config) { c.ClipLow = 0.1 }), 0.85, -1, 0, 0, 0, 0.9, 0, 1, 0},
		"no advantage":                  {plain(), 4, 0, 0, 0, 0, 0, 0, 0, 0},
		"k3":                            {plain(kl), 1, 0, -0.2, 0, 0, 0.01 * 0.018731, 0.01 * 0.181269, 0, 0}, // e^-.2 + .2 - 1, 1 - e^-.2
		"k3 the other way":              {plain(kl), 1, 0, 0.2, 0, 0, 0.01 * 0.021403, 0.01 * -0.221403, 0, 0},
		"k3 beside an advantage":        {plain(kl), 1.1, 2, -0.2, 0, 0, -2.2 + 0.00018731, -2.2 + 0.00181269, 0, 0},
		"k3 of a token that is cut":     {plain(kl), 1.5, 1, -0.2, 0, 0, -1.2 + 0.00018731, 0.00181269, 1, 0},
		"k3 at its limit":               {plain(kl), 1, 0, 4, 0, 0, 0.1, 0, 0, 0},
		"k3 without limit":              {plain(kl, func(c *grpo.Config) { c.KLLimit = -1 }), 1, 0, 4, 0, 0, 0.01 * 49.598150, 0.01 * -53.598150, 0, 0},
		"entropy":                       {plain(func(c *grpo.Config) { c.Parts[0].Entropy = 0.001 }), 1, 1, 0, 0, 1.5, -1.0015, -1, 0, 0},
		"entropy without a bonus":       {plain(), 1, 1, 0, 0, 1.5, -1, -1, 0, 0},
		"reinforce":                     {plain(reinforce), 1, 0.5, 0, 0, 0, 1, -0.5, 0, 0}, // -.5·-2
		"reinforce is not cut":          {plain(reinforce), 1.5, 2, 0, 0, 0, 4 - 2*math.Log(1.5), -2, 0, 0},
		"importance weight":             {plain(func(c *grpo.Config) { c.Cap = 2 }), 1, 1, 0, -float32(math.Log(1.5)), 0, -1.5, -1.5, 0, 0},
		"importance weight, capped":     {plain(func(c *grpo.Config) { c.Cap = 2 }), 1, 1, 0, -3, 0, -2, -2, 0, 0},
		"importance weight, below 1":    {plain(func(c *grpo.Config) { c.Cap = 2 }), 1.1, -1, 0, float32(math.Log(2)), 0, 0.55, 0.55, 0, 0},
		"importance weight, not of k3":  {plain(kl, func(c *grpo.Config) { c.Cap = 2 }), 1, 0, -0.2, -3, 0, 0.01 * 0.018731, 0.01 * 0.181269, 0, 0},
		"importance weight, second cut": {plain(func(c *grpo.Config) { c.Cap = 2 }), 5, -1, 0, -3, 0, 6, 0, 0, 1},
		"weight":                        {plain(func(c *grpo.Config) { c.Parts[0].Weight = 0.3 }, kl), 1, 1, -0.2, 0, 0, 0.3 * (-1 + 0.00018731), 0.3 * (-1 + 0.00181269), 0, 0},
		"weight 0":                      {plain(func(c *grpo.Config) { c.Parts[0].Weight = 0 }, kl), 1, 1, -0.2, 0, 0, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := -2 + ln(v.ratio)
			x := grpo.Tokens{Old: []float32{-2}, Reference: []float32{p + v.reference}, Sampler: []float32{-2 + v.sampler}, Spans: one(v.advantage)}
			loss, slope, n := single(t, v.config, x, p, v.entropy)
			if math.Abs(loss-v.loss) > 2e-6*max(1, math.Abs(v.loss)) || math.Abs(float64(slope)-v.slope) > 2e-6*max(1, math.Abs(v.slope)) {
				t.Errorf("loss %v, derivative %v, want %v, %v", loss, slope, v.loss, v.slope)
			}
			if v.slope == 0 && slope != 0 {
				t.Errorf("a derivative of %g where there is none", slope)
			}
			if n.Entropy != float64(v.entropy) {
				t.Errorf("entropy %v, want %v", n.Entropy, v.entropy)
			}
			if n.Clip != v.clip || n.Dual != v.dual {
				t.Errorf("clips %v and %v, want %v and %v", n.Clip, n.Dual, v.clip, v.dual)
			}
		})
	}
}

// What a token counts for. Two sequences of three and one tokens, of which the first is in two micro-batches.
func TestAggregates(t *testing.T) {
	micro := [][]grpo.Tokens{
		{{Old: make([]float32, 3), Spans: []grpo.Span{{From: 1, To: 3, Advantage: 1}}}},
		{{Old: make([]float32, 1), Spans: []grpo.Span{{To: 1, Advantage: 1}}}, {Old: make([]float32, 1), Spans: []grpo.Span{{To: 1, Advantage: 1, Sequence: 1}}}},
	}
	for aggregate, want := range map[grpo.Aggregate][]float32{ // of the first, masked, token and the four others
		grpo.TokenMean:    {0, 1. / 4, 1. / 4, 1. / 4, 1. / 4},
		grpo.SequenceMean: {0, 1. / 6, 1. / 6, 1. / 6, 1. / 2},
		grpo.SequenceSum:  {0, 1. / 2, 1. / 2, 1. / 2, 1. / 2},
		grpo.MicroMean:    {0, 1. / 4, 1. / 4, 1. / 4, 1. / 4},
	} {
		s, err := grpo.New(plain(func(c *grpo.Config) { c.Parts[0].Aggregate = aggregate }), micro)
		if err != nil {
			t.Fatal(err)
		}
		var got []float32
		sum := 0.0
		for m, examples := range micro {
			v := gpu.TokenValues{LogProbs: make([][]float32, len(examples))}
			for i, x := range examples {
				v.LogProbs[i] = x.Old
			}
			loss, by, err := s.Objective(m, v)
			if err != nil {
				t.Fatal(err)
			}
			if by.Entropy != nil {
				t.Error("derivatives by an entropy without a bonus")
			}
			sum += loss
			for _, row := range by.LogProbs {
				for _, d := range row {
					got = append(got, -d)
				}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", aggregate, got, want)
		}
		total := float32(0)
		for _, w := range want {
			total += w
		}
		if math.Abs(sum+float64(total)) > 1e-6 {
			t.Errorf("%s: loss %v, want %v", aggregate, sum, -total)
		}
	}
	if s, err := grpo.New(plain(func(c *grpo.Config) { c.Parts[0].Aggregate = grpo.MicroMean }), append(micro, []grpo.Tokens{{Old: make([]float32, 2)}})); err != nil {
		t.Error(err)
	} else if _, by, err := s.Objective(1, gpu.TokenValues{LogProbs: [][]float32{{0}, {0}}}); err != nil || by.LogProbs[0][0] != -1./6 {
		t.Errorf("a micro-batch without a token counts: %v, %v, want 1/6", by.LogProbs, err)
	}
}

// TestNumeric: the derivatives are those of the loss, for every option, by central differences away from the kinks.
func TestNumeric(t *testing.T) {
	for name, o := range options() {
		micro := draw(uint64(len(name)), len(o.config.Parts))
		// Distillation's gate is not differentiated; without it the loss's difference is its derivative.
		f, _ := objective(t, o.config, nil, micro)
		cut, _ := objective(t, o.config, nil, micro)
		for m, examples := range micro {
			var v gpu.TokenValues
			for _, x := range examples {
				logp, entropy, _ := x.scores()
				v.LogProbs, v.Entropy = append(v.LogProbs, flat(logp)), append(v.Entropy, flat(entropy))
			}
			_, by, err := f(m, v)
			if err != nil {
				t.Fatal(err)
			}
			largest, kinks := 0.0, 0
			for _, row := range by.LogProbs {
				for _, d := range row {
					largest = max(largest, math.Abs(float64(d)))
				}
			}
			for i := range v.LogProbs {
				for k := range v.LogProbs[i] {
					for what, at := range map[string]*float32{"log-probability": &v.LogProbs[i][k], "entropy": &v.Entropy[i][k]} {
						want := float64(by.LogProbs[i][k])
						if what == "entropy" {
							want = 0
							if by.Entropy != nil {
								want = float64(by.Entropy[i][k])
							}
						}
						const h = 1.0 / 4096 // fp32 takes it exactly: values are below 16
						was := *at
						*at = was + h
						high, above, err := cut(m, v)
						*at = was - h
						low, below, err2 := cut(m, v)
						*at = was
						if err := errors.Join(err, err2); err != nil {
							t.Fatal(err)
						}
						if math.Abs(float64(above.LogProbs[i][k]-below.LogProbs[i][k])) > 2e-3*largest {
							kinks++ // one lies between
							continue
						}
						if got := (high - low) / (2 * h); math.Abs(got-want) > 1e-3*largest {
							t.Errorf("%s: micro-batch %d: example %d: %s %d: derivative %v, difference %v", name, m, i, what, k, want, got)
						}
					}
				}
			}
			if kinks > 1 {
				t.Errorf("%s: micro-batch %d: %d kinks", name, m, kinks)
			}
		}
	}
}

// Divided in another way the step's derivatives are the same bits, and its numbers the same.
func TestSplit(t *testing.T) {
	for name, o := range options() {
		if o.config.Parts[0].Aggregate == grpo.MicroMean {
			continue
		}
		micro := draw(7, len(o.config.Parts))
		var whole []example
		for _, examples := range micro {
			whole = append(whole, examples...)
		}
		apart, a := objective(t, o.config, o.distil, micro)
		together, b := objective(t, o.config, o.distil, [][]example{whole})
		lossApart, byApart := byLogits(t, apart, micro)
		lossTogether, byTogether := byLogits(t, together, [][]example{whole})
		var joined [][][]float64
		for _, m := range byApart {
			joined = append(joined, m...)
		}
		if !reflect.DeepEqual(joined, byTogether[0]) {
			t.Errorf("%s: the derivatives differ", name)
		}
		if math.Abs(lossApart-lossTogether) > 1e-12 {
			t.Errorf("%s: loss %v in three, %v in one", name, lossApart, lossTogether)
		}
		stepA, _ := a.Statistics()
		stepB, _ := b.Statistics()
		if stepA.Tokens != stepB.Tokens || stepA.Clip != stepB.Clip || stepA.RatioMax != stepB.RatioMax || math.Abs(stepA.KL-stepB.KL) > 1e-12 {
			t.Errorf("%s: %+v in three, %+v in one", name, stepA, stepB)
		}
	}
}

// Skill1's eq. 9 is over all N·G episodes: with λ1 0.3 and a reward of 1 each token of an order has the derivative -0.3/2,
// whether both episodes of a step had something to rank or one.
func TestEpisodeSum(t *testing.T) {
	paper, err := credit.Named("skill1-paper")
	if err != nil {
		t.Fatal(err)
	}
	config := grpo.Config{Parts: grpo.Parts(paper, grpo.SequenceMean, 0, 0)}
	ranked := []grpo.Span{{From: 0, To: 2, Part: 1, Advantage: 1}, {From: 2, To: 3}}
	plays := []grpo.Span{{From: 2, To: 3}}
	for name, other := range map[string][]grpo.Span{"both": ranked, "one": plays} {
		v := gpu.TokenValues{LogProbs: [][]float32{{-1, -1, -1}, {-1, -1, -1}}}
		s, err := grpo.New(config, [][]grpo.Tokens{{{Old: v.LogProbs[0], Spans: ranked}, {Old: v.LogProbs[1], Spans: other, Episode: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		_, by, err := s.Objective(0, v)
		if err != nil {
			t.Fatal(err)
		}
		if got := by.LogProbs[0]; got[0] != -0.15 || got[1] != -0.15 {
			t.Errorf("%s: derivatives %v, want -0.15 for the order's tokens", name, got)
		}
	}
}

func TestStatistics(t *testing.T) {
	c := grpo.Config{Parts: []grpo.Part{
		{Name: "util", Loss: credit.Clipped, Weight: 1, Aggregate: grpo.TokenMean, KL: 0.5, Entropy: 0.25},
		{Name: "rank", Loss: credit.Reinforce, Weight: 0.5, Aggregate: grpo.EpisodeSum},
	}}
	half := ln(2)
	s, err := grpo.New(c, [][]grpo.Tokens{{{
		Old: []float32{-1, -1, -1, -1, -1}, Reference: []float32{-1, -1, -1.2, -1, -1}, Sampler: []float32{-1, -1.5, -1, -1, -1.25},
		Spans: []grpo.Span{{From: 0, To: 2, Advantage: 1}, {From: 2, To: 3}, {From: 4, To: 5, Part: 1, Advantage: 2}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	v := gpu.TokenValues{LogProbs: [][]float32{{-1, -1 + half, -1, float32(math.NaN()), -1}}, Entropy: [][]float32{{1, 2, 3, 4, 2}}}
	for range 2 { // a second look changes nothing
		if _, by, err := s.Objective(0, v); err != nil || by.LogProbs[0][3] != 0 || by.Entropy[0][3] != 0 {
			t.Fatalf("%v, derivatives %v", err, by)
		}
	}
	step, parts := s.Statistics()
	// util: ratios 1 2 1, of which 2 is cut to 1.2; k3 of 0, 2: e^-ln2 + ln2 - 1 = 0.193147, and 0.018731
	k3 := (0.1931472 + 0.0187308) / 3
	for what, v := range map[string][2]float64{
		"tokens": {float64(step.Tokens), 4}, "tokens of util": {float64(parts[0].Tokens), 3}, "of rank": {float64(parts[1].Tokens), 1},
		"policy of util": {parts[0].Policy, -2.2 / 3}, "loss of util": {parts[0].Loss, -2.2/3 + 0.5*k3 - 0.25*2},
		"loss of rank": {parts[1].Loss, 0.5 * 2}, "loss": {step.Loss, -2.2/3 + 0.5*k3 - 0.5 + 1},
		"kl of util": {parts[0].KL, k3}, "kl": {step.KL, k3 * 3 / 4}, "entropy": {step.Entropy, 2}, "drift of util": {parts[0].Drift, -math.Ln2 / 3},
		"clip": {step.Clip, 0.25}, "clip of util": {parts[0].Clip, 1. / 3}, "zero": {step.Zero, 0.25}, "dual": {step.Dual, 0},
		"ratio of util": {parts[0].RatioMean, 4. / 3}, "largest": {step.RatioMax, 2}, "gap": {step.GapMean, 0.75 / 4}, "largest gap": {step.GapMax, 0.5},
	} {
		if math.Abs(v[0]-v[1]) > 1e-6 {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
	if parts[1].Name != "rank" || step.Name != "" {
		t.Errorf("names %q, %q", step.Name, parts[1].Name)
	}
}

func TestDistillation(t *testing.T) {
	for name, v := range map[string]struct {
		beta, teacher float64
		loss, slope   float64
	}{
		"beta 0 does not hear the teacher": {0, -1, 0.01 * 0.5, -0.01 * 0.5},
		"nor where he doubts":              {0, -4, 0.01 * -1, -0.01 * 0.5},
		"agreed":                           {5, -2, 0, -0.01 * 0.5},
		"sure":                             {5, -1, 0.01 * 0.993307, -0.01 * 0.993307}, // σ(5)
		"doubtful":                         {5, -3, 0.01 * -0.006693, -0.01 * 0.006693},
	} {
		d, err := grpo.NewDistillation(grpo.DistilConfig{Coefficient: 0.01, Beta: v.beta, Aggregate: grpo.TokenMean},
			[][]grpo.Taught{{{Teacher: []float32{float32(v.teacher), 0}, Spans: []grpo.Span{{To: 1}}}}})
		if err != nil {
			t.Fatal(err)
		}
		loss, by, err := d.Objective(0, gpu.TokenValues{LogProbs: [][]float32{{-2, -5}}})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(loss-v.loss) > 1e-8 || math.Abs(float64(by.LogProbs[0][0])-v.slope) > 1e-8 || by.LogProbs[0][1] != 0 {
			t.Errorf("%s: loss %v, derivatives %v, want %v, %v", name, loss, by.LogProbs, v.loss, v.slope)
		}
		if n := d.Statistics(); n.Tokens != 1 || math.Abs(n.Gate+v.slope/0.01) > 1e-6 || math.Abs(n.Delta-(v.teacher+2)) > 1e-6 {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

func TestSum(t *testing.T) {
	rows := func(x ...float32) [][]float32 { return [][]float32{x} }
	says := func(loss float64, by gpu.TokenValues, err error) gpu.Objective {
		return func(int, gpu.TokenValues) (float64, gpu.TokenValues, error) { return loss, by, err }
	}
	plain := says(1, gpu.TokenValues{LogProbs: rows(1, 2)}, nil)
	bonus := says(2, gpu.TokenValues{LogProbs: rows(3, 4), Entropy: rows(5, 6)}, nil)
	for name, f := range map[string]gpu.Objective{"first": grpo.Sum(bonus, plain), "last": grpo.Sum(plain, bonus)} {
		loss, by, err := f(0, gpu.TokenValues{})
		if want := (gpu.TokenValues{LogProbs: rows(4, 6), Entropy: rows(5, 6)}); err != nil || loss != 3 || !reflect.DeepEqual(by, want) {
			t.Errorf("%s: %v, %v, %v, want 3, %v", name, loss, by, err, want)
		}
	}
	own := errors.New("its own")
	if _, _, err := grpo.Sum(plain, says(0, gpu.TokenValues{}, own))(0, gpu.TokenValues{}); !errors.Is(err, own) {
		t.Errorf("got %v, want %v", err, own)
	}
	if _, _, err := grpo.Sum(plain, says(0, gpu.TokenValues{LogProbs: rows(1)}, nil))(0, gpu.TokenValues{}); err == nil {
		t.Error("another shape: no error")
	}
	if _, _, err := grpo.Sum()(0, gpu.TokenValues{}); err == nil {
		t.Error("nothing: no error")
	}
}

func TestParts(t *testing.T) {
	paper, err := credit.Named("skill1-paper")
	if err != nil {
		t.Fatal(err)
	}
	want := []grpo.Part{
		{Name: "util", Loss: credit.Clipped, Weight: 1, Aggregate: grpo.SequenceMean, KL: 0.01, Entropy: 0.001},
		{Name: "rank", Loss: credit.Reinforce, Weight: 0.3, Aggregate: grpo.EpisodeSum},
		{Name: "distil", Loss: credit.Clipped, Weight: 0.3, Aggregate: grpo.SequenceMean, KL: 0.01, Entropy: 0.001},
	}
	if got := grpo.Parts(paper, grpo.SequenceMean, 0.01, 0.001); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What does not fit or is not finite is an error that names its place.
func TestRefuses(t *testing.T) {
	nan := float32(math.NaN())
	kl := func(c *grpo.Config) { c.Parts[0].KL = 0.01 }
	old := []float32{-1, -1}
	for says, v := range map[string]struct {
		config grpo.Config
		x      grpo.Tokens
	}{
		"example 1: token 1: old log-probability NaN":        {plain(), grpo.Tokens{Old: []float32{-1, nan}, Spans: []grpo.Span{{To: 2}}}},
		"example 1: token 0: reference log-probability -Inf": {plain(kl), grpo.Tokens{Old: old, Reference: []float32{float32(math.Inf(-1)), 0}, Spans: []grpo.Span{{To: 2}}}},
		"example 1: token 0: advantage NaN":                  {plain(), grpo.Tokens{Old: old, Spans: []grpo.Span{{To: 2, Advantage: math.NaN()}}}},
		"no log-probabilities of the reference":              {plain(kl), grpo.Tokens{Old: old, Spans: []grpo.Span{{To: 2}}}},
		"no log-probabilities of the sampler":                {plain(func(c *grpo.Config) { c.Cap = 2 }), grpo.Tokens{Old: old, Spans: []grpo.Span{{To: 2}}}},
		"1 log-probabilities of the reference: expected 2":   {plain(), grpo.Tokens{Old: old, Reference: old[:1]}},
		"span 1: tokens 0 to 2 of 2, after 1":                {plain(), grpo.Tokens{Old: old, Spans: []grpo.Span{{To: 1}, {To: 2}}}},
		"span 0: tokens 0 to 3 of 2":                         {plain(), grpo.Tokens{Old: old, Spans: []grpo.Span{{To: 3}}}},
		"span 0: part 1 of 1":                                {plain(), grpo.Tokens{Old: old, Spans: []grpo.Span{{To: 1, Part: 1}}}},
		"dual 0.5: expected above 1":                         {plain(func(c *grpo.Config) { c.Dual = 0.5 }), grpo.Tokens{}},
		`parts[0].aggregate "mean"`:                          {plain(func(c *grpo.Config) { c.Parts[0].Aggregate = "mean" }), grpo.Tokens{}},
		"clip_low 2: expected 0 to 1":                        {plain(func(c *grpo.Config) { c.ClipLow = 2 }), grpo.Tokens{}},
		"parts: expected at least one":                       {grpo.Config{}, grpo.Tokens{}},
		"parts[0].entropy -0.1: expected 0 or more":          {plain(func(c *grpo.Config) { c.Parts[0].Entropy = -0.1 }), grpo.Tokens{}},
		"parts[0].weight NaN":                                {plain(func(c *grpo.Config) { c.Parts[0].Weight = math.NaN() }), grpo.Tokens{}},
	} {
		if _, err := grpo.New(v.config, [][]grpo.Tokens{{{}, v.x}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error with %q", err, says)
		}
	}
	s, err := grpo.New(plain(), [][]grpo.Tokens{{{Old: old, Spans: []grpo.Span{{To: 2, Advantage: 1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for says, v := range map[string]struct {
		micro int
		p     [][]float32
	}{
		"micro-batch 1 of 1":                                        {1, nil},
		"of 0 and entropies of 0 examples: expected 1":              {0, nil},
		"micro-batch 0: example 0: 1 log-probabilities: expected 2": {0, [][]float32{{-1}}},
		"micro-batch 0: example 0: token 1: log-probability NaN":    {0, [][]float32{{-1, nan}}},
		"micro-batch 0: example 0: token 0: ratio +Inf":             {0, [][]float32{{1000, -1}}},
	} {
		if _, by, err := s.Objective(v.micro, gpu.TokenValues{LogProbs: v.p}); err == nil || !strings.Contains(err.Error(), says) || by.LogProbs != nil {
			t.Errorf("got %v, want an error with %q", err, says)
		}
	}
	bonus, err := grpo.New(plain(func(c *grpo.Config) { c.Parts[0].Entropy = 0.001 }), [][]grpo.Tokens{{{Old: old, Spans: []grpo.Span{{To: 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*grpo.Step{bonus, s} { // entropies are logged in any case
		if how := one.Scoring(0.4); how != (gpu.Scoring{Temperature: 0.4, Entropy: true}) {
			t.Errorf("scoring %+v", how)
		}
	}
	if _, _, err := bonus.Objective(0, gpu.TokenValues{LogProbs: [][]float32{old}}); err == nil {
		t.Error("a bonus without entropies: no error")
	}
	for says, c := range map[string]grpo.DistilConfig{"coefficient -1": {Coefficient: -1, Aggregate: grpo.TokenMean}, "beta -1": {Beta: -1, Aggregate: grpo.TokenMean}, `aggregate ""`: {}} {
		if _, err := grpo.NewDistillation(c, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error with %q", err, says)
		}
	}
	d, err := grpo.NewDistillation(grpo.DistilConfig{Coefficient: 1, Aggregate: grpo.TokenMean}, [][]grpo.Taught{{{Teacher: old, Spans: []grpo.Span{{From: 1, To: 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Objective(0, gpu.TokenValues{LogProbs: [][]float32{{nan, nan}}}); err == nil || !strings.Contains(err.Error(), "example 0: token 1") {
		t.Errorf("a student without a number: %v", err)
	}
}
