package nouns_test

import (
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/internal/outside"
)

// item is a product, as far as its kind goes.
type item struct {
	ASIN  string `json:"asin"`
	Title string `json:"name"`
	Query string `json:"query"`
	Path  string `json:"product_category"`
}

// titles reads the 1,000 products and their nouns.
func titles(t testing.TB) ([]item, *nouns.Table) {
	t.Helper()
	data, err := os.ReadFile(outside.Shared(t, "webshop-golden", "data", "items_shuffle_1000.json"))
	if err != nil {
		t.Fatal(err)
	}
	var items []item
	if err := json.Unmarshal(data, &items); err != nil {
		t.Fatal(err)
	}
	table, err := nouns.Load(outside.Shared(t, "webshop-golden", "data", "title_nouns.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 1000 || table.Len() != 1000 {
		t.Fatalf("%d products, nouns of %d, want 1000", len(items), table.Len())
	}
	return items, table
}

func learn(t testing.TB, table *nouns.Table, items []item) *nouns.Guess {
	t.Helper()
	guess, err := nouns.NewGuess(table, byASIN(items))
	if err != nil {
		t.Fatal(err)
	}
	return guess
}

func byASIN(items []item) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, i := range items {
			if !yield(i.ASIN, i.Title) {
				return
			}
		}
	}
}

const small = `{
"A": ["shoes", "toe", "shoes"],
"B": ["lamp", "usb"],
"C": []
}`

func TestTable(t *testing.T) {
	table, err := nouns.Parse("small.json", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		asin, title string
		want        []string
	}{{"A", "any", []string{"shoes", "toe", "shoes"}}, {"C", "any", nil}, {"D", "", nil}} {
		if got, err := table.Nouns(c.asin, c.title); err != nil || got.Guessed || !slices.Equal(got.List, c.want) {
			t.Errorf("%s: got %+v, %v, want %q", c.asin, got, err, c.want)
		}
	}
	if _, err := table.Nouns("D", "Lamp"); !errors.Is(err, nouns.ErrUnknown) || !strings.Contains(err.Error(), `"D"`) {
		t.Errorf("got %v, want %v with the product", err, nouns.ErrUnknown)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a list":         {`["lamp"]`, "f.json: expected a JSON object"},
		"no product":     {`{}`, "f.json: no product, expected at least one"},
		"no asin":        {`{"": []}`, "f.json: a product without asin, expected a name"},
		"twice":          {`{"A": [], "A": []}`, `f.json: "A" stands twice`},
		"a word":         {`{"A": "lamp"}`, `f.json: "A": `},
		"null":           {`{"A": null}`, `f.json: "A": `},
		"a number":       {`{"A": ["lamp", 2]}`, `f.json: "A": `},
		"an empty word":  {`{"A": ["lamp", ""]}`, `f.json: "A": noun 2 is "", expected a word in lower case of up to 200 bytes`},
		"a capital":      {`{"A": ["Lamp"]}`, `f.json: "A": noun 1 is "Lamp", expected a word in lower case`},
		"a long word":    {`{"A": ["` + strings.Repeat("a", 201) + `"]}`, `f.json: "A": noun 1 is "aaaa`},
		"too many words": {`{"A": ["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, `f.json: "A": ["a","a","a","a","a"… with 1001 nouns, expected a list of up to 1000`},
		"cut":            {`{"A": [`, "f.json: unexpected end of JSON"},
		"not UTF-8":      {"{\"A\": [\"\xff\"]}", "f.json: not UTF-8"},
	} {
		if got, err := nouns.Parse("f.json", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want an error with %q", name, got, err, c.want)
		}
	}
	missing := filepath.Join(t.TempDir(), "none.json")
	if _, err := nouns.Load(missing); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("no file: got %v", err)
	}
}

func TestTokens(t *testing.T) {
	for title, want := range map[string]string{
		"":                                 "",
		"Men's Toe-Box Shoes, Wine red,40": "Men 's Toe - Box Shoes , Wine red,40",
		"(Pack of 2) 3.5oz/100ml":          "( Pack of 2 ) 3.5oz/100ml",
		"12oz Lamp 5'2\"x7'4\"":            "12 oz Lamp 5'2\"x7'4 \"",
		"50ft. HDMI/USB -3 2*4":            "50 ft . HDMI / USB -3 2 * 4",
		"★★ A ™":                           "★ ★ A ™",
		"'s !?' 's":                        "' s ! ? ' ' s",
		"game(U.S. a\xffb \xff":            "game(U.S . a\xffb \xff",
		"灯-灯 w/ 1,000":                     "灯 - 灯 w/ 1,000",
	} {
		if got := strings.Join(nouns.Tokens(title), " "); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

// TestGuess: titles of the table are the table's, others are guessed and say so.
func TestGuess(t *testing.T) {
	items, table := titles(t)
	guess := learn(t, table, items)
	for _, i := range items {
		got, err := guess.Nouns(i.ASIN, i.Title)
		want, _ := table.Nouns(i.ASIN, i.Title)
		if err != nil || got.Guessed || !slices.Equal(got.List, want.List) {
			t.Fatalf("%s: got %+v, %v, want %q", i.ASIN, got, err, want.List)
		}
	}
	got, err := guess.Nouns("none", "The Soft Blue Lamp for Women with 2 Zorbs")
	if want := []string{"soft", "blue", "lamp", "women", "zorbs"}; err != nil || !got.Guessed || !slices.Equal(got.List, want) {
		t.Errorf("got %+v, %v, want %q, guessed", got, err, want)
	}
	if got, err := guess.Nouns("none", ""); err != nil || got.Guessed || len(got.List) != 0 {
		t.Errorf("no title: got %+v, %v", got, err)
	}
	slices.Reverse(items)
	other := learn(t, table, items)
	for _, i := range items {
		a, _ := guess.Nouns("none", i.Title)
		b, _ := other.Nouns("none", i.Title)
		if !slices.Equal(a.List, b.List) {
			t.Fatalf("%s: learnt in another order, got %q, want %q", i.ASIN, b.List, a.List)
		}
	}
	if _, err := nouns.NewGuess(table, byASIN([]item{{ASIN: "none", Title: "Lamp"}})); err == nil || !strings.Contains(err.Error(), "none of the table's 1000 products") {
		t.Errorf("nothing to learn from: got %v", err)
	}
}
