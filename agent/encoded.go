package agent

import (
	"fmt"
	"slices"
	"sync"
)

// encoded remembers the tokens of commands, which come again in nearly every step.
type encoded struct {
	tokens Encoder
	mu     sync.Mutex
	known  map[string][]int32
}

// candidates are the tokens of each command and its line break. One that begins another could never be told from
// it in a trie, and is an error.
func (e *encoded) candidates(commands []string) ([][]int32, error) {
	all := make([][]int32, len(commands))
	order := make([]int, len(commands))
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, c := range commands {
		ids, ok := e.known[c]
		if !ok {
			ids = e.tokens.EncodePlain(Answer(c))
			e.known[c] = ids
		}
		all[i], order[i] = ids, i
	}
	// In lexicographic order a prefix stands right before something that it begins.
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(all[a], all[b]) })
	for k, i := range order[1:] {
		short := order[k]
		if n := len(all[short]); n <= len(all[i]) && slices.Equal(all[short], all[i][:n]) {
			return nil, fmt.Errorf("command %q encodes to a beginning of command %q: expected commands that can be told apart token by token",
				commands[short], commands[i])
		}
	}
	return all, nil
}

func longest(lists [][]int32) int {
	n := 0
	for _, l := range lists {
		n = max(n, len(l))
	}
	return n
}
