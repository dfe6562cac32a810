package tokenizer

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// TrainConfig sets up the learning of a vocabulary.
type TrainConfig struct {
	Vocabulary int      `json:"vocabulary" yaml:"vocabulary"` // tokens in all: special ones, 256 bytes, merges
	Split      string   `json:"split" yaml:"split"`           // SplitPhrase, SplitWord, SplitQwen2 or SplitQwen35
	Special    []string `json:"special" yaml:"special"`       // get the first ids; the first of them ends a text
}

// Train learns a vocabulary from texts. The same texts in whatever order give the same tokenizer: the pair that
// is merged is the one seen most often, of those the one with the smallest left id, then the smallest right id.
// That, and special tokens and bytes (by code point of their byte-level character) before all merges, is also
// what Python's tokenizers does with its ByteLevel alphabet. Names of special tokens in the texts teach nothing.
// Where the texts have nothing more to merge the vocabulary stays smaller than asked for.
func Train(config TrainConfig, texts iter.Seq[string]) (*Tokenizer, error) {
	s, err := splitByName(config.Split)
	if err != nil {
		return nil, fmt.Errorf("training tokenizer: %w", err)
	}
	t := &Tokenizer{split: s, nfc: s.nfc, vocab: make(map[string]int32)}
	for i, content := range config.Special {
		if content == "" {
			return nil, fmt.Errorf("training tokenizer: special token %d is empty", i)
		}
		t.vocab[content] = int32(i)
		t.added = append(t.added, addedToken{ID: int32(i), Content: content, Special: true})
	}
	if len(t.vocab) != len(config.Special) {
		return nil, errors.New("training tokenizer: a special token is there twice")
	}
	names := slices.Clone(config.Special)
	for _, r := range alphabet() {
		if id, ok := t.vocab[string(r)]; ok {
			return nil, fmt.Errorf("training tokenizer: special token %d, %q, is a byte's", id, string(r))
		}
		t.vocab[string(r)] = int32(len(names))
		names = append(names, string(r))
	}
	if config.Vocabulary < len(names) || config.Vocabulary > maxID {
		return nil, fmt.Errorf("training tokenizer: vocabulary of %d, expected %d (%d special tokens and 256 bytes) to %d",
			config.Vocabulary, len(names), len(config.Special), maxID)
	}
	if err := t.build(); err != nil {
		return nil, fmt.Errorf("training tokenizer: %w", err)
	}
	t.learn(names, config.Vocabulary, t.countPieces(texts))
	if err := t.build(); err != nil {
		return nil, fmt.Errorf("training tokenizer: %w", err)
	}
	return t, nil
}

// countPieces counts how often each piece of the texts occurs.
func (t *Tokenizer) countPieces(texts iter.Seq[string]) map[string]int {
	counts := make(map[string]int)
	count := func(ids []int32, text string) []int32 {
		part := t.normalize(text)
		for at := 0; at < len(part); {
			next := t.split.next(part, at)
			counts[part[at:next]]++
			at = next
		}
		return ids
	}
	for text := range texts {
		t.raw.around(nil, text, count)
	}
	return counts
}

// learn adds merges until there are size tokens or nothing to merge. names holds the tokens so far.
func (t *Tokenizer) learn(names []string, size int, counts map[string]int) {
	l := newLearner(slices.Sorted(maps.Keys(counts)), counts, t.byteID)
	for len(names) < size {
		best, ok := l.best()
		if !ok {
			return
		}
		name := names[best.left] + names[best.right]
		id, known := t.vocab[name]
		if !known {
			id = int32(len(names))
			names = append(names, name)
			t.vocab[name] = id
		}
		// Two pairs can spell one token; reusing it can create a pair that has had its merge.
		if _, again := t.pairs[best]; !again {
			t.pairs[best] = result{int32(len(t.merges)), id}
			t.merges = append(t.merges, merge{best, id})
		}
		l.merge(best, id)
	}
}
