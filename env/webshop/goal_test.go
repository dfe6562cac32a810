package webshop_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/internal/outside"
)

// goalFile is one of the files of recorded goals.
type goalFile struct {
	Seed     int64              `json:"seed"`
	Human    bool               `json:"human_goals"`
	Count    int                `json:"count"`
	Prices   map[string]float64 `json:"range_prices"`
	Goals    [][]any            `json:"goals"`
	Sessions []struct {
		Session     string `json:"session"`
		Instruction string `json:"instruction"`
	} `json:"unnumbered_sessions"`
}

// goalFiles reads all of them.
func goalFiles(t *testing.T) []goalFile {
	t.Helper()
	var list []goalFile
	for _, seed := range []int{0, 233, 1000} {
		for _, kind := range []string{"synthetic", "human"} {
			f, err := os.Open(outside.Shared(t, "webshop-golden", "goals", fmt.Sprintf("seed%d_%s.json.gz", seed, kind)))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close() // only read
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			var g goalFile
			if err := json.NewDecoder(z).Decode(&g); err != nil {
				t.Fatal(err)
			}
			list = append(list, g)
		}
	}
	return list
}

// wanted is a goal's options as the files have them: a map, or a list.
func wanted(g *webshop.Goal) string {
	names, values := map[string]string{}, []string{}
	for _, c := range g.Options {
		names[c.Name] = c.Value
		values = append(values, c.Value)
	}
	if g.Human {
		return fmt.Sprint(values)
	}
	return fmt.Sprint(names)
}

// TestGoals: all goals in order with their bounds and weights, all drawn prices and the first random sessions, of three
// seeds and both kinds.
func TestGoals(t *testing.T) {
	shops := newShops(t)
	for _, f := range goalFiles(t) {
		s := shops.shop(t, webshop.Config{Seed: f.Seed, Human: f.Human})
		if s.Goals() != f.Count || len(f.Goals) != f.Count {
			t.Fatalf("seed %d, human %v: %d goals, want %d", f.Seed, f.Human, s.Goals(), f.Count)
		}
		for i, want := range f.Goals {
			g := s.Goal(i)
			got := []any{g.ASIN, g.Text, g.PriceUpper, wanted(g), g.Weight}
			want[3] = fmt.Sprint(want[3])
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, human %v, goal %d: %v, want %v", f.Seed, f.Human, i, got, want)
			}
		}
		for _, asin := range slices.Sorted(maps.Keys(f.Prices)) {
			if got, ok := s.Price(asin); !ok || got != f.Prices[asin] {
				t.Errorf("seed %d, human %v: %s costs %v, want %v", f.Seed, f.Human, asin, got, f.Prices[asin])
			}
		}
		b := s.Browser()
		for i, want := range f.Sessions {
			if i > 0 {
				b.ResetRandom()
			}
			_, text, _ := strings.Cut(b.Page().Text(), " [SEP] ")
			text = strings.TrimSuffix(text, " [SEP] Search")
			if got := strings.Replace(text, "Instruction: [SEP] ", "Instruction: ", 1); b.Session() != want.Session || got != want.Instruction {
				t.Errorf("seed %d, human %v, random session %d: %s with %q, want %s with %q", f.Seed, f.Human, i, b.Session(), got, want.Session, want.Instruction)
			}
		}
		if len(f.Sessions) != 12 {
			t.Errorf("%d random sessions recorded, want 12", len(f.Sessions))
		}
		if _, ok := s.Price("none"); ok || len(f.Prices) != 93 {
			t.Errorf("%d prices drawn, and one of no product: %v", len(f.Prices), ok)
		}
	}
}

// TestBadShop: shops that cannot be.
func TestBadShop(t *testing.T) {
	plain, err := read("["+entry()+"]", `{}`, "")
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Repeat(`{"value": "x"},`, 300) + `{"value": "y"}`
	huge, err := read("["+entry(`"Color": null`, `"a": [`+values+`], "b": [`+values+`], "c": [`+values+`], "d": [`+values+`]`)+"]",
		`{"B01": {"instruction": "x", "instruction_attributes": ["a"]}}`, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cfg  webshop.Config
		want string
	}{
		{webshop.Config{}, "expected a catalogue"},
		{webshop.Config{Catalogue: plain, Searcher: inTitle{plain}, Judge: right{}}, "no instruction of the kind"},
		{webshop.Config{Catalogue: huge, Searcher: inTitle{plain}, Judge: right{}}, `product "B01": its options bring the catalogue over 33554432 goals`},
	} {
		if _, err := webshop.New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
