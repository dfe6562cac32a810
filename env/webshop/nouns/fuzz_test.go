package nouns_test

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/env/webshop/nouns"
)

// FuzzParse: a table is refused with the file's name, or has lists of words in lower case.
func FuzzParse(f *testing.F) {
	for _, text := range []string{small, `{"A": "lamp"}`, `{"A": [null]}`, `{"A": ["Lamp"]}`, `{"A": [], "A": []}`, `{"\u0041": ["\ud800"]}`, `{`, `[]`, `{"": []}`} {
		f.Add([]byte(text), "A")
	}
	f.Fuzz(func(t *testing.T, data []byte, asin string) {
		table, err := nouns.Parse("f.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.json: ") {
				t.Errorf("got %v, want the file's name", err)
			}
			return
		}
		if table.Len() == 0 {
			t.Errorf("an empty table")
		}
		got, _ := table.Nouns(asin, "")
		for _, n := range got.List {
			if n == "" || python.Lower(n) != n {
				t.Errorf("%q: noun %q", asin, n)
			}
		}
	})
}

// FuzzGuess: whatever a title, its tokens are all of it but white space, and its nouns are among them.
func FuzzGuess(f *testing.F) {
	for _, title := range []string{"Men's Toe-Box Shoes, Wine red,40", "(Pack of 2) 3.5oz", "'s !?", "a\xffb \xff", "İ灯-灯", "–-–", "5'2\"x7'4\""} {
		f.Add(title)
	}
	table, err := nouns.Parse("small.json", []byte(small))
	if err != nil {
		f.Fatal(err)
	}
	guess, err := nouns.NewGuess(table, maps.All(map[string]string{"A": "Shoes for Toe Shoes", "B": "A 2-Way USB Lamp"}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, title string) {
		tokens := nouns.Tokens(title)
		if got, want := strings.Join(tokens, ""), strings.Join(strings.Fields(title), ""); got != want {
			t.Errorf("%q: tokens of %q, want %q", title, got, want)
		}
		left := map[string]int{}
		for _, token := range tokens {
			left[python.Lower(token)]++
		}
		got, err := guess.Nouns("none", title)
		if err != nil || got.Guessed != (title != "") {
			t.Errorf("%q: got %+v, %v", title, got, err)
		}
		for _, n := range got.List {
			if left[n]--; left[n] < 0 || n == "" || utf8.ValidString(title) && !utf8.ValidString(n) {
				t.Errorf("%q: noun %q is no token", title, n)
			}
		}
	})
}

// BenchmarkGuess guesses the nouns of the 1,000 titles.
func BenchmarkGuess(b *testing.B) {
	items, table := titles(b)
	guess := learn(b, table, items)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := guess.Nouns("none", items[i%len(items)].Title); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLearn learns from the 1,000 titles.
func BenchmarkLearn(b *testing.B) {
	items, table := titles(b)
	b.ReportAllocs()
	for b.Loop() {
		learn(b, table, items)
	}
}
