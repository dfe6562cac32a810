package charset

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TestTables: the pages hold what the spans say, and nothing else.
func TestTables(t *testing.T) {
	for name, test := range map[string]struct {
		spans []span
		has   func(rune) bool
	}{
		"letters":     {letters[:], func(r rune) bool { return ClassOf(r) == Letter }},
		"marks":       {marks[:], func(r rune) bool { return ClassOf(r) == Mark }},
		"numbers":     {numbers[:], func(r rune) bool { return ClassOf(r) == Number }},
		"spaces":      {spaces[:], func(r rune) bool { return ClassOf(r) == Space }},
		"dropped":     {dropped[:], func(r rune) bool { return TraitsOf(r)&Dropped != 0 }},
		"blanked":     {blanked[:], func(r rune) bool { return TraitsOf(r)&Blanked != 0 }},
		"ideographs":  {ideographs[:], func(r rune) bool { return TraitsOf(r)&Ideograph != 0 }},
		"accents":     {accents[:], func(r rune) bool { return TraitsOf(r)&Accent != 0 }},
		"gaps":        {gaps[:], func(r rune) bool { return TraitsOf(r)&Gap != 0 }},
		"punctuation": {punctuation[:], func(r rune) bool { return TraitsOf(r)&Punctuation != 0 }},
		"canonical":   {canonical[:], func(r rune) bool { return TraitsOf(r)&Canonical != 0 }},
	} {
		at := 0
		for r := rune(0); r <= utf8.MaxRune; r++ {
			for at < len(test.spans) && test.spans[at].last < r {
				at++
			}
			if want := at < len(test.spans) && test.spans[at].first <= r; test.has(r) != want {
				t.Fatalf("%s: %U: %t, want %t", name, r, !want, want)
			}
		}
	}
	if ClassOf(-1) != Other || ClassOf(utf8.MaxRune+1) != Other {
		t.Error("what is no character has a class")
	}
}

// TestGo: where Go's Unicode tables know a character too, they agree with Python's library. Neither is wrong about those
// that only the newer of them knows.
func TestGo(t *testing.T) {
	wrong := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if 0xD800 <= r && r <= 0xDFFF {
			continue
		}
		for class, in := range map[Class]func(rune) bool{Letter: unicode.IsLetter, Mark: unicode.IsMark, Number: unicode.IsNumber, Space: unicode.IsSpace} {
			known := unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co)
			if known && in(r) != (ClassOf(r) == class) && ClassOf(r) != Other {
				wrong++
				t.Errorf("%U: class %d, in Go otherwise", r, ClassOf(r))
			}
		}
		if want := unicode.ToLower(r); TraitsOf(r)&Cased != 0 && r != 0x130 && unicode.IsLetter(r) && Lower(r) != want {
			wrong++
			t.Errorf("Lower(%U) = %U, in Go %U", r, Lower(r), want)
		}
		if TraitsOf(r)&Cased == 0 && Lower(r) != r {
			wrong++
			t.Errorf("Lower(%U) = %U, and it is not cased", r, Lower(r))
		}
		if one := string(r); NFC(one) != norm.NFC.String(one) {
			wrong++
			t.Errorf("NFC(%U) = %q, in Go %q", r, NFC(one), norm.NFC.String(one))
		}
		if wrong > 20 {
			t.FailNow()
		}
	}
}

var canonicalTests = []struct{ text, c, d string }{
	{"", "", ""},
	{"abc", "abc", "abc"},
	{"e\u0301", "é", "e\u0301"},
	{"xe\u0323\u0301y", "xẹ\u0301y", "xe\u0323\u0301y"},
	{"e\u0301\u0323", "ẹ\u0301", "e\u0323\u0301"},
	{"é\u0323", "ẹ\u0301", "e\u0323\u0301"},
	{"a\u0301\u0301", "á\u0301", "a\u0301\u0301"},
	{"\u0301\u0323a", "\u0323\u0301a", "\u0323\u0301a"}, // no base before them
	{"\u212b", "Å", "A\u030a"},
	{"\u0344", "\u0308\u0301", "\u0308\u0301"},
	{"\u1100\u1161\u11a8", "각", "\u1100\u1161\u11a8"},
	{"가\u11a8", "각", "\u1100\u1161\u11a8"},
	{"각\u11a8", "각\u11a8", "\u1100\u1161\u11a8\u11a8"},
	{"\u09c7\u09be", "\u09cb", "\u09c7\u09be"},                         // a starter that joins the one before it
	{"\u09c7\u09bc\u09be", "\u09c7\u09bc\u09be", "\u09c7\u09bc\u09be"}, // but not over a mark that stays
	{"\u0dd9\u0dcf\u0dca", "\u0ddd", "\u0dd9\u0dcf\u0dca"},
	{"\u0958", "\u0915\u093c", "\u0915\u093c"},                               // never composed
	{"\U00011935\U00011930", "\U00011935\U00011930", "\U00011935\U00011930"}, // newer than the library's tables
	{"\U00011938", "\U00011938", "\U00011938"},
	{"e\xff\u0301\xffé", "e\xff\u0301\xffé", "e\xff\u0301\xffe\u0301"},
	{"\xf5\u212b", "\xf5\u00c5", "\xf5A\u030a"},
	{"\xf5\u00c5", "\xf5\u00c5", "\xf5A\u030a"},
	{"a" + strings.Repeat("\u0300\u0316", 40), "à" + strings.Repeat("\u0316", 40) + strings.Repeat("\u0300", 39), "a" + strings.Repeat("\u0316", 40) + strings.Repeat("\u0300", 40)},
}

func TestCanonical(t *testing.T) {
	for _, test := range canonicalTests {
		if got := NFC(test.text); got != test.c {
			t.Errorf("NFC(%+q) = %+q, want %+q", test.text, got, test.c)
		}
		if got := NFD(test.text); got != test.d {
			t.Errorf("NFD(%+q) = %+q, want %+q", test.text, got, test.d)
		}
	}
}

// FuzzCanonical: x/text agrees where no row of marks is so long that it cuts it, and no character newer than our tables.
func FuzzCanonical(f *testing.F) {
	for _, test := range canonicalTests {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, d := NFC(text), NFD(text)
		if again := NFC(c); again != c {
			t.Errorf("NFC(%+q) = %+q, and again %+q", text, c, again)
		}
		if NFC(d) != c || NFD(c) != d {
			t.Errorf("%+q: C %+q, D %+q, of each other %+q, %+q", text, c, d, NFD(c), NFC(d))
		}
		newer := func(r rune) bool {
			p := norm.NFD.PropertiesString(string(r))
			return TraitsOf(r)&Canonical == 0 && (p.CCC() != 0 || p.Decomposition() != nil) || r == 0x11935 || r == 0x11930
		}
		if slices.ContainsFunc([]rune(text), newer) || !utf8.ValidString(text) {
			return
		}
		if want := norm.NFC.String(text); c != want && !strings.ContainsRune(want, 0x34f) {
			t.Errorf("NFC(%+q) = %+q, in Go %+q", text, c, want)
		}
		if want := norm.NFD.String(text); d != want && !strings.ContainsRune(want, 0x34f) {
			t.Errorf("NFD(%+q) = %+q, in Go %+q", text, d, want)
		}
	})
}
