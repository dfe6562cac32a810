package pddl

import (
	"math/rand/v2"
	"testing"
)

// TestLower compares with what is done byte by byte, for all bytes at all places.
func TestLower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 1100 {
		text, want := make([]byte, n), make([]byte, n)
		for i := range text {
			text[i] = byte(r.Uint32())
			if r.IntN(2) == 0 {
				text[i] = "@AZ[`az{"[r.IntN(8)]
			}
			want[i] = text[i]
			if 'A' <= text[i] && text[i] <= 'Z' {
				want[i] += 'a' - 'A'
			}
		}
		if got := lower(string(text)); got != string(want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	}
}
