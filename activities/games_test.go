package activities_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

func TestStoreGamesRefusesTwice(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := train(t)[:2]
	_, err := activities.StoreGames(t.Context(), w.Store, seq(append(games, games[0])), func(string) {})
	if err == nil || !strings.Contains(err.Error(), games[0].ID+" stands in it twice") {
		t.Errorf("got %v, want an error that names %s", err, games[0].ID)
	}
}

// TestStoreGamesOrder: a list does not depend on the order in which games come.
func TestStoreGamesOrder(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := homes(t)
	want := w.list(t, games)
	slices.Reverse(games)
	if got := w.list(t, games); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// drawn selects a panel and returns its games.
func (w *world) drawn(t *testing.T, games artifacts.Digest, p activities.Panel) (activities.GamesResult, []string) {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	res := must[activities.GamesResult](t, w, do.SelectPanel, activities.PanelInput{Key: key(string(games) + string(raw)), Games: games, Panel: p})
	list, err := activities.ReadGameList(t.Context(), w.Store, res.Digest)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, g := range list {
		ids = append(ids, g.ID)
	}
	return res, ids
}

func TestSelectPanel(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	all := homes(t)
	games := w.list(t, all)
	p := activities.Panel{Name: "p", Splits: []string{"train"}, PerFamily: 1, Seed: 1}
	res, ids := w.drawn(t, games, p)
	if res.Games != 6 || len(ids) != 6 || !slices.IsSorted(ids) {
		t.Errorf("got %d games, %v, want one of each family, sorted", res.Games, ids)
	}
	t.Run("other games change nothing", func(t *testing.T) {
		others := slices.DeleteFunc(slices.Clone(all), func(g activities.GameFile) bool { return g.Split == "valid_seen" })
		slices.Reverse(others)
		if _, got := w.drawn(t, w.list(t, others), p); !slices.Equal(got, ids) {
			t.Errorf("got %v, want %v", got, ids)
		}
	})
	t.Run("another seed", func(t *testing.T) {
		differ := false
		for seed := range uint64(5) {
			p := p
			p.Seed = 2 + seed
			_, got := w.drawn(t, games, p)
			differ = differ || !slices.Equal(got, ids)
		}
		if !differ {
			t.Error("five other seeds draw the same games")
		}
	})
	t.Run("families and splits", func(t *testing.T) {
		family := all[0].Family
		_, got := w.drawn(t, games, activities.Panel{Name: "p", Splits: []string{"valid_unseen", "valid_seen"}, Families: []string{family}})
		var want []string
		for _, g := range all {
			if g.Family == family && g.Split != "train" {
				want = append(want, g.ID)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("none", func(t *testing.T) {
		_, err := call[activities.GamesResult](w, do.SelectPanel, activities.PanelInput{
			Key: key("none"), Games: games, Panel: activities.Panel{Name: "empty", Splits: []string{"test"}},
		})
		final(t, err, activities.ErrTypeBadInput, "panel empty", "[test]", games.Short())
	})
	t.Run("same stage, other games", func(t *testing.T) {
		in := activities.PanelInput{Key: key("conflict"), Games: games, Panel: p}
		must[activities.GamesResult](t, w, do.SelectPanel, in)
		must[activities.GamesResult](t, w, do.SelectPanel, in)
		in.Panel.PerFamily = 2
		_, err := call[activities.GamesResult](w, do.SelectPanel, in)
		final(t, err, activities.ErrTypeConflict, "publish games", "already points at another digest")
	})
}
