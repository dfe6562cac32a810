package tokenizer

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

// addedToken is an entry of tokenizer.json's added_tokens.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // found only where no letter, mark, digit or _ stands beside it
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`      // takes the white space behind it
	Normalized bool   `json:"normalized"`  // looked for in the normalised text
	Special    bool   `json:"special"`
}

// matcher finds added tokens in a text: leftmost first, of those the longest. It is a trie over bytes.
type matcher struct {
	first  [256]bool
	next   map[edge]int32 // to a node; the root is 0
	token  []int32        // that ends at a node, as an index into tokens; -1 if none
	tokens []addedToken
}

type edge struct {
	node int32
	by   byte
}

// newMatchers are those for the text as given and for the normalised text. Tokens of which normalizing leaves nothing
// are never found.
func newMatchers(tokens []addedToken, normalize func(string) string) (raw, normed *matcher) {
	raw, normed = newMatcher(), newMatcher()
	for _, token := range tokens {
		if token.Normalized {
			normed.add(token, normalize(token.Content))
		} else {
			raw.add(token, token.Content)
		}
	}
	return raw, normed
}

func newMatcher() *matcher { return &matcher{next: make(map[edge]int32), token: []int32{-1}} }

func (m *matcher) empty() bool { return len(m.tokens) == 0 }

func (m *matcher) add(token addedToken, text string) {
	if text == "" {
		return
	}
	m.first[text[0]] = true
	node := int32(0)
	for i := range len(text) {
		e := edge{node, text[i]}
		to, ok := m.next[e]
		if !ok {
			to = int32(len(m.token))
			m.token = append(m.token, -1)
			m.next[e] = to
		}
		node = to
	}
	m.token[node] = int32(len(m.tokens))
	m.tokens = append(m.tokens, token)
}

// found is a token in a text: where its text ends, and what it takes with the white space around.
type found struct {
	id               int32
	start, text, end int
}

// find returns the first token whose text begins at or after from. White space before taken is not its own.
func (m *matcher) find(text string, from, taken int) (f found, ok bool) {
	if m.empty() {
		return found{}, false
	}
	for start := from; start < len(text); start++ {
		if !m.first[text[start]] {
			continue
		}
		index, node, end := int32(-1), int32(0), start
		for i := start; i < len(text); i++ {
			to, ok := m.next[edge{node, text[i]}]
			if !ok {
				break
			}
			node = to
			if m.token[node] >= 0 {
				index, end = m.token[node], i+1
			}
		}
		if index < 0 {
			continue
		}
		token := &m.tokens[index]
		if token.SingleWord && (wordBefore(text[:start]) || wordAfter(text[end:])) {
			start = end - 1 // nothing is looked for inside it, as Python does
			continue
		}
		f = found{token.ID, start, end, end}
		if token.LStrip {
			f.start = max(taken, blanksBefore(text[:start]))
		}
		if token.RStrip {
			f.end = blanksAfter(text, end)
		}
		return f, true
	}
	return found{}, false
}

// around appends the ids of the tokens in a text, and between them what encode makes of the text there. A token of
// white space is found, as Python does, in what the token before has taken, too, unless it takes what is before it.
func (m *matcher) around(ids []int32, text string, encode func(ids []int32, text string) []int32) []int32 {
	from, taken := 0, 0
	for {
		f, ok := m.find(text, from, taken)
		if !ok {
			return encode(ids, text[taken:])
		}
		if taken < f.start {
			ids = encode(ids, text[taken:f.start])
		}
		if from = f.text; f.start < f.end {
			ids, taken = append(ids, f.id), f.end
		}
	}
}

// isWord is \w of Rust's regular expressions.
func isWord(r rune) bool {
	switch charset.ClassOf(r) {
	case charset.Letter, charset.Mark:
		return true
	}
	return unicode.In(r, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

func wordBefore(text string) bool {
	r, size := utf8.DecodeLastRuneInString(text)
	return size > 0 && isWord(r)
}

func wordAfter(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && isWord(r)
}

func blanksBefore(text string) int {
	for text != "" {
		r, size := utf8.DecodeLastRuneInString(text)
		if charset.ClassOf(r) != charset.Space {
			break
		}
		text = text[:len(text)-size]
	}
	return len(text)
}

func blanksAfter(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if charset.ClassOf(r) != charset.Space {
			break
		}
		at += size
	}
	return at
}

// namesOf are the ids of added tokens by their texts.
func namesOf(added []addedToken) (map[string]int32, error) {
	names := make(map[string]int32, len(added))
	for _, a := range added {
		if _, ok := names[a.Content]; ok {
			return nil, fmt.Errorf("added_tokens: %q is there twice", a.Content)
		}
		names[a.Content] = a.ID
	}
	return names, nil
}
