package activities_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/skills"
)

var bank = skills.Bank{
	{Name: "gen_001", Task: "any task", Head: "At the start.", Strategy: "Look first.", Outcome: skills.Success},
	{Name: "hea_001", Task: "a task of type heat", Type: "heat", Head: "To warm.", Strategy: "Use the microwave.", Outcome: skills.Success},
	{Task: "put a mug on desk", Strategy: "Do not wait.", Outcome: skills.Failure},
}

// TestLearnFromBank: a library begins with a bank from outside, by the rules asked for, the same on another worker; one that
// is stored already is taken as it is.
func TestLearnFromBank(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	w.MiniLM = outside.MiniLM(t)
	stored, err := activities.StoreBank(t.Context(), w.Store, w.Producer, bank)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := activities.StoreBank(t.Context(), w.Store, w.Producer, bank); err != nil || again != stored {
		t.Errorf("again %s, %v, want %s", again, err, stored)
	}
	if named, err := w.Store.Resolve(t.Context(), "banks/"+stored.Hex()); err != nil || named != stored {
		t.Errorf("its name points at %s, %v", named, err)
	}
	in := activities.SkillsInput{Bank: stored, Rules: skills.Rules{Admit: skills.AdmitNone, Merge: skills.MergeNone, Capacity: 3}, Purpose: "train"}
	res := must[activities.SkillsResult](t, w, do.LearnSkills, in)
	other := newWorld(t, w.Store, &gputest.Runner{})
	other.MiniLM = w.MiniLM
	if again := must[activities.SkillsResult](t, other, do.LearnSkills, in); again.Library != res.Library || res.Size != 3 || res.Utility != 0.5 {
		t.Errorf("got %+v, then %+v", res, again)
	}
	l, err := activities.ReadLibrary(t.Context(), w.Store, res.Library)
	if err != nil {
		t.Fatal(err)
	}
	want, err := bank.Skills()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l.Skills(), want) || l.Step() != 0 || l.Rules().Admit != skills.AdmitNone || l.Dimension() != 384 {
		t.Errorf("step %d, %+v: got %+v, want %+v", l.Step(), l.Rules(), l.Skills(), want)
	}
	// Each is found by its own key: the head, or the task where there is none.
	for i, s := range want {
		picks, err := l.Retrieve(skills.Query{Vector: l.Vector(s.ID)}, skills.Retrieval{Mode: skills.ModeRelevance, TopK: 1})
		if err != nil || len(picks) != 1 || picks[0].Skill.ID != s.ID {
			t.Errorf("skill %d is not the nearest to itself: %+v, %v", i, picks, err)
		}
	}
	if m := w.manifest(t, res.Library); len(m.Inputs) != 1 || m.Inputs[0] != (artifacts.Input{Role: "bank", Digest: stored}) {
		t.Errorf("inputs %+v", m.Inputs)
	}

	next := must[activities.SkillsResult](t, w, do.LearnSkills, activities.SkillsInput{
		Library: res.Library, Purpose: "train", Episodes: []artifacts.Descriptor{w.shardOf(t, told("a", 0, "To find a mug."))},
	})
	if next.Size != 3 || next.Changes.Born != 0 {
		t.Errorf("after a step: %+v", next)
	}
	in.Bank = next.Library
	if taken := must[activities.SkillsResult](t, w, do.LearnSkills, in); taken.Library != next.Library || taken.Size != 3 {
		t.Errorf("a library as the bank: %+v, want %s", taken, next.Library)
	}

	in.Bank, in.Rules.Capacity = stored, 2
	_, err = call[activities.SkillsResult](w, do.LearnSkills, in)
	final(t, err, activities.ErrTypeBadInput, "3 skills: expected at most the capacity, 2")
	in.Bank = artifacts.Of(nil)
	_, err = call[activities.SkillsResult](w, do.LearnSkills, in)
	final(t, err, activities.ErrTypeBadInput, "read bank of skills")
	in.Bank = w.school(t).model
	_, err = call[activities.SkillsResult](w, do.LearnSkills, in)
	final(t, err, activities.ErrTypeBadInput, "is of kind model, expected a bank of skills")
}

func TestCheckBank(t *testing.T) {
	store := newStore()
	by := artifacts.Producer{Name: "hone", Version: "test"}
	d, err := activities.StoreBank(t.Context(), store, by, bank)
	if err != nil {
		t.Fatal(err)
	}
	if err := activities.CheckBank(t.Context(), store, d, skills.Rules{}); err != nil {
		t.Error(err)
	}
	if err := activities.CheckBank(t.Context(), store, d, skills.Rules{Capacity: 2}); err == nil || !strings.Contains(err.Error(), "3 skills, expected at most the library's capacity, 2") {
		t.Errorf("above the capacity: %v", err)
	}
	if err := activities.CheckBank(t.Context(), store, artifacts.Of(nil), skills.Rules{}); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
	for kind, want := range map[artifacts.Kind]string{artifacts.KindSkills: "", artifacts.KindGames: "it is of kind games, expected a bank of skills or a skill library"} {
		other, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{Kind: kind, Producer: by})
		if err != nil {
			t.Fatal(err)
		}
		err = activities.CheckBank(t.Context(), store, other.Digest, skills.Rules{})
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
	if _, err := activities.StoreBank(t.Context(), store, by, nil); err == nil || !strings.Contains(err.Error(), "0 skills, expected 1") {
		t.Errorf("an empty bank: %v", err)
	}
}
