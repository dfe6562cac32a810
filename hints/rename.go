package hints

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/gpu"
)

// Things are the tokens of the types of things that records' goals are about, in order of their names: those that are
// one token with the blank before it, as all are with tokenizer.SplitWord.
func Things(tokens agent.Encoder, records iter.Seq2[Record, error]) ([]int32, error) {
	types := map[string]bool{}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		types[r.H.Target] = true
	}
	var things []int32
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if ids := tokens.EncodePlain(" " + name); len(ids) == 1 && !slices.Contains(things, ids[0]) {
			things = append(things, ids[0])
		}
	}
	return things, nil
}

// Rename is x with the names of things exchanged, the same way throughout: what is asked for, seen and taken still
// agree, and what is usual in kitchens no longer says what to take.
func Rename(x gpu.Example, things []int32, rng *rand.Rand) gpu.Example {
	names := make(map[int32]int32, len(things))
	for i, j := range rng.Perm(len(things)) {
		names[things[i]] = things[j]
	}
	x.Tokens = slices.Clone(x.Tokens)
	for i, t := range x.Tokens {
		if other, ok := names[t]; ok {
			x.Tokens[i] = other
		}
	}
	return x
}
