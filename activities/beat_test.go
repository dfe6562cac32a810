package activities

import (
	"context"
	"testing"
	"time"

	"github.com/hone-rl/hone/gpu"
)

// slow is a device each of whose answers takes nearly as long as an activity may go without progress.
type slow struct {
	gpu.Trainer
	gpu.Policy
	now *time.Time
}

func (slow) Close() error { return nil }

func (s slow) works() { *s.now = s.now.Add(stalled - time.Minute) }

func (s slow) LogProbs(context.Context, []gpu.Example, gpu.Scoring) (gpu.TokenValues, error) {
	s.works()
	return gpu.TokenValues{}, nil
}

func (s slow) StepBy(_ context.Context, micro [][]gpu.Example, _ gpu.Scoring, objective gpu.Objective) (res gpu.StepResult, err error) {
	for m := range micro {
		s.works()
		_, _, err = objective(m, gpu.TokenValues{})
		s.works()
	}
	return res, err
}

func (s slow) Sample(context.Context, []gpu.Sampling) ([]gpu.Sampled, error) {
	s.works()
	return nil, nil
}

func (s slow) Choose(context.Context, []gpu.Choice) ([]gpu.Chosen, error) {
	s.works()
	return nil, nil
}

// TestBeatsOfSlowDevices: what goes on does not look dead, however long all of it takes; and what hangs does. Only an update
// that is asked for is measured, and not one that is repeated on the way to it.
func TestBeatsOfSlowDevices(t *testing.T) {
	now := time.Unix(0, 0)
	device := slow{now: &now}
	begin := func() *beater { return &beater{now: func() time.Time { return now }, moved: now} }
	for name, does := range map[string]func(*beater) error{
		"scores": func(b *beater) error {
			_, err := timedTrainer{device, meter{b, true}}.LogProbs(t.Context(), nil, gpu.Scoring{})
			return err
		},
		"reference": func(b *beater) error {
			_, err := timed(device, meter{b, true}).LogProbs(t.Context(), nil, gpu.Scoring{})
			return err
		},
		"steps": func(b *beater) error {
			_, err := timedTrainer{device, meter{b, true}}.StepBy(t.Context(), make([][]gpu.Example, 3), gpu.Scoring{}, func(m int, _ gpu.TokenValues) (float64, gpu.TokenValues, error) {
				if _, alive := b.state(); !alive {
					t.Errorf("micro-batch %d: it looks dead", m)
				}
				return 0, gpu.TokenValues{}, nil
			})
			return err
		},
		"answers": func(b *beater) error { _, err := heardPolicy{device, b}.Sample(t.Context(), nil); return err },
		"choices": func(b *beater) error { _, err := heardPolicy{device, b}.Choose(t.Context(), nil); return err },
	} {
		b := begin()
		for i := range 3 {
			if err := does(b); err != nil {
				t.Fatal(err)
			}
			if _, alive := b.state(); !alive {
				t.Fatalf("%s: it looks dead after %d", name, i+1)
			}
		}
		now = now.Add(stalled)
		if _, alive := b.state(); alive {
			t.Errorf("%s: it hangs and looks alive", name)
		}
	}
	b := begin()
	if _, err := (timedTrainer{device, meter{beat: b}}).LogProbs(t.Context(), nil, gpu.Scoring{}); err != nil || len(b.spent) > 0 {
		t.Errorf("a repeated update: %v, spent %v, want none", err, b.spent)
	}
	if _, err := (timedTrainer{device, meter{b, true}}).LogProbs(t.Context(), nil, gpu.Scoring{}); err != nil || b.spent[spentScore] != stalled-time.Minute {
		t.Errorf("an update: %v, spent %v", err, b.spent)
	}
}
