package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
)

// TestVary: the new list holds the old one's games as they were and at most so many more of each of the split; it
// names the old list, and is the same every time.
func TestVary(t *testing.T) {
	store := mem.New()
	games := func(yield func(activities.GameFile, error) bool) {
		for i, g := range homes(t, 8) {
			split := "train"
			if i >= 6 {
				split = "valid_seen"
			}
			if !yield(activities.GameFile{ID: fmt.Sprintf("%s/%d", g.ID, i), Split: split, Family: g.Family, Data: g.Data}, nil) {
				return
			}
		}
		yield(activities.GameFile{ID: "train/broken/1", Split: "train", Family: "other", Data: []byte("{")}, nil)
	}
	base := stored(t, store, games)
	p := variationParameters{PerGame: 2, Seed: 5, Split: "train"}
	res, err := varyGames(t.Context(), store, base, p)
	if err != nil {
		t.Fatal(err)
	}
	old, now := gameList(t, store, base), gameList(t, store, res.Digest)
	if res.Of != 7 || res.Made != 12 || res.Without != 1 || res.Games != 21 || len(now) != 21 {
		t.Errorf("got %+v and a list of %d, want 12 games made of 6 of 7, and 9 that were there", res, len(now))
	}
	for _, g := range old {
		if !slices.Contains(now, g) {
			t.Errorf("%s is not in the new list", g.ID)
		}
	}
	for _, g := range now {
		if !slices.Contains(old, g) && (g.Split != "train" || !strings.HasSuffix(g.ID, "-v1") && !strings.HasSuffix(g.ID, "-v2")) {
			t.Errorf("made: %+v, want a game of the split with the number of the variant", g)
		}
	}
	m, err := artifacts.GetManifest(t.Context(), store, res.Digest)
	if err != nil {
		t.Fatal(err)
	}
	if want := (artifacts.Input{Role: "games", Digest: base}); !slices.Equal(m.Inputs, []artifacts.Input{want}) ||
		string(m.Parameters) != `{"perGame":2,"seed":5,"split":"train"}` {
		t.Errorf("got inputs %v and parameters %s", m.Inputs, m.Parameters)
	}
	if d, err := store.Resolve(t.Context(), activities.ListName(res.Digest)); err != nil || d != res.Digest {
		t.Errorf("its name: got %s, %v", d, err)
	}
	if again, err := varyGames(t.Context(), store, base, p); err != nil || *again != *res {
		t.Errorf("again: got %+v, %v, want %+v", again, err, res)
	}
	p.Seed++
	if other, err := varyGames(t.Context(), store, base, p); err != nil || other.Digest == res.Digest {
		t.Errorf("another seed: got %+v, %v", other, err)
	}
	text := output(t, res.print)
	want := fmt.Sprintf("     7  of the split\n    12  made of them\n     1  of the split whose room has nothing else to ask for, or whose goal is none to be exchanged\n"+
		"21 games stored: %s\n", res.Digest)
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	p.Split = "valid_unseen"
	if _, err := varyGames(t.Context(), store, base, p); err == nil || !strings.Contains(err.Error(), "--split valid_unseen") {
		t.Errorf("a split without games: got %v", err)
	}
}

func stored(t *testing.T, store artifacts.Store, games iter.Seq2[activities.GameFile, error]) artifacts.Digest {
	t.Helper()
	m, err := activities.StoreGames(t.Context(), store, games, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	m.SchemaVersion, m.MediaType, m.Producer = 1, artifacts.MediaTypeManifest, artifacts.Producer{Name: "hone", Version: "test"}
	d, err := artifacts.PutManifest(t.Context(), store, *m)
	if err != nil {
		t.Fatal(err)
	}
	return d.Digest
}

func gameList(t *testing.T, store artifacts.Store, d artifacts.Digest) []activities.ListedGame {
	t.Helper()
	list, err := activities.ReadGameList(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
