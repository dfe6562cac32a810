package webshop

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		action, name, argument string
		ok                     bool
	}{
		{"search[Red Shoes]", "search", "red shoes", true},
		{"click[buy now] please", "click", "buy now", true},
		{"Search[x]", "Search", "x", true},
		{" click[x]", " click", "x", true},
		{"search[a[b]c]", "search[a", "b]c", true},
		{"search[a[]", "search", "a[", true},
		{"search[]", "search[]", "", false},
		{"search[[]]", "search[", "]", true},
		{"search[]]", "search", "]", true},
		{"[x]", "[x]", "", false},
		{"a[b", "a[b", "", false},
		{"next >", "next >", "", false},
		{"", "", "", false},
		{"]]]]", "]]]]", "", false},
		{"search[a]\nclick[b]", "search", "a", true},
		{"search[a\nb]", "search[a\nb]", "", false},
		{"\nsearch[a]", "\nsearch[a]", "", false},
		{"search[ΟΔΟΣ]", "search", "οδος", true},
	} {
		name, argument, ok := parse(c.action)
		if name != c.name || argument != c.argument || ok != c.ok {
			t.Errorf("%q: %q, %q, %v, want %q, %q, %v", c.action, name, argument, ok, c.name, c.argument, c.ok)
		}
	}
}

// TestClick: what is on offer can be said.
func TestClick(t *testing.T) {
	for text, want := range map[string]string{
		"buy now": "click[buy now]", "a]": "click[a]]", `16"`: `click[16"]`,
		"": "", "a[b": "", "a\nb": "", "B01": "", strings.Repeat("x", maxAction): "",
	} {
		if got := click(text); got != want {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
}
