package runs

import (
	"errors"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// TestPlannedStages: the key of a stage that is not there follows from a run's spec and what is: with it a training under
// way is found by its updates.
func TestPlannedStages(t *testing.T) {
	store := mem.New()
	lineagetest.OpenRun(t, store, "skill1")
	games := func(stage string) bool { return stage == "games" || stage == "hints" }
	stages, err := planned(t.Context(), store, "skill1", games)
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 2 || stages[0].Key == "" || stages[0].Outcome != "" || stages[1].Key != "" {
		t.Fatalf("got %+v, want the key of games alone", stages)
	}
	made := lineagetest.StoreTraining(t, store, 2)
	lineagetest.Name(t, store, activities.StageName(stages[0].Key), made.Start)
	if stages, err = planned(t.Context(), store, "skill1", games); err != nil || stages[1].Key == "" {
		t.Fatalf("got %+v, %v, want the key of hints", stages, err)
	}
	made.Name(t, store, stages[1].Key)
	training, err := (TrainingStage{Name: "hints", Key: stages[1].Key}).Open(t.Context(), store, "skill1/hints")
	if err != nil || training.Step != 2 || training.Library != made.Libraries[2] {
		t.Errorf("got %+v, %v", training, err)
	}
	var c *AskedError
	for want, key := range map[string]TrainingStage{"has not begun": {}, "no update yet": {Key: lineagetest.Source}} {
		if _, err := key.Open(t.Context(), store, "skill1/grpo"); err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &c) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
