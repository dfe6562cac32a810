package rollout_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// vector stands for a sentence encoder: what is about mugs points one way, all else another.
func vector(_ context.Context, text string) ([]float32, error) {
	switch text {
	case "where mugs are", "Mugs.":
		return []float32{1, 0}, nil
	case "put a mug on desk":
		return []float32{0.8, 0.6}, nil
	}
	return []float32{0, 1}, nil
}

// TestLibrary: an episode with a real library, and what it gives back to it, by hand.
func TestLibrary(t *testing.T) {
	empty, err := skills.New(skills.Rules{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	find := func(l *skills.Library) *rollout.Library {
		t.Helper()
		f, err := rollout.NewLibrary(l, skills.Retrieval{Mode: skills.ModeRelevance, TopK: 3}, vector)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	p := &script{answer: mover}
	cfg := config(p)
	cfg.Skills, cfg.Prompts = find(empty), ask.Turns
	first := play(t, cfg, task(1))[0]
	if phases(first) != "query act act act act distil" || len(first.Found) != 0 || first.Task != "put a mug on desk" {
		t.Fatalf("phases %s, found %v, task %q", phases(first), first.Found, first.Task)
	}
	source := artifacts.Of([]byte("the episode"))
	lived := first.Lived(skills.Place{Task: 0, Rollout: 0}, "1/g/1/0", source)
	if len(lived.Births) != 1 || lived.Target != 1 || lived.Selected != "" || lived.Births[0].Predicted != skills.Success {
		t.Fatalf("lived %+v", lived)
	}
	lived.Births[0].Vector, _ = vector(t.Context(), lived.Births[0].Head)
	changes, err := empty.Next([]skills.Episode{lived})
	if err != nil {
		t.Fatal(err)
	}
	one, err := empty.Apply(changes)
	if err != nil || one.Len() != 1 {
		t.Fatalf("%d skills, %v", one.Len(), err)
	}
	born := one.Skills()[0]
	if born.Strategy != "Action: Take the mug." || born.Utility != 0.5 || born.ID != skills.NewID("1/g/1/0", source, "Mugs.", born.Strategy) {
		t.Errorf("born %+v", born)
	}
	cfg.Skills = find(one)
	second := play(t, cfg, task(1))[0]
	if !slices.Equal(second.Shown, []string{string(born.ID)}) || second.Found[0].Relevance != 1 || second.Found[0].Utility != 0.5 {
		t.Errorf("shown %q, found %+v", second.Shown, second.Found)
	}
	lived = second.Lived(skills.Place{Task: 0, Rollout: 0}, "2/g/1/0", source)
	if !slices.Equal(lived.Retrieved, []skills.ID{born.ID}) || lived.Selected != born.ID {
		t.Errorf("lived %+v", lived)
	}
	lived.Births = nil
	if changes, err = one.Next([]skills.Episode{lived}); err != nil {
		t.Fatal(err)
	}
	two, err := one.Apply(changes)
	if err != nil || two.Skills()[0].Utility != 0.525 || two.Skills()[0].Count != 2 {
		t.Errorf("after a success %+v, %v, want utility 0.525, count 2", two.Skills()[0], err)
	}
}
