package credit_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/internal/outside"
)

func TestRatio(t *testing.T) {
	for name, c := range map[string]struct {
		a, b     string
		autojunk bool
		want     float64
	}{
		"empty":             {"", "", true, 1},
		"one empty":         {"", "abc", true, 0},
		"equal":             {"take mug 1", "take mug 1", true, 1},
		"a block inside":    {"abcd", "bcde", true, 0.75},
		"two blocks":        {"private Thread currentThread;", "private volatile Thread currentThread;", true, 58.0 / 67},
		"not symmetric":     {"tide", "diet", true, 0.25},
		"the other way":     {"diet", "tide", true, 0.5},
		"characters, bytes": {"äöü", "äxü", true, 4.0 / 6},
		// 199 characters are looked at, 200 of one kind are too popular to begin a block.
		"nothing popular": {"b" + strings.Repeat("a", 199), strings.Repeat("a", 199), true, 398.0 / 399},
		"all popular":     {"b" + strings.Repeat("a", 200), strings.Repeat("a", 200), true, 0},
		"or not":          {"b" + strings.Repeat("a", 200), strings.Repeat("a", 200), false, 400.0 / 401},
	} {
		if got := credit.Ratio(c.a, c.b, c.autojunk); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestRatioPython: Python's difflib finds the same ratios, bit for bit, and groups states alike.
func TestRatioPython(t *testing.T) {
	python := outside.NewPython(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var pairs [][2]string
	for i := range 300 {
		letters := []rune("abcdefgh ijklmno\npqrstuvwxyzäß漢字0123456789")[:2+rng.IntN(40)]
		a := make([]rune, rng.IntN(20+10*(i%40)))
		for k := range a {
			a[k] = letters[rng.IntN(len(letters))]
		}
		b := append([]rune{}, a...)
		for range rng.IntN(12) { // edits
			if at := rng.IntN(len(b) + 1); at < len(b) && rng.IntN(2) == 0 {
				b = append(b[:at], b[min(len(b), at+1+rng.IntN(9)):]...)
			} else {
				b = append(b[:at], append([]rune{letters[rng.IntN(len(letters))]}, b[at:]...)...)
			}
		}
		pairs = append(pairs, [2]string{string(a), string(b)})
	}
	const room = "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a bed 1, "
	for i := range 12 {
		pairs = append(pairs, [2]string{page(rng, 20, i), page(rng, 20, i+1)}, [2]string{fmt.Sprint(room, "a drawer ", i), fmt.Sprint(room, "a drawer ", i+1)})
	}
	data, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pairs.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var ratios [][2]float64
	python.Read(t, &ratios, "difflib_ratio.py", path)
	differ := 0
	for i, p := range pairs {
		got := [2]float64{credit.Ratio(p[0], p[1], true), credit.Ratio(p[0], p[1], false)}
		if got != ratios[i] {
			t.Errorf("%q and %q: %v, Python %v", p[0], p[1], got, ratios[i])
		}
		if got[0] != got[1] {
			differ++
		}
		// A threshold at the ratio itself, and just above it.
		for _, least := range []float64{got[0], got[0] + 1e-9} {
			if least <= 0 || least > 1 {
				continue
			}
			groups := credit.Anchors([]credit.Episode{lost(at(p[1]), at(p[0]))}, func(credit.Phase) bool { return true }, least)
			if one := len(groups) == 1; one != (got[0] >= least) {
				t.Errorf("%q and %q at %v: %v, ratio %v", p[0], p[1], least, groups, got[0])
			}
		}
	}
	if differ < 20 {
		t.Errorf("autojunk changed %d ratios: too few to be compared", differ)
	}
}

// page is a text like a shop's page.
func page(rng *rand.Rand, lines, n int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "[B%07d] product number %d of the %d we sell, %d.99 dollars\n", rng.IntN(40), i, n, i+n%3)
	}
	return b.String()
}

func TestAnchors(t *testing.T) {
	all := func(credit.Phase) bool { return true }
	a, b := "abcdefghijklmnopqrst", "abcdefghijklmnopqrsX" // ratio .95
	c := "abcdefghijklmnopqrYX"                            // .9 to a, .95 to b
	long := strings.Repeat("ab", 150)                      // 0 to "c" and it, where no character begins a block; .998 without autojunk
	for name, v := range map[string]struct {
		episodes   []credit.Episode
		similarity float64
		want       [][]credit.Place
	}{
		"none":      {nil, 0, nil},
		"identical": {[]credit.Episode{lost(at(a), at(b)), lost(at(b), at(a), at(a))}, 0, [][]credit.Place{{{0, 0}, {1, 1}, {1, 2}}, {{0, 1}, {1, 0}}}},
		"phases apart": {
			[]credit.Episode{lost(credit.Sample{Phase: credit.Query, Anchor: a}, at(a)), lost(credit.Sample{Phase: credit.Query, Anchor: a})},
			0,
			[][]credit.Place{{{0, 0}, {1, 0}}, {{0, 1}}},
		},
		"similar to the first": {[]credit.Episode{lost(at(a), at(b), at(c))}, 0.95, [][]credit.Place{{{0, 0}, {0, 1}}, {{0, 2}}}},
		"in another order":     {[]credit.Episode{lost(at(b), at(a), at(c))}, 0.95, [][]credit.Place{{{0, 0}, {0, 1}, {0, 2}}}},
		"the first that fits":  {[]credit.Episode{lost(at(a), at(c), at(b))}, 0.95, [][]credit.Place{{{0, 0}, {0, 2}}, {{0, 1}}}},
		"similar phases apart": {[]credit.Episode{lost(credit.Sample{Phase: credit.Query, Anchor: a}, at(b))}, 0.95, [][]credit.Place{{{0, 0}}, {{0, 1}}}},
		"popular characters":   {[]credit.Episode{lost(at(long), at("c"+long))}, 0.95, [][]credit.Place{{{0, 0}}, {{0, 1}}}},
		"empty texts":          {[]credit.Episode{lost(at(""), at(""), at(a))}, 0.95, [][]credit.Place{{{0, 0}, {0, 1}}, {{0, 2}}}},
	} {
		if got := credit.Anchors(v.episodes, all, v.similarity); !reflect.DeepEqual(got, v.want) {
			t.Errorf("%s: %v, want %v", name, got, v.want)
		}
	}
}
