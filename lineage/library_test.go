package lineage_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/skills"
)

func opened(t *testing.T, store artifacts.Store, d artifacts.Digest) *lineage.Libraries {
	t.Helper()
	l, err := lineage.OpenLibraries(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLife: lives word for word, of a skill that has retired, by its id's beginning, and up to an earlier step.
func TestLife(t *testing.T) {
	store := mem.New()
	all := lineagetest.Libraries(t, store)
	l := opened(t, store, all[5])
	d, f := lineagetest.ID("D"), lineagetest.ID("F")
	head := string(d) + `
task      task of D
head      when D
strategy  do D
episode   episode/D
source    ` + string(lineagetest.Source) + `
outcome   success
`
	began := `step 1, task 1, rollout 2: born, utility 0.5000
step 2, task 0, rollout 0: retrieved and selected, target 1, utility 0.5000 -> 0.7500
step 2, task 0, rollout 1: retrieved, target 0, utility 0.7500 -> 0.3750
`
	whole := head + "now       retired; utility 0.4375, count 4, selected 1\n" + began +
		"step 4, task 0, rollout 0: " + string(lineagetest.TwinID) + ` became one with it, similarity 0.9911, utility 0.3750 -> 0.4375
step 5, end: retired, worth least by oldest in a library above its capacity: utility 0.4375, count 4, selected 1
`
	short := string(d)[len("skill-"):][:6]
	for _, tt := range []struct {
		begin string
		step  int
		want  string
	}{
		{string(d), 5, whole},
		{"skill-" + short, 5, whole},
		{short, 5, whole},
		{short, 3, head + "now       utility 0.3750, count 3, selected 1\n" + began},
	} {
		until, err := l.At(tt.step)
		if err != nil {
			t.Fatal(err)
		}
		story, err := until.Life(t.Context(), tt.begin)
		if err != nil {
			t.Errorf("%s: %v", tt.begin, err)
			continue
		}
		var b strings.Builder
		if err := story.Print(&b); err != nil || b.String() != tt.want {
			t.Errorf("%s at step %d: got\n%s, %v\nwant\n%s", tt.begin, tt.step, &b, err, tt.want)
		}
	}
	// Of one that merged at birth nothing is in any library.
	story, err := l.Life(t.Context(), string(lineagetest.TwinID))
	if err != nil || story.Into != d || len(story.Events) != 1 {
		t.Errorf("the twin: %+v, %v", story, err)
	}
	if story, err = l.Life(t.Context(), string(f)); err != nil || story.Gone || len(story.Events) != 1 || story.Events[0].Step != 3 {
		t.Errorf("F: %+v, %v", story, err)
	}
}

// TestLifeRefuses: no skill, several, and what is no id.
func TestLifeRefuses(t *testing.T) {
	store := mem.New()
	rules := skills.Rules{Merge: skills.MergeNone}
	l, err := skills.New(rules, 2)
	if err != nil {
		t.Fatal(err)
	}
	var episodes []skills.Episode
	begin := map[string][]string{} // ids by their first digit
	for i := range 40 {
		b := lineagetest.Birth(strings.Repeat("x", i+1), .5)
		episodes = append(episodes, skills.Episode{Place: skills.Place{Task: i}, Births: []skills.Birth{b}})
		id := string(skills.NewID(b.Episode, b.Source, b.Head, b.Strategy))
		begin[id[6:7]] = append(begin[id[6:7]], id)
	}
	c, err := l.Next(episodes)
	if err != nil {
		t.Fatal(err)
	}
	first := lineagetest.StoreLibrary(t, store, l, nil, "")
	if l, err = l.Apply(c); err != nil {
		t.Fatal(err)
	}
	chain := opened(t, store, lineagetest.StoreLibrary(t, store, l, &c, first))
	for digit := range strings.SplitSeq("0123456789abcdef", "") {
		ids := begin[digit]
		story, err := chain.Life(t.Context(), digit)
		switch {
		case len(ids) == 0 && !errors.Is(err, skills.ErrUnknown),
			len(ids) == 1 && (err != nil || string(story.ID) != ids[0]),
			len(ids) > 1 && !errors.Is(err, lineage.ErrAmbiguous):
			t.Errorf("%s of %d: %v", digit, len(ids), err)
		case len(ids) > 1 && !strings.Contains(err.Error(), strings.Join(ids, ", ")):
			t.Errorf("%s: %v, want all of %v", digit, err, ids)
		}
	}
	for _, text := range []string{"", "skill-", "skill-0A", "D", "0123456789abcdef0"} {
		if _, err := chain.Life(t.Context(), text); err == nil || !strings.Contains(err.Error(), "expected a skill's id or its beginning") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestRebuild: every step's library, from the first and the changes, is the one that is stored.
func TestRebuild(t *testing.T) {
	store := mem.New()
	all := lineagetest.Libraries(t, store)
	l := opened(t, store, all[5])
	if l.Step() != 5 || l.Digest() != all[5] {
		t.Errorf("step %d, %s", l.Step(), l.Digest())
	}
	for step := range all {
		at, err := l.At(step)
		if err != nil || at.Digest() != all[step] {
			t.Fatalf("step %d: %v", step, err)
		}
		rebuilt, err := at.Rebuild(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stored, err := at.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err1 := rebuilt.Encode()
		want, err2 := stored.Encode()
		if err := errors.Join(err1, err2); err != nil || string(got.Skills) != string(want.Skills) || string(got.Vectors) != string(want.Vectors) {
			t.Errorf("step %d: rebuilt it is another, %v", step, err)
		}
	}
	for _, step := range []int{-1, 6} {
		if _, err := l.At(step); err == nil || !strings.Contains(err.Error(), "expected 0 to 5") {
			t.Errorf("step %d: error %v", step, err)
		}
	}
}

// TestBrokenLibraries: what is no library, and every break of a chain, names the digest where it is.
func TestBrokenLibraries(t *testing.T) {
	store := mem.New()
	all := lineagetest.Libraries(t, store)
	refused := func(what string, err error, words ...string) {
		t.Helper()
		for _, word := range words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %v, want %q in it", what, err, word)
			}
		}
	}
	open := func(d artifacts.Digest) error {
		_, err := lineage.OpenLibraries(t.Context(), store, d)
		return err
	}
	games := lineagetest.Store(t, store, artifacts.KindGames, nil, map[string][]byte{"games.json": []byte("[]")})
	refused("a game list", open(games), "artifact "+string(games)+" is of kind games, expected a skill library")
	refused("nothing", open(lineagetest.Source), string(lineagetest.Source), "not found")

	restore := store.LoseBlob(all[2])
	err := open(all[5])
	refused("a lost snapshot", err, "library "+string(all[2])+", which "+string(all[3])+" names as the one before it", "not found")
	if !errors.Is(err, lineage.ErrBroken) {
		t.Errorf("a lost snapshot: %v", err)
	}
	restore()

	m, err := artifacts.GetManifest(t.Context(), store, all[3])
	if err != nil {
		t.Fatal(err)
	}
	stored := func(change func(*artifacts.Manifest)) artifacts.Digest {
		t.Helper()
		other := *m
		other.Inputs = append([]artifacts.Input{}, m.Inputs...)
		other.Outputs = append([]artifacts.Output{}, m.Outputs...)
		change(&other)
		d, err := artifacts.PutManifest(t.Context(), store, other)
		if err != nil {
			t.Fatal(err)
		}
		return d.Digest
	}
	drop := func(name string) func(*artifacts.Manifest) {
		return func(m *artifacts.Manifest) {
			var rest []artifacts.Output
			for _, out := range m.Outputs {
				if out.Name != name {
					rest = append(rest, out)
				}
			}
			m.Outputs = rest
		}
	}
	for _, tt := range []struct {
		what   string
		change func(*artifacts.Manifest)
		word   string
	}{
		{"no skills", drop(skills.SkillsName), "it has no skills.jsonl"},
		{"no changes", drop(skills.ChangesName), "it names a library before it and lacks changes.jsonl or born.npy"},
		{"no vectors of births", drop(skills.BornName), "lacks changes.jsonl or born.npy"},
		{"nothing before it", func(m *artifacts.Manifest) { m.Inputs = []artifacts.Input{} }, "it has changes.jsonl and names no library before it"},
		{"two before it", func(m *artifacts.Manifest) {
			m.Inputs = append(m.Inputs, artifacts.Input{Role: "library", Digest: all[1]})
		}, "two libraries before it"},
		{"games before it", func(m *artifacts.Manifest) { m.Inputs[0].Digest = games }, string(games)},
	} {
		d := stored(tt.change)
		err := open(d)
		refused(tt.what, err, string(d), tt.word)
		if !errors.Is(err, lineage.ErrBroken) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}

	// The manifests hang together here, and the changes do not.
	for what, before := range map[string]artifacts.Digest{"a step is left out": all[1], "a step is there twice": all[3]} {
		d := stored(func(m *artifacts.Manifest) { m.Inputs[0].Digest = before })
		l := opened(t, store, d)
		for _, try := range []func() error{
			func() error { _, err := l.Rebuild(t.Context()); return err },
			func() error { _, err := l.Life(t.Context(), string(lineagetest.ID("D"))); return err },
			func() error { _, err := l.Last(t.Context()); return err },
		} {
			err := try()
			refused(what, err, string(d))
			if !errors.Is(err, lineage.ErrBroken) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}

	// A snapshot that its changes do not make.
	d := stored(func(m *artifacts.Manifest) {
		other, err := artifacts.GetManifest(t.Context(), store, all[4])
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Outputs {
			if m.Outputs[i].Name == skills.SkillsName {
				m.Outputs[i] = other.Outputs[i]
			}
		}
	})
	_, err = opened(t, store, d).Rebuild(t.Context())
	refused("another snapshot", err, string(d))

	for i := range 3 {
		lost := m.Outputs[i]
		if lost.Name == skills.SkillsName {
			continue // Life and Rebuild know it by its digest
		}
		restore := store.LoseBlob(lost.Digest)
		_, err := opened(t, store, all[3]).Rebuild(t.Context())
		refused("no "+lost.Name, err, "changes of library "+string(all[3]), "not found")
		restore()
	}
}
