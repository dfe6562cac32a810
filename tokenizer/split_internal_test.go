package tokenizer

import (
	"regexp"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

var splitTests = []struct {
	text          string
	phrase, qwen2 []string
}{
	{text: ""},
	{"go to shelf 12\n", []string{"go to shelf 12\n"}, []string{"go", " to", " shelf", " ", "1", "2", "\n"}},
	{"a, b.\n\nc:", []string{"a,", " b.\n", "\n", "c:"}, []string{"a", ",", " b", ".\n\n", "c", ":"}},
	{",,\n", []string{",", ",\n"}, []string{",,\n"}},
	{"\r\n x", []string{"\r\n", " x"}, []string{"\r\n", " x"}},
	{"it's I'LL he'd 'x", []string{"it's I'LL he'd 'x"}, []string{"it", "'s", " I", "'LL", " he", "'d", " '", "x"}},
	{"'ſa 'reé", []string{"'ſa 'reé"}, []string{"'ſ", "a", " '", "reé"}},
	{"a  \t b   ", []string{"a  \t b   "}, []string{"a", "  \t", " b", "   "}},
	{"  1 \n \n  2", []string{"  1 \n", " \n", "  2"}, []string{" ", " ", "1", " \n \n", " ", " ", "2"}},
	{"x!!\n\ny(z)", []string{"x!!\n", "\n", "y(z)"}, []string{"x", "!!\n\n", "y", "(z", ")"}},
	{"½²Ⅷ٣", []string{"½²Ⅷ٣"}, []string{"½", "²", "Ⅷ", "٣"}},
	{"日本\u3000語\u00a0", []string{"日本\u3000語\u00a0"}, []string{"日本", "\u3000語", "\u00a0"}},
	{"a\xffb \xff", []string{"a\xffb \xff"}, []string{"a", "\xffb", " \xff"}},
	{"é\u0301e", []string{"é\u0301e"}, []string{"é", "\u0301e"}},
}

// word is the third split of some texts.
var wordTests = []struct {
	text string
	want []string
}{
	{"", nil},
	{"go to shelf 12\n", []string{"go", " to", " shelf", " 12\n"}},
	{"take mug 1 from shelf 2\ninventory\n", []string{"take", " mug", " 1", " from", " shelf", " 2\n", "inventory", "\n"}},
	{"do:\nnow: On the desk 1, you see a mug 2, and a cd 3.\n", []string{
		"do", ":\n", "now", ":", " On", " the", " desk", " 1,", " you", " see", " a", " mug", " 2,", " and", " a", " cd", " 3.\n",
	}},
	{" , 1.5", []string{" ", ",", " 1.", "5"}},
	{"a  b\t c\r\n", []string{"a", " ", " b", "\t", " c", "\r", "\n"}},
	{"x1y 2z", []string{"x", "1", "y", " 2", "z"}},
	{" é\u00a0日 ", []string{" é\u00a0日", " "}},
	{"a\xffb \xff", []string{"a\xffb", " \xff"}},
	{"...\n\n", []string{".", ".", ".\n", "\n"}},
}

// qwen35Tests are texts with combining marks; without, the third split of Qwen's is Qwen2's.
var qwen35Tests = []struct {
	text string
	want []string
}{
	{"e\u0301t\u00e9", []string{"e\u0301t\u00e9"}},
	{"\u0301a !\u0301", []string{"\u0301a", " !", "\u0301"}},
	{"\u0301\u0301", []string{"\u0301\u0301"}},
	{"1\u0301 \u0301b", []string{"1", "\u0301", " \u0301b"}},
	{"\u0939\u093f\u0928\u094d\u0926\u0940 \u0967", []string{"\u0939\u093f\u0928\u094d\u0926\u0940", " ", "\u0967"}},
	{"#\ufe0f\u20e3 x", []string{"#\ufe0f\u20e3", " x"}},
	{"\n\u0301a", []string{"\n", "\u0301a"}},
	{"it's\u0301", []string{"it", "'s", "\u0301"}},
}

func pieces(s split, text string) []string {
	var out []string
	for from := 0; from < len(text); {
		end := s.next(text, from)
		out = append(out, text[from:end])
		from = end
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, test := range splitTests {
		if got := pieces(splits[0], test.text); !slices.Equal(got, test.phrase) {
			t.Errorf("phrase: %q\n got %q\nwant %q", test.text, got, test.phrase)
		}
		if got := pieces(splits[1], test.text); !slices.Equal(got, test.qwen2) {
			t.Errorf("qwen2: %q\n got %q\nwant %q", test.text, got, test.qwen2)
		}
	}
	for _, test := range wordTests {
		if got := pieces(splits[2], test.text); !slices.Equal(got, test.want) {
			t.Errorf("word: %q\n got %q\nwant %q", test.text, got, test.want)
		}
	}
	for _, test := range qwen35Tests {
		if got := pieces(splits[3], test.text); !slices.Equal(got, test.want) {
			t.Errorf("qwen3.5: %q\n got %q\nwant %q", test.text, got, test.want)
		}
	}
}

// FuzzSplit compares the scanners with the patterns as Go's regexp runs them. Of Qwen's, the alternative with the
// look-ahead stands apart; Go's \s is ASCII only, so it is written out.
func FuzzSplit(f *testing.F) {
	for _, test := range splitTests {
		f.Add(test.text)
	}
	for _, test := range append(wordTests, qwen35Tests...) {
		f.Add(test.text)
	}
	const s = `\t\n\v\f\r\x{85}\p{Z}`
	spaces := regexp.MustCompile(`^[` + s + `]+`)
	plain := func(pattern string) func(string) int {
		re := regexp.MustCompile(`^(?:` + pattern + `)`)
		return func(rest string) int { return re.FindStringIndex(rest)[1] }
	}
	qwen := func(l, m string) func(string) int {
		before := regexp.MustCompile(`^(?:(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?` + l + `+|\p{N}| ?[^` + s +
			`\p{L}` + m + `\p{N}]+[\r\n]*|[` + s + `]*[\r\n]+)`)
		return func(rest string) int {
			if at := before.FindStringIndex(rest); at != nil {
				return at[1]
			}
			end := spaces.FindStringIndex(rest)[1]
			_, last := utf8.DecodeLastRuneInString(rest[:end])
			if end == len(rest) || end == last {
				return end
			}
			return end - last
		}
	}
	want := []func(string) int{
		plain(splits[0].pattern), qwen(`\p{L}`, ""), plain(splits[2].pattern), qwen(`[\p{L}\p{M}]`, `\p{M}`),
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range text {
			if (charset.ClassOf(r) != other) != (unicode.In(r, unicode.L, unicode.M, unicode.N) || unicode.IsSpace(r)) {
				t.Skip("Go's tables know another Unicode version")
			}
		}
		for i, split := range splits {
			for from := 0; from < len(text); {
				got, want := split.next(text, from), from+want[i](text[from:])
				if got != want {
					t.Fatalf("%s: %q from %d: got %d, want %d", split.name, text, from, got, want)
				}
				from = got
			}
		}
	})
}
