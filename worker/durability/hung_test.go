package durability_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/hints"
)

const hungSpec = "testdata/hung.yaml"

// TestHungGames: of 3,553 games 15 hang and do not even look at the clock. The run goes on without them and lists each with
// its attempts and the reason. Later, when they answer, hone retry plays these alone: its dataset has all games, the records
// of the others byte for byte, the old one is what it was, and the lineage of the new one leads to the old.
func TestHungGames(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	out := p.mustHone("run", "--until", "games", hungSpec)
	run, _, _ := strings.Cut(strings.TrimPrefix(out[strings.Index(out, "run "):], "run "), "\n")
	store := p.store()
	d, err := store.Resolve(t.Context(), activities.RunName(run, "games"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := activities.ReadGameList(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	var train, hung []string
	for _, g := range list {
		if g.Split == "train" {
			train = append(train, g.ID)
		}
	}
	if len(train) != 3553 {
		t.Fatalf("%d games to train on, want 3,553", len(train))
	}
	for i := range 15 {
		hung = append(hung, train[i*236])
	}
	slices.Sort(hung)
	file := filepath.Join(p.faults, "hung")
	if err := os.WriteFile(file, []byte(strings.Join(hung, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.mustHone("run", "--until", "hints", hungSpec)
	old := p.dataset(run, "hints")
	if len(old.excluded) != len(hung) || old.games() != 3553-15 {
		t.Errorf("%d games have records and %d have none, want 3,538 and 15", old.games(), len(old.excluded))
	}
	for i, e := range old.excluded {
		want := hints.Excluded{Game: hung[i], Kind: hints.ExcludedByClock, Attempts: 2, Reason: "the wall-clock net of the game ended"}
		if e != want {
			t.Errorf("got %+v, want %+v", e, want)
		}
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p.mustHone("retry", run)
	made := p.dataset(run, "hints-2")
	if len(made.excluded) != 0 || made.games() != 3553 {
		t.Errorf("after the retry %d games have records and %d have none, want all", made.games(), len(made.excluded))
	}
	if !bytes.Equal(made.without(hung), old.records) {
		t.Error("the records of the other games are not those of the old dataset")
	}
	if again := p.dataset(run, "hints"); again.digest != old.digest || !bytes.Equal(again.records, old.records) {
		t.Error("the old dataset has changed")
	}
	for _, c := range []struct{ from, flag, to string }{
		{string(made.digest), "", old.digest.Short()}, {string(old.digest), "--forward", made.digest.Short()},
	} {
		args := slices.DeleteFunc([]string{"lineage", c.from, c.flag}, func(arg string) bool { return arg == "" })
		if text := p.mustHone(args...); !strings.Contains(text, c.to) {
			t.Errorf("hone %s does not lead to %s:\n%s", strings.Join(args, " "), c.to, text)
		}
	}
	p.mustHone("down")
}

// dataset is a dataset of a run as its files say.
type dataset struct {
	digest   artifacts.Digest
	records  []byte
	excluded []hints.Excluded
}

func (p *place) dataset(run, stage string) dataset {
	p.t.Helper()
	store := p.store()
	d, err := store.Resolve(p.t.Context(), activities.RunName(run, stage))
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := artifacts.GetManifest(p.t.Context(), store, d)
	if err != nil {
		p.t.Fatal(err)
	}
	set := dataset{digest: d}
	for _, o := range m.Outputs {
		raw, err := artifacts.ReadAll(p.t.Context(), store, o.Digest, o.Size)
		if err != nil {
			p.t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(o.Name, hints.ExcludedSuffix):
			if set.excluded, err = hints.ReadExcluded(bytes.NewReader(raw)); err != nil {
				p.t.Fatal(err)
			}
		case strings.HasSuffix(o.Name, ".jsonl"):
			set.records = raw
		}
	}
	return set
}

// games counts those that have records.
func (d dataset) games() int {
	seen := map[string]bool{}
	for line := range bytes.Lines(d.records) {
		seen[gameOf(line)] = true
	}
	return len(seen)
}

// without are the records of all games but these.
func (d dataset) without(games []string) []byte {
	var rest []byte
	for line := range bytes.Lines(d.records) {
		if !slices.Contains(games, gameOf(line)) {
			rest = append(rest, line...)
		}
	}
	return rest
}

// gameOf is the game of a record.
func gameOf(line []byte) string {
	var r struct{ Game string }
	if err := json.Unmarshal(line, &r); err != nil {
		return ""
	}
	return r.Game
}
