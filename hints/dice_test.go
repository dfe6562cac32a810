package hints

import (
	"slices"
	"testing"
)

// The draws are those of python3: int.from_bytes(sha256(b"hone detour/1\x007\x00g\x002\x00%d" % drawn).digest()[:8]) % 1000.
func TestDice(t *testing.T) {
	d := &dice{seed: 7, game: "g", detour: 2}
	var got []int
	for range 6 {
		got = append(got, d.below(1000))
	}
	if want := []int{46, 824, 203, 937, 321, 866}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}
