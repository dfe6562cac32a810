package tokenizer

import (
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer/internal/charset"
)

// WordPiece is BERT's tokenizer (Devlin et al. 2018), with the same ids as Python's tokenizers. Text is cleaned,
// ideographs are set apart, accents taken off, letters made small; words and punctuation are then cut into the longest
// entries of the vocabulary, from left to right. Its methods may be called from many goroutines.
type WordPiece struct {
	vocab  map[string]int32 // as written
	starts map[string]int32 // entries that begin a word
	rest   map[string]int32 // entries that go on with one, without their prefix
	added  []addedToken
	names  map[string]int32
	raw    *matcher // added tokens met in the text as given
	normed *matcher // added tokens met in the normalised text

	longest  int // entry, in bytes
	maxChars int // of a word: a longer one is unknown
	unknown  int32
	before   []int32 // of every text: [CLS]
	after    []int32 // [SEP]
	size     int

	clean, apart, strip, lower bool // what is done to a text

	cache *cache
}

// Encode returns the ids of text with [CLS] before and [SEP] after it, however many they are. Names of added tokens in
// the text, such as [SEP], become those tokens. Bytes that are not UTF-8 count as U+FFFD.
func (w *WordPiece) Encode(text string) []int32 {
	ids := append(make([]int32, 0, len(text)/4+len(w.before)+len(w.after)), w.before...)
	ids = w.raw.around(ids, text, w.words)
	return append(ids, w.after...)
}

// EncodeCut is Encode cut to at most limit ids: the end of the text is left out, what stands before and after it is not.
func (w *WordPiece) EncodeCut(text string, limit int) []int32 {
	ids := w.Encode(text)
	if len(ids) <= limit {
		return ids
	}
	keep := max(limit-len(w.after), len(w.before))
	return append(ids[:keep], w.after...)
}

// VocabSize is one more than the highest id: the rows that an embedding needs.
func (w *WordPiece) VocabSize() int { return w.size }

// ID returns the id of a token by its name: "[SEP]", "go", "##ing".
func (w *WordPiece) ID(token string) (int32, bool) {
	if id, ok := w.names[token]; ok {
		return id, true
	}
	id, ok := w.vocab[token]
	return id, ok
}

// words appends the ids of a text without raw added tokens.
func (w *WordPiece) words(ids []int32, text string) []int32 {
	if w.normed.empty() && w.clean && w.lower && ascii(text) {
		return w.plain(ids, text)
	}
	return w.normed.around(ids, w.normalize(text), w.cut)
}

// normalize does to a text what the file asks for.
func (w *WordPiece) normalize(text string) string {
	var out strings.Builder
	out.Grow(len(text) + 8)
	for _, r := range text { // a byte that is not UTF-8 comes as U+FFFD
		t := charset.TraitsOf(r)
		switch {
		case w.clean && t&charset.Dropped != 0:
		case w.clean && t&charset.Blanked != 0:
			out.WriteByte(' ')
		case w.apart && t&charset.Ideograph != 0:
			out.WriteByte(' ')
			out.WriteRune(r)
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	text = out.String()
	if w.strip {
		text = charset.NFD(text)
	}
	if !w.strip && !w.lower {
		return text
	}
	out.Reset()
	out.Grow(len(text))
	for _, r := range text {
		t := charset.TraitsOf(r)
		switch {
		case w.strip && t&charset.Accent != 0:
		case !w.lower || t&charset.Cased == 0:
			out.WriteRune(r)
		default:
			out.WriteRune(charset.Lower(r))
			if r == 0x130 {
				out.WriteRune(0x307)
			}
		}
	}
	return out.String()
}

// cut appends the ids of a normalised text without added tokens.
func (w *WordPiece) cut(ids []int32, text string) []int32 {
	start := 0
	for i, r := range text {
		t := charset.TraitsOf(r)
		if t&(charset.Gap|charset.Punctuation) == 0 {
			continue
		}
		size := utf8.RuneLen(r)
		ids = w.word(ids, text[start:i])
		if t&charset.Gap == 0 {
			ids = w.word(ids, text[i:i+size])
		}
		start = i + size
	}
	return w.word(ids, text[start:])
}

// word appends the ids of a word, or the unknown token's.
func (w *WordPiece) word(ids []int32, word string) []int32 {
	if word == "" {
		return ids
	}
	if id, ok := w.starts[word]; ok {
		if len(word) <= w.maxChars || utf8.RuneCountInString(word) <= w.maxChars {
			return append(ids, id)
		}
		return append(ids, w.unknown)
	}
	if cached, ok := w.cache.get(word); ok {
		return append(ids, cached...)
	}
	from := len(ids)
	ids = w.split(ids, word)
	w.cache.put(word, ids[from:])
	return ids
}

func (w *WordPiece) split(ids []int32, word string) []int32 {
	from := len(ids)
	if len(word) > w.maxChars && utf8.RuneCountInString(word) > w.maxChars {
		return append(ids, w.unknown)
	}
	entries := w.starts
	for start := 0; start < len(word); {
		end := min(len(word), start+w.longest)
		for end > start {
			if end == len(word) || utf8.RuneStart(word[end]) {
				if id, ok := entries[word[start:end]]; ok {
					ids = append(ids, id)
					break
				}
			}
			end--
		}
		if end == start {
			return append(ids[:from], w.unknown)
		}
		start, entries = end, w.rest
	}
	return ids
}
