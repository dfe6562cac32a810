package activities_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
)

func TestSchedule(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		records, batch, micro int
		epochs, steps, warmup int
		ratio                 float64
		wantSteps, wantWarmup int
		wantError             string
	}{
		{name: "published teacher", records: 20006, batch: 8, micro: 4, epochs: 2, ratio: 0.1, wantSteps: 1252, wantWarmup: 126},
		{name: "an epoch's last step is small", records: 9, batch: 4, micro: 2, epochs: 3, wantSteps: 6},
		{name: "whole steps", records: 16, batch: 4, micro: 2, epochs: 1, wantSteps: 2},
		{name: "one record", records: 1, batch: 8, micro: 4, epochs: 5, warmup: 5, wantSteps: 5, wantWarmup: 5},
		{name: "steps", records: 9, batch: 4, micro: 2, steps: 1000, warmup: 7, wantSteps: 1000, wantWarmup: 7},
		{name: "a part of steps", records: 9, batch: 4, micro: 2, steps: 1001, ratio: 0.1, wantSteps: 1001, wantWarmup: 101},
		{name: "all warm-up", records: 9, batch: 4, micro: 2, steps: 10, ratio: 1, wantSteps: 10, wantWarmup: 10},
		{name: "too much warm-up", records: 9, batch: 4, micro: 2, epochs: 1, warmup: 3, wantError: "2 steps with 3 of warm-up"},
		{name: "no record", batch: 4, micro: 2, epochs: 1, wantError: "0 steps"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := activities.TrainParameters{
				Train: gpu.TrainConfig{Steps: tt.steps, Warmup: tt.warmup}, Batch: tt.batch, Accumulate: tt.micro, Epochs: tt.epochs, WarmupRatio: tt.ratio,
			}
			got, err := p.Schedule(tt.records)
			if tt.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantError) {
					t.Errorf("got %+v, %v, want an error with %q", got, err, tt.wantError)
				}
				return
			}
			if err != nil || got.Steps != tt.wantSteps || got.Warmup != tt.wantWarmup {
				t.Errorf("got %d steps with %d of warm-up, %v, want %d with %d", got.Steps, got.Warmup, err, tt.wantSteps, tt.wantWarmup)
			}
		})
	}
}

// TestTrainEpochs: each record is learnt from once an epoch, an epoch ends with a step of its own, and what is stored
// says how many steps that came to.
func TestTrainEpochs(t *testing.T) {
	runner := &gputest.Runner{}
	w := newWorld(t, newStore(), runner)
	s := w.school(t)
	in := s.lesson("teacher")
	in.Train.Steps, in.Epochs, in.WarmupRatio, in.Batch, in.Accumulate = 0, 2, 0.25, 4, 2
	var steps [][]int // lengths of the micro-batches
	seen := map[string]int{}
	runner.OnMicro = func(micro [][]gpu.Example) {
		var sizes []int
		for _, batch := range micro {
			sizes = append(sizes, len(batch))
			for _, e := range batch {
				seen[fmt.Sprint(e.Tokens)]++
			}
		}
		steps = append(steps, sizes)
	}
	res := must[activities.ModelResult](t, w, do.TrainSFT, in)
	records := 0
	for _, n := range seen {
		records += n
		if n%2 != 0 {
			t.Errorf("a record was learnt from %d times, want twice (or twice that, if two are alike)", n)
		}
	}
	records /= 2
	micro := (records + 3) / 4
	if records == 0 || records%4 == 0 || micro%2 == 0 {
		t.Fatalf("%d records: expected a number that leaves a small batch and a small step", records)
	}
	if want := (micro + 1) / 2; len(steps) != 2*want || len(steps[want-1]) != 1 || !slices.Equal(steps[want-1], []int{records % 4}) || len(steps[want]) != 2 {
		t.Errorf("%d records made the steps %v, want %d an epoch, the last of one micro-batch of %d", records, steps, want, records%4)
	}
	manifest := string(w.manifest(t, res.Digest).Parameters)
	for _, want := range []string{`"epochs":2`, `"warmupRatio":0.25`, fmt.Sprintf(`"steps":%d`, len(steps))} {
		if !strings.Contains(manifest, want) {
			t.Errorf("the model's parameters are %s, want %s among them", manifest, want)
		}
	}
}
