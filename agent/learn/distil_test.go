package learn_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/gpu"
)

// sure is a teacher that gives each token the same log-probability.
type sure struct {
	recorder
	p    float32
	seen [][]gpu.Example
}

func (s *sure) LogProbs(_ context.Context, examples []gpu.Example, _ gpu.Scoring) (gpu.TokenValues, error) {
	s.seen = append(s.seen, examples)
	return s.values(examples, s.p), nil
}

func lesson(episode int, token int32, answer int) learn.Lesson {
	text := func(prompt int) gpu.Example {
		x := gpu.Example{Answer: prompt}
		for range prompt {
			x.Tokens = append(x.Tokens, 1)
		}
		for range answer {
			x.Tokens = append(x.Tokens, token)
		}
		return x
	}
	return learn.Lesson{Student: text(2), Teacher: text(5), Episode: episode}
}

// The student gives each token -1, the teacher -0.5: with β = 0 the gate is 1/2, with β = 5 it is 1/(1+e^-2.5). Three tokens
// and one make four, each with a quarter.
func TestDistil(t *testing.T) {
	for _, c := range []struct{ beta, gate float64 }{{0, 0.5}, {5, 1 / (1 + math.Exp(-2.5))}} {
		r, teacher := &recorder{by: map[int32]float64{}}, &sure{p: -0.5}
		cfg := learn.DistilConfig{DistilConfig: grpo.DistilConfig{Coefficient: 0.1, Beta: c.beta}}
		report, err := learn.Distil(t.Context(), r, teacher, cfg, []learn.Lesson{lesson(0, 100, 3), lesson(1, 200, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if want := -0.1 * c.gate / 4; !near(r.by[100], want) || !near(r.by[200], want) || r.tokens != 4 {
			t.Errorf("β %v: derivatives %v of %d tokens, want %v", c.beta, r.by, r.tokens, want)
		}
		s := report.Steps[0]
		if len(report.Steps) != 1 || !near(s.Gate, c.gate) || !near(s.Delta, 0.5) || s.GradNorm != 2 || report.Lessons != 2 || report.Tokens != 8 {
			t.Errorf("β %v: report %+v", c.beta, report)
		}
		if len(teacher.seen) != 1 || len(teacher.seen[0][0].Tokens) != 8 {
			t.Errorf("β %v: the teacher read %v, want its own prompts", c.beta, teacher.seen)
		}
	}
}

// A mini-batch has at least so many answers, a micro-batch at most so many tokens but for one text.
func TestDistilBatches(t *testing.T) {
	r := &recorder{by: map[int32]float64{}}
	cfg := learn.DistilConfig{MiniBatch: 2, Micro: 6}
	lessons := []learn.Lesson{lesson(0, 100, 3), lesson(0, 101, 1), lesson(1, 102, 1), lesson(2, 103, 9), lesson(2, 104, 1)}
	if _, err := learn.Distil(t.Context(), r, &sure{p: -0.5}, cfg, lessons); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, step := range r.steps {
		got = append(got, len(step))
	}
	if len(got) != 3 || got[0] != 2 || got[1] != 2 || got[2] != 1 {
		t.Errorf("micro-batches %v, want 2, 2 and 1", got)
	}
	if report, err := learn.Distil(t.Context(), r, &sure{}, cfg, nil); err != nil || len(report.Steps) != 0 {
		t.Errorf("without lessons: %+v, %v", report, err)
	}
}

func TestDistilRefuses(t *testing.T) {
	wrong := lesson(0, 100, 3)
	wrong.Teacher = lesson(0, 100, 2).Teacher
	for want, f := range map[string]func() error{
		"3 tokens of answers, the teacher's 2": func() error {
			_, err := learn.Distil(t.Context(), &recorder{}, &sure{}, learn.DistilConfig{}, []learn.Lesson{wrong})
			return err
		},
		"mini_batch -1":   func() error { return learn.DistilConfig{MiniBatch: -1}.Validate() },
		"coefficient -1":  func() error { return learn.DistilConfig{DistilConfig: grpo.DistilConfig{Coefficient: -1}}.Validate() },
		`aggregate "any"`: func() error { return learn.DistilConfig{DistilConfig: grpo.DistilConfig{Aggregate: "any"}}.Validate() },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
