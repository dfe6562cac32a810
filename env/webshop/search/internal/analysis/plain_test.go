package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/segment"
)

// TestPlain: the short way through ASCII finds the words that the segmenter finds.
func TestPlain(t *testing.T) {
	const letters = "abZ019__.,:;''\" -\n"
	dice := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 100_000 {
		text := make([]byte, 1+dice.IntN(9))
		for i := range text {
			text[i] = letters[dice.IntN(len(letters))]
		}
		if !startsWord[text[0]] {
			continue
		}
		_, want, _, err := segment.SegmentWords(text, true)
		if err != nil {
			t.Fatal(err)
		}
		got := plain(string(text))
		if underscores(want) {
			want = nil
		}
		if got != len(want) {
			t.Errorf("%q: got %q, want %q", text, text[:got], want)
		}
		if got > 1 {
			found++
		}
	}
	if found < 10_000 {
		t.Errorf("%d words, expected many", found)
	}
}
