package fuzzy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

func recorded(t testing.TB) []golden.At[golden.Score] {
	t.Helper()
	list, err := golden.Folder(outside.Shared(t, "webshop-golden")).Scores()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// words reads the wanted side: a text, or a pair.
func words(w golden.Wanted) Words {
	if len(w) == 1 {
		return New(w[0])
	}
	return Pair(w[0], w[1])
}

// TestShortCuts compares every recorded text with every other, in the plain way and in ours.
func TestShortCuts(t *testing.T) {
	list := recorded(t)
	step := 1
	if testing.Short() {
		step = 7
	}
	pairs, above := 0, 0
	for i := 0; i < len(list); i += step {
		bought := New(list[i].Value.Purchased)
		for j := i % 5; j < len(list); j += 5 {
			wanted := words(list[j].Value.Goal)
			want := plain(bought, wanted)
			if got := Score(bought, wanted); got != want {
				t.Fatalf("%v with %v: got %d, want %d", bought, wanted, got, want)
			}
			for _, limit := range []int{0, 40, 85, 100} {
				if got := Above(bought, wanted, limit); got != (want > limit) {
					t.Fatalf("%v with %v, %d: above %d is %v", bought, wanted, want, limit, got)
				}
			}
			pairs++
			if want > 85 {
				above++
			}
		}
	}
	if above < pairs/500 {
		t.Errorf("%d of %d pairs are above 85: too few to test with", above, pairs)
	}
}

// TestScore: texts of kinds that the recorded ones are not. From thefuzz 0.19.0 without python-Levenshtein:
// thefuzz.fuzz.token_set_ratio(bought, wanted), where a pair is a tuple.
func TestScore(t *testing.T) {
	for name, tt := range map[string]struct {
		bought string
		wanted Words
		want   int
	}{
		"nothing":                    {"", New("red"), 0},
		"nothing wanted":             {"red", New(""), 0},
		"signs only":                 {"!?", New("!?"), 0},
		"case and signs":             {"Heavy-DUTY!", New("duty heavy"), 100},
		"a subset":                   {"red", New("dark red wine"), 100},
		"taken out, not parted":      {"cafélatte", New("caflatte"), 100},
		"only what is taken out":     {"é×", New("é×"), 0},
		"letters that are kept":      {"Ωμέγα", New("ωμέγα"), 100},
		"capital I with a dot":       {"İpek", New("i\u0307pek"), 80},
		"sigma at the end":           {"ΟΔΟΣ", New("οδος"), 100},
		"ideographs":                 {"红色 大", New("红色 小"), 75},
		"underscore":                 {"a_b", New("a b"), 67},
		"superscript, taken out":     {"m2", New("m²"), 67},
		"other numbers":              {"⅔ Ⅷ", New("Ⅷ"), 100},
		"letter newer than Python":   {"x\U00011f04y", New("x y"), 100},
		"pair":                       {"large", Pair("size", "large"), 100},
		"name of a pair":             {"size", Pair("size", "large"), 100},
		"pair with both quotes":      {"it s 16", Pair("size", `it's 16"`), 100},
		"pair with a no-break space": {"winexa0red", Pair("color", "wine\u00a0red"), 74},
		"pair with a line end":       {"ared", Pair("color", "a\nred"), 50},
		"pair with newer letter":     {"u00011f04", Pair("color", "\U00011f04"), 100},
		"12.5 to the even":           {"abcdefgh", New("zyxwvuta"), 12},
		"37.5 to the even":           {"abcdefgh", New("abczyxwv"), 38},
		"62.5 to the even":           {"abcdefgh", New("abcdezyx"), 62},
		"order":                      {"tide", New("diet"), 25},
		"order, exchanged":           {"diet", New("tide"), 50},
		"long":                       {numbered(1, ""), New(numbered(7, "")), 64},
		"long, one among the other":  {numbered(1, ""), New(numbered(1, " zz")), 100},
		"long, both begin alike":     {numbered(1, " yy"), New(numbered(1, " zz xx")), 99},
		"no UTF-8":                   {"red\xff", New("\xffred"), 100},
		"no UTF-8, parted":           {"a\xffb", New("a"), 100},
	} {
		if got := Score(New(tt.bought), tt.wanted); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

// numbered is a text of more than 200 characters, from where on difflib passes over those that come often.
func numbered(factor int, end string) string {
	var words []string
	for i := range 55 {
		words = append(words, fmt.Sprintf("%c%d", 'a'+i%26, i*factor%53))
	}
	return strings.Join(words, " ") + end
}

// FuzzScore: any two texts have a score from 0 to 100, the one of the plain way, and one with themselves of 100.
func FuzzScore(f *testing.F) {
	for _, l := range []struct{ a, b, c string }{
		{"red", "dark red", "color"},
		{"", "!", "x"},
		{"it's", `16"`, "\u00a0"},
		{"tide", "diet", ""},
		{"\xff\u0130", "Σ²", "\U00011f04"},
		{numbered(1, ""), numbered(7, ""), "a\\b"},
		{strings.Repeat("ab ", 80), strings.Repeat("abba ", 60), "\n"},
	} {
		f.Add(l.a, l.b, l.c)
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		const long = 600 // characters; difflib takes its time over more
		if len(a) > long || len(b) > long || len(c) > long {
			return
		}
		bought := New(a)
		for _, wanted := range []Words{New(b), Pair(c, b), bought} {
			got := Score(bought, wanted)
			if want := plain(bought, wanted); got != want || got < 0 || got > 100 {
				t.Errorf("%q with %v: got %d, want %d", a, wanted, got, want)
			}
			for _, limit := range []int{-1, 85, 100} {
				if Above(bought, wanted, limit) != (got > limit) {
					t.Errorf("%q with %v: %d, above %d is %v", a, wanted, got, limit, got <= limit)
				}
			}
		}
		if got := Score(bought, bought); got != 100 && len(bought.list) > 0 {
			t.Errorf("%q with itself: got %d, want 100", a, got)
		}
	})
}

// pairs are the recorded texts, each with the wanted one of its line.
func pairs(b *testing.B) (bought, wanted []Words) {
	b.Helper()
	for _, l := range recorded(b) {
		bought, wanted = append(bought, New(l.Value.Purchased)), append(wanted, words(l.Value.Goal))
	}
	return bought, wanted
}

// BenchmarkScore scores the recorded pairs.
func BenchmarkScore(b *testing.B) {
	bought, wanted := pairs(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Score(bought[i%len(bought)], wanted[i%len(wanted)])
	}
}

// BenchmarkAbove asks of the recorded pairs what WebShop asks.
func BenchmarkAbove(b *testing.B) {
	bought, wanted := pairs(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Above(bought[i%len(bought)], wanted[i%len(wanted)], 85)
	}
}

// BenchmarkPlain scores the recorded pairs without short cuts.
func BenchmarkPlain(b *testing.B) {
	bought, wanted := pairs(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		plain(bought[i%len(bought)], wanted[i%len(wanted)])
	}
}

// BenchmarkNew reads texts of the recorded pairs.
func BenchmarkNew(b *testing.B) {
	list := recorded(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		New(list[i%len(list)].Value.Purchased)
	}
}
