package webshop_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// inTitle finds the products whose titles have all words.
type inTitle struct{ *webshop.Catalogue }

func (s inTitle) Search(words string, most int) ([]string, error) {
	var list []string
	for i := range s.Len() {
		p, err := s.At(i)
		if err != nil {
			return nil, err
		}
		has := func(word string) bool { return strings.Contains(strings.ToLower(p.Title), word) }
		if !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return !has(w) }) && len(list) < most {
			list = append(list, p.ASIN)
		}
	}
	return list, nil
}

// right pays for the product and every option.
type right struct{}

func (right) Judge(g *webshop.Goal, bought *webshop.Product, options []webshop.Choice, price float64) (r reward.Reward, err error) {
	if bought.ASIN == g.ASIN && price <= g.PriceUpper {
		r.Total = float64(1+len(options)) / float64(1+len(g.Options))
	}
	return r, nil
}

// small is a shop of some products: 60 lamps, and things that are named so as to be in the way.
func small(t testing.TB) *webshop.Shop {
	t.Helper()
	var products []string
	for i := range 60 {
		products = append(products, entry("B01", "B01"+string(rune('A'+i/10))+string(rune('0'+i%10))))
	}
	products = append(products,
		entry("B01", "B02", "Red Lamp", "Odd table", `"Size": [`, `"A": [{"value": "Description"}, {"value": "x[y"}, {"value": "both"}, {"value": "next >"}, {"value": ""}], "B": [{"value": "both"}, {"value": "item_page"}], "Size": [`),
		entry("B01", "b03", "Red Lamp", "lower case", "garden", "fashion"),
		entry("B01", "B04", `"Red Lamp"`, `""`, `["red", "bright"]`, `["", "\n", "a\n", " \t"]`, `"A lamp."`, `" \n "`, "garden", "fashion"),
	)
	c, err := read("["+strings.Join(products, ",")+"]", `{"B02": {"instruction": "Find me a table", "instruction_attributes": ["easy"]}}`, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := webshop.New(webshop.Config{Catalogue: c, Searcher: inTitle{c}, Judge: right{}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func browse(t testing.TB, shop *webshop.Shop) *webshop.Browser {
	t.Helper()
	b, err := shop.Browser()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func goalOf(t testing.TB, shop *webshop.Shop, number int) *webshop.Goal {
	t.Helper()
	g, err := shop.Goal(number)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func say(t *testing.T, b *webshop.Browser, action string) webshop.Answer {
	t.Helper()
	answer, err := b.Step(action)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestOddities: what the original does where one might do otherwise.
func TestOddities(t *testing.T) {
	shop := small(t)
	for name, c := range map[string]struct {
		actions []string
		url     string // in the end
		rich    string // a part of the page
	}{
		"pages past the end are empty":    {[]string{"search[lamp]", "click[next >]", "click[next >]", "click[next >]", "click[next >]", "click[next >]"}, "/search_results/0/lamp/6", "results: 50)\n[button] < Prev [button_]\n[button] Next > [button_]\n"},
		"a search from a product":         {[]string{"search[odd]", "click[b02]", "search[lamp]"}, "/search_results/0/lamp/1", "B01A0"},
		"search is no button":             {[]string{"click[search]"}, "/0", "Search"},
		"the name counts to the letter":   {[]string{"Search[lamp]", "search [lamp]", " search[lamp]", "look"}, "/0", "Search"},
		"a category":                      {[]string{"search[<c> garden]"}, "/search_results/0/<c>+garden/1", "results: 61)"},
		"a category in capitals":          {[]string{"search[<C> GARDEN x]"}, "/search_results/0/<c>+garden+x/1", "results: 61)"},
		"no category":                     {[]string{"search[odd]", "search[<c>]"}, "/search_results/0/odd/1", "B02"},
		"a query":                         {[]string{"search[<q> table lamps]"}, "/search_results/0/<q>+table+lamps/1", "results: 63)"},
		"attributes":                      {[]string{"search[odd]", "search[<a> easy]"}, "/search_results/0/odd/1", "B02"},
		"chance":                          {[]string{"search[<r>]"}, "/search_results/0/<r>/1", "results: 50)"},
		"blanks are kept":                 {[]string{"search[ odd  ]"}, "/search_results/0/+odd++/1", "B02"},
		"a value called like a button":    {[]string{"search[odd]", "click[b02]", "click[description]"}, "/item_sub_page/0/B02/odd/1/Description/{}", "A lamp."},
		"a value called like next":        {[]string{"search[odd]", "click[b02]", "click[next >]"}, `/item_page/0/B02/odd/1/{"a": "next >"}`, "You have clicked next >.\n"},
		"a value with a bracket":          {[]string{"search[odd]", "click[b02]", "click[x[y]"}, "/item_page/0/B02/odd/1/{}", "x[y"},
		"a value of two options":          {[]string{"search[odd]", "click[b02]", "click[both]"}, `/item_page/0/B02/odd/1/{"b": "both"}`, "You have clicked both.\nYou have clicked both.\n"},
		"a value in the place of another": {[]string{"search[odd]", "click[b02]", "click[both]", "click[l]", "click[item_page]"}, `/item_page/0/B02/odd/1/{"b": "item_page", "size": "l"}`, "You have clicked l.\nYou have clicked item_page.\n"},
		"back to the results":             {[]string{"search[odd]", "click[b02]", "click[both]", "click[< prev]"}, "/search_results/0/odd/1", "[clicked button] B02"},
		"back from a sub page":            {[]string{"search[odd]", "click[b02]", "click[both]", "click[features]", "click[< prev]"}, `/item_page/0/B02/odd/1/{"b": "both"}`, "both"},
		"back to search":                  {[]string{"search[odd]", "click[b02]", "click[back to search]", "search[odd]"}, "/search_results/0/odd/1", "[button] B02"},
		"keywords that name a page":       {[]string{"search[<q> table lamps]", "search[odd \"search_results\"]"}, "/search_results/0/odd+\"search_results\"/1", "results: 0)"},
		"bought from a sub page":          {[]string{"search[odd]", "click[b02]", "click[features]", "click[buy now]"}, "/item_sub_page/0/B02/odd/1/Features/{}", "red"},
		"an asin in lower case":           {[]string{"search[lower]", "click[b03]"}, "/search_results/0/lower/1", "b03"},
		"no title":                        {[]string{"search[<c> fashion]"}, "/search_results/0/<c>+fashion/1", "[button] B04 [button_]\n$9.99"},
		"blank bullets":                   {[]string{"search[<c> fashion]", "click[b04]", "click[features]"}, "/item_sub_page/0/B04/<c>+fashion/1/Features/{}", "[button] < Prev [button_]\n \n a\n\n \n"},
		"a blank description":             {[]string{"search[<c> fashion]", "click[b04]", "click[description]"}, "/item_sub_page/0/B04/<c>+fashion/1/Description/{}", "[button] < Prev [button_]\n"},
		"too long":                        {[]string{"search[" + strings.Repeat("x", 64<<10) + "]"}, "/0", "Search"},
	} {
		t.Run(name, func(t *testing.T) {
			b := browse(t, shop)
			if _, err := b.Reset(0); err != nil {
				t.Fatal(err)
			}
			for _, a := range c.actions {
				say(t, b, a)
			}
			if got := b.Page().URL(); got != c.url {
				t.Errorf("at %s, want %s", got, c.url)
			}
			if got := b.Page().Rich(); !strings.Contains(got, c.rich) {
				t.Errorf("page %q, want %q in it", got, c.rich)
			}
		})
	}
}

// TestPageZero: a URL that names another kind of page in its keywords misleads "< Prev".
func TestPageZero(t *testing.T) {
	shop := small(t)
	b := browse(t, shop)
	for _, reset := range []int{-1, shop.Goals()} {
		if _, err := b.Reset(reset); err == nil {
			t.Errorf("session %d begins, expected an error", reset)
		}
	}
	say(t, b, "search[<q> table lamps]")
	say(t, b, "click[b01a0]")
	say(t, b, "click[< prev]")
	if got := b.Page().Text(); !strings.Contains(got, "Page 1 (Total results: 63)") {
		t.Errorf("page %q", got)
	}
	say(t, b, "search[<c> garden search_results]")
	say(t, b, "click[b01a0]")
	say(t, b, "click[< prev]")
	if got := b.Page().Text(); !strings.HasSuffix(got, "Page 0 (Total results: 61) [SEP] Next >") {
		t.Errorf("page %q, want page 0 without products", got)
	}
	say(t, b, "click[next >]")
	if got := b.Page().Text(); !strings.Contains(got, "Page 1 (Total results: 61) [SEP] Next > [SEP] B01A0") {
		t.Errorf("page %q, want the first one", got)
	}
}

// FuzzStep: whatever is said, there is a page, and after the end another session.
func FuzzStep(f *testing.F) {
	shop := small(f)
	f.Add("search[odd]", "click[b02]", "click[both]", "click[buy now]")
	f.Add("search[<c> garden]", "click[next >]", "click[< prev]", "search[a[b]c]")
	f.Add("search[<r>]", "search[<a> x]", "search[search_results]", "\x00\xff[\n]")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		browser := browse(t, shop)
		for _, action := range []string{a, b, c, d} {
			answer := say(t, browser, action)
			for _, text := range []string{answer.Page.Text(), answer.Page.Rich()} {
				if text == "" || !utf8.ValidString(text) {
					t.Errorf("%q: page %q", action, text)
				}
			}
			if now := browser.Page(); answer.Done == (now == answer.Page) || answer.Done && !now.Available().SearchBar {
				t.Errorf("%q: done %v, and then at %s", action, answer.Done, now.URL())
			}
		}
	})
}
