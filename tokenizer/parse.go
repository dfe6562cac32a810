package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

// file is the part of tokenizer.json that decides ids. Truncation and padding are left alone: callers cut, and
// so do Python's, which set both at every call.
type file struct {
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    *component      `json:"normalizer"`
	PreTokenizer  *component      `json:"pre_tokenizer"`
	PostProcessor *component      `json:"post_processor"`
	Decoder       *component      `json:"decoder"`
	Model         json.RawMessage `json:"model"`
}

// component is a normaliser, pre-tokenizer, post-processor or decoder.
type component struct {
	Type          string            `json:"type"`
	Normalizers   []component       `json:"normalizers"`
	Pretokenizers []component       `json:"pretokenizers"`
	Pattern       map[string]string `json:"pattern"`
	Behavior      string            `json:"behavior"`
	Invert        bool              `json:"invert"`
	PrefixSpace   bool              `json:"add_prefix_space"`
	UseRegex      *bool             `json:"use_regex"` // missing is true
}

type modelFile struct {
	Type         string           `json:"type"`
	Dropout      *float64         `json:"dropout"`
	Prefix       *string          `json:"continuing_subword_prefix"`
	Suffix       *string          `json:"end_of_word_suffix"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
	Vocab        map[string]int32 `json:"vocab"`
	Merges       mergeList        `json:"merges"`
}

// mergeList reads merges as ["a b", …], the older form, or [["a", "b"], …].
type mergeList [][2]string

// UnmarshalJSON implements json.Unmarshaler.
func (m *mergeList) UnmarshalJSON(data []byte) error {
	*m = mergeList{}
	var pairs [][]string
	if err := exact.Unmarshal(data, &pairs); err == nil {
		for i, p := range pairs {
			if len(p) != 2 {
				return fmt.Errorf("model.merges[%d]: %d tokens, expected 2", i, len(p))
			}
			*m = append(*m, [2]string{p[0], p[1]})
		}
		return nil
	}
	var lines []string
	if err := exact.Unmarshal(data, &lines); err != nil {
		return errors.New(`model.merges: expected all of ["a b", …] or all of [["a", "b"], …]`)
	}
	for i, line := range lines {
		left, right, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(right, " ") {
			return fmt.Errorf("model.merges[%d]: %q, expected two tokens and a blank between", i, line)
		}
		*m = append(*m, [2]string{left, right})
	}
	return nil
}

// Load reads the tokenizer.json at path. What would change ids and is not supported is an error that names the
// file and the field.
func Load(path string) (*Tokenizer, error) {
	data, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("loading tokenizer: %w", err)
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("loading tokenizer %s: %w", path, err)
	}
	return t, nil
}

// maxFile bounds a file, in bytes: the largest published tokenizer.json have about 30 MB.
const maxFile = 1 << 28

// Parse reads the content of a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := exact.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	t := &Tokenizer{added: f.AddedTokens}
	if err := t.readModel(f.Model); err != nil {
		return nil, err
	}
	var err error
	if t.nfc, err = readNormalizer(f.Normalizer, "normalizer"); err != nil {
		return nil, err
	}
	if t.split, err = readPreTokenizer(f.PreTokenizer); err != nil {
		return nil, err
	}
	if p := f.PostProcessor; p != nil && p.Type != "ByteLevel" {
		return nil, fmt.Errorf("post_processor: type %q is not supported (expected ByteLevel or null)", p.Type)
	}
	if d := f.Decoder; d == nil {
		return nil, errors.New("decoder: missing, expected type ByteLevel")
	} else if d.Type != "ByteLevel" {
		return nil, fmt.Errorf("decoder: type %q is not supported (expected ByteLevel)", d.Type)
	}
	if err := t.build(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Tokenizer) readModel(data json.RawMessage) error {
	if len(data) == 0 || string(data) == "null" {
		return errors.New("model: missing")
	}
	var m modelFile
	err := exact.Unmarshal(data, &m)
	switch {
	case m.Type != "BPE" && m.Type != "": // its vocabulary may have another shape, which is no news
		return fmt.Errorf("model.type: %q is not supported (expected BPE)", m.Type)
	case err != nil:
		return fmt.Errorf("model: %w", err)
	case m.Dropout != nil && *m.Dropout != 0:
		return fmt.Errorf("model.dropout: %g is not supported (expected null)", *m.Dropout)
	case m.Prefix != nil && *m.Prefix != "":
		return fmt.Errorf("model.continuing_subword_prefix: %q is not supported (expected none)", *m.Prefix)
	case m.Suffix != nil && *m.Suffix != "":
		return fmt.Errorf("model.end_of_word_suffix: %q is not supported (expected none)", *m.Suffix)
	case m.ByteFallback:
		return errors.New("model.byte_fallback: true is not supported (expected false)")
	case m.Vocab == nil:
		return errors.New("model.vocab: missing")
	case m.Merges == nil:
		return errors.New("model.merges: missing")
	}
	t.vocab, t.ignoreMerges = m.Vocab, m.IgnoreMerges
	t.merges = make([]merge, len(m.Merges))
	for i, p := range m.Merges {
		left, ok := m.Vocab[p[0]]
		if !ok {
			return fmt.Errorf("model.merges[%d]: %q is not in model.vocab", i, p[0])
		}
		right, ok := m.Vocab[p[1]]
		if !ok {
			return fmt.Errorf("model.merges[%d]: %q is not in model.vocab", i, p[1])
		}
		both, ok := m.Vocab[p[0]+p[1]]
		if !ok {
			return fmt.Errorf("model.merges[%d]: %q is not in model.vocab", i, p[0]+p[1])
		}
		t.merges[i] = merge{pair{left, right}, both}
	}
	return nil
}
