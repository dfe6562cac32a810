package hints

import (
	"fmt"
	"slices"
)

// place is where a record stands.
type place struct {
	line int // 1 for the first record of the dataset
	game string
	at   string // step and detour
}

// finding counts one leak and keeps its first examples.
type finding struct {
	count int
	first []example // by line
}

type example struct {
	place
	what string
}

// keptExamples is how many examples of a leak are kept.
const keptExamples = 3

func (f *finding) add(at place, what string) {
	f.count++
	i, _ := slices.BinarySearchFunc(f.first, at.line, func(e example, line int) int { return e.line - line })
	f.first = slices.Insert(f.first, i, example{at, what})
	f.first = f.first[:min(len(f.first), keptExamples)]
}

func (f *finding) texts() []string {
	all := make([]string, len(f.first))
	for i, e := range f.first {
		all[i] = fmt.Sprintf("line %d, %s %s: %q", e.line, e.game, e.at, e.what)
	}
	return all
}
