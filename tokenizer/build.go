package tokenizer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

// maxID bounds token ids, so that a wrong one cannot ask for all memory. The largest published vocabularies
// have about 300,000 tokens.
const maxID = 1 << 21

// maxContent bounds the text of an added token, in bytes: looking for it takes so many steps at each place.
const maxContent = 1 << 12

// build checks that vocab, merges, added, split, nfc and ignoreMerges are one tokenizer and makes the tables
// that encoding and decoding look things up in. Its errors name the field of tokenizer.json.
func (t *Tokenizer) build() error {
	slices.SortFunc(t.added, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	var err error
	if t.names, err = namesOf(t.added); err != nil {
		return err
	}
	t.special = make(map[int32]bool)
	for _, a := range t.added {
		if a.Special {
			t.special[a.ID] = true
		}
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
	highest, err := checkIDs(t.vocab, t.added)
	if err != nil {
		return err
	}
	t.text = make([]string, highest+1)
	if t.ignoreMerges {
		t.whole = make(map[string]int32, len(t.vocab))
	}
	for _, token := range slices.Sorted(maps.Keys(t.vocab)) { // so that of two errors it is always the same that is told
		id := t.vocab[token]
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
	next := int32(len(t.vocab)) // Python numbers those that the vocabulary lacks itself, whatever the file says
	for i, a := range t.added {
		at := func(format string, args ...any) error {
			return fmt.Errorf("added_tokens[%d] (id %d, %.40q): "+format, append([]any{i, a.ID, a.Content}, args...)...)
		}
		if a.Content == "" {
			return at("content is empty")
		}
		if len(a.Content) > maxContent {
			return at("content has %d bytes, expected at most %d", len(a.Content), maxContent)
		}
		id, both := t.vocab[a.Content]
		if both && id != a.ID {
			return at("model.vocab has it with id %d", id)
		}
		if has := t.text[a.ID]; has != "" && (!both || has != a.Content) {
			return at("its id is that of another token, %q", has)
		}
		if !both && a.ID != next {
			return at("expected id %d, the next free one, which Python gives it", next)
		}
		next = max(next, a.ID+1)
		t.text[a.ID] = a.Content
	}
	t.raw, t.normed = newMatchers(t.added, t.normalize)
	return nil
}

// normalize is the text that pieces are cut from.
func (t *Tokenizer) normalize(text string) string {
	if t.nfc {
		return charset.NFC(text)
	}
	return text
}

// checkIDs refuses ids out of bounds and those that two tokens of a vocabulary have, and returns the highest.
func checkIDs(vocab map[string]int32, added []addedToken) (highest int32, err error) {
	highest = -1
	tokens := slices.Sorted(maps.Keys(vocab)) // so that of two errors it is always the same that is told
	for _, token := range tokens {
		id := vocab[token]
		if id < 0 || id >= maxID {
			return 0, fmt.Errorf("model.vocab: %.40q has id %d, expected 0 to %d", token, id, maxID-1)
		}
		highest = max(highest, id)
	}
	for i, a := range added {
		if a.ID < 0 || a.ID >= maxID {
			return 0, fmt.Errorf("added_tokens[%d]: id is %d, expected 0 to %d", i, a.ID, maxID-1)
		}
		highest = max(highest, a.ID)
	}
	taken := make([]bool, highest+1)
	for _, token := range tokens {
		if id := vocab[token]; taken[id] {
			return 0, fmt.Errorf("model.vocab: %.40q has id %d, which another token has too", token, id)
		}
		taken[vocab[token]] = true
	}
	return highest, nil
}
