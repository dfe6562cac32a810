package tokenizer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// maxID bounds token ids, so that a wrong one cannot ask for all memory. The largest published vocabularies
// have about 300,000 tokens.
const maxID = 1 << 21

// build checks that vocab, merges, added, split, nfc and ignoreMerges are one tokenizer and makes the tables
// that encoding and decoding look things up in. Its errors name the field of tokenizer.json.
func (t *Tokenizer) build() error {
	slices.SortFunc(t.added, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	t.names = make(map[string]int32, len(t.added))
	for _, a := range t.added {
		if _, ok := t.names[a.Content]; ok {
			return fmt.Errorf("added_tokens: %q is there twice", a.Content)
		}
		t.names[a.Content] = a.ID
	}
	if err := t.buildVocab(); err != nil {
		return err
	}
	if err := t.buildAdded(); err != nil {
		return err
	}
	for b := range 256 {
		id, ok := t.vocab[string(byteRune[b])]
		if !ok {
			return fmt.Errorf("model.vocab: byte %#02x (written %q) is missing", b, string(byteRune[b]))
		}
		t.byteID[b] = id
	}
	t.pairs = make(map[pair]result, len(t.merges))
	for rank, m := range t.merges {
		t.pairs[m.pair] = result{int32(rank), m.id}
	}
	t.cache = newCache()
	return nil
}

// buildVocab fills text from the vocabulary.
func (t *Tokenizer) buildVocab() error {
	tokens := slices.Sorted(maps.Keys(t.vocab)) // so that of two errors it is always the same that is told
	highest := int32(-1)
	for _, token := range tokens {
		id := t.vocab[token]
		if id < 0 || id >= maxID {
			return fmt.Errorf("model.vocab: %q has id %d, expected 0 to %d", token, id, maxID-1)
		}
		highest = max(highest, id)
	}
	for i, a := range t.added {
		if a.ID < 0 || a.ID >= maxID {
			return fmt.Errorf("added_tokens[%d]: id is %d, expected 0 to %d", i, a.ID, maxID-1)
		}
		highest = max(highest, a.ID)
	}
	t.text = make([]string, highest+1)
	if t.ignoreMerges {
		t.whole = make(map[string]int32, len(t.vocab))
	}
	taken := make([]bool, highest+1)
	for _, token := range tokens {
		id := t.vocab[token]
		if taken[id] {
			return fmt.Errorf("model.vocab: %q has id %d, which another token has too", token, id)
		}
		taken[id] = true
		text, ok := fromByteLevel(token)
		_, added := t.names[token]
		if !ok && added {
			continue // buildAdded gives it its text
		}
		if !ok || token == "" {
			return fmt.Errorf("model.vocab: %q is not written in byte-level characters", token)
		}
		t.text[id] = text
		if t.ignoreMerges && !added {
			t.whole[text] = id
		}
	}
	return nil
}

// buildAdded gives the added tokens their texts and makes them findable.
func (t *Tokenizer) buildAdded() error {
	var raw, normed []addedToken
	for i, a := range t.added {
		at := func(format string, args ...any) error {
			return fmt.Errorf("added_tokens[%d] (id %d, %q): "+format, append([]any{i, a.ID, a.Content}, args...)...)
		}
		if a.Content == "" {
			return at("content is empty")
		}
		if a.SingleWord || a.LStrip || a.RStrip {
			return at("single_word, lstrip and rstrip are not supported, expected false")
		}
		id, both := t.vocab[a.Content]
		if both && id != a.ID {
			return at("model.vocab has it with id %d", id)
		}
		if has := t.text[a.ID]; has != "" && (!both || has != a.Content) {
			return at("its id is that of another token, %q", has)
		}
		t.text[a.ID] = a.Content
		if a.Normalized {
			normed = append(normed, a)
		} else {
			raw = append(raw, a)
		}
	}
	t.raw = newMatcher(raw, func(a addedToken) string { return a.Content })
	t.normed = newMatcher(normed, func(a addedToken) string {
		if t.nfc {
			return norm.NFC.String(a.Content)
		}
		return a.Content
	})
	return nil
}
