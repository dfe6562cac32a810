package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Save writes tokenizer.json, tokenizer_config.json and special_tokens_map.json into dir, which is made if it
// is missing, so that Python's tokenizers and transformers load them and give the same ids. The same tokenizer
// gives the same bytes. The first special token ends texts and pads them. What a loaded tokenizer's folder held
// beside the ids (a chat template, a length limit) is not kept.
func (t *Tokenizer) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("saving tokenizer: %w", err)
	}
	special := t.specialNames()
	config := map[string]any{
		"add_prefix_space":             false,
		"clean_up_tokenization_spaces": false,
		"tokenizer_class":              "PreTrainedTokenizerFast",
	}
	maps.Copy(config, special)
	for _, f := range []struct {
		name    string
		content any
	}{
		{"tokenizer.json", t.file()},
		{"tokenizer_config.json", config},
		{"special_tokens_map.json", special},
	} {
		data, err := marshal(f.content, "  ")
		if err != nil {
			return fmt.Errorf("saving tokenizer: writing %s: %w", f.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), data, 0o644); err != nil {
			return fmt.Errorf("saving tokenizer: %w", err)
		}
	}
	return nil
}

// marshal is json.Marshal that writes <, > and & as they are.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// specialNames says which token ends and pads.
func (t *Tokenizer) specialNames() map[string]any {
	for _, a := range t.added {
		if a.Special {
			return map[string]any{"eos_token": a.Content, "pad_token": a.Content}
		}
	}
	return map[string]any{}
}

// file is tokenizer.json; maps are written by sorted key, the vocabulary by id.
func (t *Tokenizer) file() any {
	var normalizer any
	if t.nfc {
		normalizer = map[string]any{"type": "NFC"}
	}
	byteLevel := map[string]any{
		"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false,
	}
	names := make([]string, len(t.text))
	for name, id := range t.vocab {
		names[id] = name
	}
	merges := make([][2]string, len(t.merges))
	for i, m := range t.merges {
		merges[i] = [2]string{names[m.left], names[m.right]}
	}
	added := t.added
	if added == nil {
		added = []addedToken{}
	}
	return map[string]any{
		"version":      "1.0",
		"truncation":   nil,
		"padding":      nil,
		"added_tokens": added,
		"normalizer":   normalizer,
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{
			map[string]any{
				"type": "Split", "pattern": map[string]any{"Regex": t.split.pattern},
				"behavior": "Isolated", "invert": false,
			},
			byteLevel,
		}},
		"post_processor": nil,
		"decoder":        byteLevel,
		"model": map[string]any{
			"type": "BPE", "dropout": nil, "unk_token": nil,
			"continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "ignore_merges": t.ignoreMerges,
			"vocab": byID(t.vocab), "merges": merges,
		},
	}
}

// byID writes a vocabulary in the order of its ids.
type byID map[string]int32

// MarshalJSON implements json.Marshaler.
func (v byID) MarshalJSON() ([]byte, error) {
	names := slices.SortedFunc(maps.Keys(v), func(a, b string) int { return cmp.Compare(v[a], v[b]) })
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		key, err := marshal(name, "")
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%d", key, v[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
