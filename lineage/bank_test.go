package lineage_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/skills"
)

// begin stores a bank and a library of two numbers a vector that begins with it, or with what change makes of its skills.
func begin(t *testing.T, store artifacts.Store, change func([]skills.Skill) []skills.Skill) (bank, library artifacts.Digest) {
	t.Helper()
	told := skills.Bank{
		{Name: "gen_001", Task: "any task", Head: "h", Strategy: "s", Outcome: skills.Success},
		{Task: "any task", Head: "g", Strategy: "r", Outcome: skills.Failure},
	}
	bank, err := activities.StoreBank(t.Context(), store, lineagetest.Producer, told)
	if err != nil {
		t.Fatal(err)
	}
	all, err := told.Skills()
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		all = change(all)
	}
	var entries []skills.Entry
	for _, s := range all {
		entries = append(entries, skills.Entry{Skill: s, Vector: []float32{1, 0}})
	}
	l, err := skills.New(skills.Rules{Admit: skills.AdmitNone}, 2, entries...)
	if err != nil {
		t.Fatal(err)
	}
	files, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	library = lineagetest.Store(t, store, artifacts.KindSkills, []artifacts.Input{{Role: "bank", Digest: bank}},
		map[string][]byte{skills.SkillsName: files.Skills, skills.VectorsName: files.Vectors})
	if err := store.Name(t.Context(), "runs/x/library", library); err != nil {
		t.Fatal(err)
	}
	return bank, library
}

// TestBank: a library leads to the bank that it began with, and so do its skills' lives; the audit looks at all of it.
func TestBank(t *testing.T) {
	store := mem.New()
	bank, library := begin(t, store, nil)
	g, err := lineage.Trace(t.Context(), store, library)
	if err != nil {
		t.Fatal(err)
	}
	if want := "skills " + library.Short() + "\n└─ bank " + bank.Short() + "  2 skills\n"; g.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", g.Text(), want)
	}
	l := opened(t, store, library)
	read, err := l.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	story, err := l.Life(t.Context(), string(read.Skills()[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := story.Print(&b); err != nil || !strings.Contains(b.String(), "episode   bank/1/gen_001\n") {
		t.Errorf("got %s, %v", &b, err)
	}
	res, err := auditor(store).All(t.Context())
	if err != nil || len(res.Findings) != 0 || res.Manifests != 2 || len(res.Orphans) != 0 {
		t.Errorf("audit: %+v, %v", res, err)
	}
	if _, err := lineage.OpenLibraries(t.Context(), store, bank); err == nil || !strings.Contains(err.Error(), "is of kind bank, expected a skill library") {
		t.Errorf("a bank for a library: %v", err)
	}
}

// TestBankDoctored: a library that is not its bank's, a bank that is not what it says, and a name of another.
func TestBankDoctored(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, store artifacts.Store)
		want string
	}{
		"a skill less": {func(t *testing.T, store artifacts.Store) {
			begin(t, store, func(all []skills.Skill) []skills.Skill { return all[:1] })
		}, "it has 1 skills, its bank 2"},
		"another utility": {func(t *testing.T, store artifacts.Store) {
			begin(t, store, func(all []skills.Skill) []skills.Skill { all[1].Utility = 1; return all })
		}, "skill 2, "},
		"another count": {func(t *testing.T, store artifacts.Store) {
			file, err := skills.Bank{{Task: "any task", Head: "h", Strategy: "s", Outcome: skills.Success}}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			d := lineagetest.Store(t, store, artifacts.KindBank, nil, map[string][]byte{skills.BankName: file})
			if err := store.Name(t.Context(), activities.BankName(d), d); err != nil {
				t.Fatal(err)
			}
		}, "its summary: "},
		"another name": {func(t *testing.T, store artifacts.Store) {
			bank, _ := begin(t, store, nil)
			if err := store.Name(t.Context(), "banks/1234", bank); err != nil {
				t.Fatal(err)
			}
		}, "points at sha256:"},
	} {
		store := mem.New()
		c.do(t, store)
		res, err := auditor(store).All(t.Context())
		if err != nil || len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Problem, c.want) {
			t.Errorf("%s: got %+v, %v, want %q", name, res.Findings, err, c.want)
		}
	}
}
