package activities_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/skills"
)

// told is an episode that was won and gives a lesson.
func told(game string, k int, head string, found ...rollout.Found) rollout.Episode {
	e := rollout.Episode{
		Rollout: k, Task: "put a mug on desk", Trajectory: agent.Trajectory{Free: true, Game: game, Steps: []agent.Step{}, Outcome: agent.Outcome{Won: true, Reason: "won"}},
		Found: found, Said: []rollout.Said{}, Lesson: &reply.Lesson{Success: true, Actions: "Take the mug first.", Head: head},
	}
	for _, f := range found {
		e.Shown = append(e.Shown, f.ID)
	}
	return e
}

// TestLearnTrajectories: what was done is kept in place of what was learnt, of won episodes; its task is the key.
func TestLearnTrajectories(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	w.MiniLM = outside.MiniLM(t)
	won := told("a", 0, "To find a mug.")
	won.Steps = []agent.Step{{Command: "go to desk 1"}, {}, {Command: "take mug 2 from desk 1"}}
	lost := won
	lost.Rollout, lost.Outcome = 1, agent.Outcome{Reason: "steps"}
	idle := told("b", 0, "To do nothing.")
	in := activities.SkillsInput{Purpose: "train", Trajectories: true}
	in.Library = must[activities.SkillsResult](t, w, do.LearnSkills, in).Library
	in.Episodes = []artifacts.Descriptor{w.shardOf(t, won, lost, idle)}
	l, err := activities.ReadLibrary(t.Context(), w.Store, must[activities.SkillsResult](t, w, do.LearnSkills, in).Library)
	if err != nil {
		t.Fatal(err)
	}
	if l.Len() != 1 {
		t.Fatalf("%d skills, want that of the won episode", l.Len())
	}
	if s := l.Skills()[0]; s.Strategy != "go to desk 1, take mug 2 from desk 1" || s.Head != "" || s.Key() != "put a mug on desk" || s.Outcome != skills.Success {
		t.Errorf("got %+v", s)
	}
}

func (w *world) shardOf(t *testing.T, episodes ...rollout.Episode) artifacts.Descriptor {
	t.Helper()
	var lines bytes.Buffer
	for _, e := range episodes {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	d, err := artifacts.PutBytes(t.Context(), w.Store, "application/jsonl", lines.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLearnSkills: two steps of a library, by hand; the second on another worker, and once more as a retry would.
func TestLearnSkills(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	w.MiniLM = outside.MiniLM(t)
	empty := must[activities.SkillsResult](t, w, do.LearnSkills, activities.SkillsInput{Rules: skills.Rules{Capacity: 2}, Purpose: "train"})
	shard := w.shardOf(t, told("a", 0, "To find a mug."), told("a", 1, "To find a mug."), told("b", 0, "Something else is wanted."))
	in := activities.SkillsInput{Library: empty.Library, Purpose: "train", Episodes: []artifacts.Descriptor{shard}}
	one := must[activities.SkillsResult](t, w, do.LearnSkills, in)
	// The same strategy and the same key: the second lesson is one with the first.
	if one.Size != 2 || one.Changes.Born != 2 || one.Changes.Merged != 1 || one.Utility != 0.5 {
		t.Fatalf("after a step: %+v", one)
	}
	l, err := activities.ReadLibrary(t.Context(), w.Store, one.Library)
	if err != nil {
		t.Fatal(err)
	}
	first := l.Skills()[0]
	if want := skills.NewID("train/1/a/0", shard.Digest, "To find a mug.", "Action: Take the mug first."); first.ID != want || first.Count != 2 {
		t.Errorf("first skill %+v, want id %s", first, want)
	}
	if m := w.manifest(t, one.Library); m.Kind != artifacts.KindSkills || len(m.Outputs) != 5 || m.Inputs[0].Digest != empty.Library {
		t.Errorf("manifest %+v", m)
	}
	if got := w.file(t, one.Library, activities.EpisodesFile); len(got) != int(shard.Size) {
		t.Errorf("%d bytes of episodes, want %d", len(got), shard.Size)
	}
	second := told("a", 0, "", rollout.Found{ID: string(first.ID), Utility: 0.5})
	second.Lesson = nil
	in = activities.SkillsInput{Library: one.Library, Purpose: "train", Episodes: []artifacts.Descriptor{w.shardOf(t, second)}}
	other := newWorld(t, w.Store, &gputest.Runner{})
	other.MiniLM = w.MiniLM
	two := must[activities.SkillsResult](t, other, do.LearnSkills, in)
	if again := must[activities.SkillsResult](t, w, do.LearnSkills, in); again.Library != two.Library {
		t.Errorf("again %s, want %s", again.Library, two.Library)
	}
	if l, err = activities.ReadLibrary(t.Context(), w.Store, two.Library); err != nil {
		t.Fatal(err)
	}
	if s, _ := l.Skill(first.ID); s.Utility != 0.525 || s.Count != 3 || s.Selected != 1 || l.Step() != 2 {
		t.Errorf("after a success %+v in step %d, want utility 0.525, count 3, selected once", s, l.Step())
	}
	in.Library = shard.Digest
	if _, err := call[activities.SkillsResult](w, do.LearnSkills, in); err == nil {
		t.Error("episodes are taken for a library")
	}
	in.Library, in.Rules.Capacity = "", -1
	_, err = call[activities.SkillsResult](w, do.LearnSkills, in)
	final(t, err, activities.ErrTypeBadInput, "capacity")
}
