package tokenizer

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"
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
}

// FuzzSplit compares the scanners with the patterns as Go's regexp runs them. Of Qwen2's, the alternative with
// the look-ahead stands apart; Go's \s is ASCII only, so it is written out.
func FuzzSplit(f *testing.F) {
	for _, test := range splitTests {
		f.Add(test.text)
	}
	phrase := regexp.MustCompile(`^(?:` + splits[0].pattern + `)`)
	const s = `\t\n\v\f\r\x{85}\p{Z}`
	before := regexp.MustCompile(`^(?:(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^` + s +
		`\p{L}\p{N}]+[\r\n]*|[` + s + `]*[\r\n]+)`)
	spaces := regexp.MustCompile(`^[` + s + `]+`)
	qwen2 := func(rest string) int {
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
	f.Fuzz(func(t *testing.T, text string) {
		for from := 0; from < len(text); {
			got, want := splits[0].next(text, from), from+phrase.FindStringIndex(text[from:])[1]
			if got != want {
				t.Fatalf("phrase: %q from %d: got %d, want %d", text, from, got, want)
			}
			from = got
		}
		for from := 0; from < len(text); {
			got, want := splits[1].next(text, from), from+qwen2(text[from:])
			if got != want {
				t.Fatalf("qwen2: %q from %d: got %d, want %d", text, from, got, want)
			}
			from = got
		}
	})
}
