package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

// wordPieceFile is the part of tokenizer.json that decides ids. Its truncation and padding are left alone: callers
// cut, and a package of all-MiniLM-L6-v2 asks for 128 where the model's limit is 256.
type wordPieceFile struct {
	AddedTokens []addedToken `json:"added_tokens"`
	Normalizer  *struct {
		Type      string `json:"type"`
		CleanText *bool  `json:"clean_text"`
		Chinese   *bool  `json:"handle_chinese_chars"`
		Strip     *bool  `json:"strip_accents"` // null: as lowercase
		Lowercase *bool  `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Model         struct {
		Type     string           `json:"type"`
		Unknown  *string          `json:"unk_token"`
		Prefix   *string          `json:"continuing_subword_prefix"`
		MaxChars *int             `json:"max_input_chars_per_word"`
		Vocab    map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// LoadWordPiece reads dir's tokenizer.json or, where there is none, vocab.txt with the settings of uncased BERT.
func LoadWordPiece(dir string) (*WordPiece, error) {
	path, parse := filepath.Join(dir, "tokenizer.json"), ParseWordPiece
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		path, parse = filepath.Join(dir, "vocab.txt"), ParseWordPieceVocab
	}
	data, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("loading tokenizer: %w", err)
	}
	w, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("loading tokenizer %s: %w", path, err)
	}
	return w, nil
}

// ParseWordPiece reads the content of a tokenizer.json whose model is WordPiece. What would change ids and is not
// supported is an error that names the field.
func ParseWordPiece(data []byte) (*WordPiece, error) {
	var f wordPieceFile
	err := exact.Unmarshal(data, &f)
	m, n := f.Model, f.Normalizer
	switch {
	case m.Type != "WordPiece" && (m.Type != "" || err == nil): // a vocabulary of another shape is no news then
		return nil, fmt.Errorf("model.type: %q is not supported (expected WordPiece)", m.Type)
	case err != nil:
		return nil, fmt.Errorf("reading JSON: %w", err)
	case n == nil || n.Type != "BertNormalizer":
		return nil, errors.New("normalizer: expected type BertNormalizer")
	case f.PreTokenizer == nil || f.PreTokenizer.Type != "BertPreTokenizer":
		return nil, errors.New("pre_tokenizer: expected type BertPreTokenizer")
	case m.Prefix != nil && *m.Prefix == "":
		return nil, errors.New("model.continuing_subword_prefix: none is not supported (expected ##)")
	}
	or := func(v *bool) bool { return v == nil || *v }
	w := &WordPiece{
		vocab: m.Vocab, added: f.AddedTokens, maxChars: 100,
		clean: or(n.CleanText), apart: or(n.Chinese), lower: or(n.Lowercase), strip: or(n.Lowercase),
	}
	if n.Strip != nil {
		w.strip = *n.Strip
	}
	if m.MaxChars != nil {
		w.maxChars = *m.MaxChars
	}
	unknown, prefix := "[UNK]", "##"
	if m.Unknown != nil {
		unknown = *m.Unknown
	}
	if m.Prefix != nil {
		prefix = *m.Prefix
	}
	if err := w.build(unknown, prefix); err != nil {
		return nil, err
	}
	if w.before, w.after, err = w.readTemplate(f.PostProcessor); err != nil {
		return nil, err
	}
	return w, nil
}

// ParseWordPieceVocab reads a vocab.txt, one token a line, the first with id 0, with the settings of uncased BERT.
func ParseWordPieceVocab(data []byte) (*WordPiece, error) {
	w := &WordPiece{vocab: map[string]int32{}, maxChars: 100, clean: true, apart: true, strip: true, lower: true}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) > maxID {
		return nil, fmt.Errorf("%d lines, expected at most %d", len(lines), maxID)
	}
	for i, line := range lines {
		token := strings.TrimRight(line, "\r")
		if other, ok := w.vocab[token]; ok {
			return nil, fmt.Errorf("line %d: %q stands in line %d too", i+1, token, other+1)
		}
		w.vocab[token] = int32(i)
	}
	for _, name := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		id, ok := w.vocab[name]
		if !ok {
			return nil, fmt.Errorf("no line is %s", name)
		}
		w.added = append(w.added, addedToken{ID: id, Content: name, Special: true})
	}
	w.before, w.after = []int32{w.vocab["[CLS]"]}, []int32{w.vocab["[SEP]"]}
	return w, w.build("[UNK]", "##")
}

// build makes the tables that encoding looks things up in. Its errors name the field of tokenizer.json.
func (w *WordPiece) build(unknown, prefix string) error {
	if w.maxChars < 1 || w.maxChars > 1<<16 {
		return fmt.Errorf("model.max_input_chars_per_word: %d, expected 1 to %d", w.maxChars, 1<<16)
	}
	id, ok := w.vocab[unknown]
	if !ok {
		return fmt.Errorf("model.unk_token: %q is not in model.vocab", unknown)
	}
	w.unknown = id
	highest, err := checkIDs(w.vocab, w.added)
	if err != nil {
		return err
	}
	w.size = int(highest) + 1
	w.starts, w.rest = make(map[string]int32, len(w.vocab)), make(map[string]int32)
	for token, id := range w.vocab {
		w.starts[token] = id
		if after, ok := strings.CutPrefix(token, prefix); ok {
			w.rest[after] = id
		}
		w.longest = max(w.longest, len(token))
	}
	if w.names, err = namesOf(w.added); err != nil {
		return err
	}
	next := int32(len(w.vocab))
	for i, a := range w.added {
		if a.Content == "" {
			return fmt.Errorf("added_tokens[%d] (id %d): content is empty", i, a.ID)
		}
		id, both := w.vocab[a.Content]
		switch {
		case both && id != a.ID:
			return fmt.Errorf("added_tokens[%d] (id %d, %.40q): model.vocab has it with id %d", i, a.ID, a.Content, id)
		case !both && a.ID != next:
			return fmt.Errorf("added_tokens[%d] (id %d, %.40q): expected id %d, the next free one, which Python gives it", i, a.ID, a.Content, next)
		case len(a.Content) > maxContent:
			return fmt.Errorf("added_tokens[%d] (id %d): content has %d bytes, expected at most %d", i, a.ID, len(a.Content), maxContent)
		}
		next = max(next, a.ID+1)
	}
	w.raw, w.normed = newMatchers(w.added, w.normalize)
	w.cache = newCache()
	return nil
}

// readTemplate is what a post-processor puts before and after a text.
func (w *WordPiece) readTemplate(data json.RawMessage) (before, after []int32, err error) {
	const field = "post_processor"
	var p struct {
		Type   string                       `json:"type"`
		Single []map[string]json.RawMessage `json:"single"`
		Sep    json.RawMessage              `json:"sep"`
		Cls    json.RawMessage              `json:"cls"`
	}
	if len(data) == 0 || string(data) == "null" {
		return nil, nil, nil
	}
	if err := exact.Unmarshal(data, &p); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", field, err)
	}
	special := func(at, name string) ([]int32, error) {
		id, ok := w.ID(name)
		if !ok {
			return nil, fmt.Errorf("%s.%s: %q is no token", field, at, name)
		}
		return []int32{id}, nil
	}
	switch p.Type {
	case "BertProcessing":
		for _, end := range []struct {
			at  string
			raw json.RawMessage
			to  *[]int32
		}{{"cls", p.Cls, &before}, {"sep", p.Sep, &after}} {
			var pair [2]any
			if err := exact.Unmarshal(end.raw, &pair); err != nil {
				return nil, nil, fmt.Errorf("%s.%s: %w", field, end.at, err)
			}
			name, _ := pair[0].(string)
			if *end.to, err = special(end.at, name); err != nil {
				return nil, nil, err
			}
		}
		return before, after, nil
	case "TemplateProcessing":
	default:
		return nil, nil, fmt.Errorf("%s: type %q is not supported (expected TemplateProcessing, BertProcessing or null)", field, p.Type)
	}
	texts := 0
	for i, piece := range p.Single {
		at := fmt.Sprintf("single[%d]", i)
		switch raw := piece["SpecialToken"]; {
		case piece["Sequence"] != nil:
			texts++
		case raw != nil:
			var token struct {
				ID string `json:"id"`
			}
			if err := exact.Unmarshal(raw, &token); err != nil {
				return nil, nil, fmt.Errorf("%s.%s: %w", field, at, err)
			}
			ids, err := special(at, token.ID)
			if err != nil {
				return nil, nil, err
			}
			if texts == 0 {
				before = append(before, ids...)
			} else {
				after = append(after, ids...)
			}
		default:
			return nil, nil, fmt.Errorf("%s.%s: expected SpecialToken or Sequence", field, at)
		}
	}
	if texts != 1 {
		return nil, nil, fmt.Errorf("%s.single: %d texts, expected 1", field, texts)
	}
	return before, after, nil
}
