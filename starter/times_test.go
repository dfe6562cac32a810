package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/runs"
)

// A mean step of two, the longest part first; what came before the first step and validations stand apart. Of several
// records of a stage the newest that has times counts, and none of another stage.
func TestStepTimes(t *testing.T) {
	store, noon := mem.New(), time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	step := func(n int, update, play time.Duration) activities.StepTime {
		return activities.StepTime{Step: n, Phases: map[string]time.Duration{"update": update, "play": play, "validation": time.Hour}}
	}
	for i, r := range []activities.Finished{
		{Name: "grpo", Ended: noon, Times: []activities.StepTime{step(1, time.Hour, time.Hour)}},
		{Name: "grpo", Ended: noon.Add(time.Minute), Times: []activities.StepTime{
			{Phases: map[string]time.Duration{"validation": time.Hour, "load": time.Hour}},
			step(1, 4*time.Second, time.Second), step(2, 2*time.Second, time.Second),
		}},
		{Name: "grpo", Ended: noon.Add(time.Hour), Reused: true},
		{Name: "other/grpo", Ended: noon.Add(time.Hour), Times: []activities.StepTime{step(9, time.Hour, time.Hour)}},
	} {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		d, err := artifacts.PutBytes(t.Context(), store, "application/json", raw)
		if err == nil {
			err = store.Name(t.Context(), activities.RecordPrefix("run-1")+string(rune('a'+i))+"/"+r.Name, d.Digest)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	times, err := runs.StepTimes(t.Context(), store, "run-1", "grpo")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	steps, parts := runs.MeanTimes(times)
	if err := writeTimes(&out, steps, parts); err != nil {
		t.Fatal(err)
	}
	if want := "a step's work took 4.0 s, mean of 2 steps: update 3.0 s (75 %), play 1.0 s (25 %)\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out.Reset()
	if err := writeTimes(&out, 0, nil); err != nil || out.Len() != 0 {
		t.Errorf("of no steps: %q, %v", out.String(), err)
	}
}
