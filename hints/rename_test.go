package hints_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
)

// wordEncoder knows some words with the blank before them; all else has two tokens.
type wordEncoder map[string]int32

func (e wordEncoder) EncodePlain(text string) []int32 {
	if id, ok := e[text]; ok {
		return []int32{id}
	}
	return []int32{1, 2}
}

func TestThings(t *testing.T) {
	records := func(yield func(hints.Record, error) bool) {
		for _, target := range []string{"mug", "apple", "", "mug", "cd"} {
			if !yield(hints.Record{H: hints.Hint{Target: target}}, nil) {
				return
			}
		}
	}
	got, err := hints.Things(wordEncoder{" apple": 40, " mug": 7, " desk": 9}, records)
	if want := []int32{40, 7}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestRename(t *testing.T) {
	things := []int32{10, 11, 12, 13}
	x := gpu.Example{Tokens: []int32{10, 1, 11, 10, 2, 13}, Answer: 2, Read: []gpu.Span{{From: 3, To: 4}}}
	before := slices.Clone(x.Tokens)
	seen := map[int32]bool{}
	for seed := range uint64(50) {
		got := hints.Rename(x, things, rand.New(rand.NewPCG(seed, 0)))
		a, b, c := got.Tokens[0], got.Tokens[2], got.Tokens[5]
		if got.Tokens[1] != 1 || got.Tokens[4] != 2 || got.Tokens[3] != a || a == b || b == c || a == c || got.Answer != 2 || len(got.Read) != 1 {
			t.Fatalf("seed %d: got %+v of %v", seed, got, before)
		}
		for _, thing := range []int32{a, b, c} {
			if !slices.Contains(things, thing) {
				t.Fatalf("seed %d: %d is no thing", seed, thing)
			}
		}
		seen[a] = true
	}
	if len(seen) != len(things) {
		t.Errorf("in 50 draws 10 became %v, want every thing", seen)
	}
	if !slices.Equal(x.Tokens, before) {
		t.Errorf("the example itself has changed: %v", x.Tokens)
	}
}
