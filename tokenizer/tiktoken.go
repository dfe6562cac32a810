package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// maxRanked bounds a token, in bytes. Qwen's longest has 128.
const maxRanked = 1 << 10

// ParseTiktoken reads ranks in tiktoken's form, a line for each token: its bytes in base64, a blank, its id. Ids are
// dense and single bytes are among the tokens. special get the next ids. As with tiktoken, a piece of text that is a
// token is that token, whatever its parts, and any two tokens that make a third do so.
func ParseTiktoken(data []byte, split string, special []string) (*Tokenizer, error) {
	s, err := splitByName(split)
	if err != nil {
		return nil, fmt.Errorf("reading ranks: %w", err)
	}
	tokens, err := readRanks(data)
	if err != nil {
		return nil, fmt.Errorf("reading ranks: %w", err)
	}
	t := &Tokenizer{split: s, nfc: s.nfc, ignoreMerges: true, vocab: make(map[string]int32, len(tokens)+len(special))}
	for id, token := range tokens {
		t.vocab[toByteLevel(token)] = int32(id)
	}
	for i, content := range special {
		id := int32(len(tokens) + i)
		t.vocab[content] = id
		t.added = append(t.added, addedToken{ID: id, Content: content, Special: true})
	}
	if len(t.vocab) != len(tokens)+len(special) {
		return nil, errors.New("reading ranks: a special token is there twice, or a token too")
	}
	t.addMerges(tokens)
	if err := t.build(); err != nil {
		return nil, fmt.Errorf("reading ranks: %w", err)
	}
	return t, nil
}

func readRanks(data []byte) ([]string, error) {
	var tokens []string
	seen := make(map[string]bool)
	for line := range bytes.Lines(data) {
		n := len(tokens) + 1
		word, rank, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
		if !ok {
			return nil, fmt.Errorf("line %d: expected base64, a blank and a number", n)
		}
		token, err := base64.StdEncoding.AppendDecode(nil, word)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		id, err := strconv.Atoi(string(rank))
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case id != len(tokens) || id >= maxID:
			return nil, fmt.Errorf("line %d: rank %d, expected %d, at most %d", n, id, len(tokens), maxID-1)
		case len(token) == 0 || len(token) > maxRanked:
			return nil, fmt.Errorf("line %d: a token of %d bytes, expected 1 to %d", n, len(token), maxRanked)
		case seen[string(token)]:
			return nil, fmt.Errorf("line %d: the token is there twice", n)
		}
		seen[string(token)] = true
		tokens = append(tokens, string(token))
	}
	return tokens, nil
}

// addMerges lets any two tokens that make a third do so, by the rank of the third: what tiktoken does.
func (t *Tokenizer) addMerges(tokens []string) {
	rank := make(map[string]int32, len(tokens))
	for id, token := range tokens {
		rank[token] = int32(id)
	}
	for id, token := range tokens {
		first := len(t.merges)
		for cut := 1; cut < len(token); cut++ {
			left, ok := rank[token[:cut]]
			right, also := rank[token[cut:]]
			if ok && also {
				t.merges = append(t.merges, merge{pair{left, right}, int32(id)})
			}
		}
		slices.SortFunc(t.merges[first:], func(a, b merge) int {
			return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.right, b.right))
		})
	}
}
