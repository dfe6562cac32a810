package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// Decode returns the text of ids, added tokens by their names. Ids that are no token's are left out, as Python
// does: a model's vocabulary may be padded. The bytes are exact, so a cut through a character stays a cut;
// [Valid] makes of it what Python shows.
func (t *Tokenizer) Decode(ids []int32) string { return string(t.decode(ids, false)) }

// DecodePlain is Decode without special tokens, such as <|im_end|>.
func (t *Tokenizer) DecodePlain(ids []int32) string { return string(t.decode(ids, true)) }

func (t *Tokenizer) decode(ids []int32, plain bool) []byte {
	size := 0
	for _, id := range ids {
		size += len(t.textOf(id))
	}
	out := make([]byte, 0, size)
	for _, id := range ids {
		if !plain || !t.special[id] {
			out = append(out, t.textOf(id)...)
		}
	}
	return out
}

// Valid replaces what is not UTF-8 in a text by U+FFFD, as Python's decoders do: one for each byte, but for the bytes
// that begin a character and lack its end one for them together.
func Valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text) + 8)
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			size = max(1, begun(text))
		}
		out.WriteRune(r)
		text = text[size:]
	}
	return out.String()
}

// begun is how many bytes at the start of a text, that is not a whole character, could become one.
func begun(text string) int {
	lead := text[0]
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch {
	case 0xC2 <= lead && lead <= 0xDF:
		need = 2
	case lead&0xF0 == 0xE0:
		need = 3
	case 0xF0 <= lead && lead <= 0xF4:
		need = 4
	default:
		return 0
	}
	switch lead { // no overlong forms, no surrogates, nothing above U+10FFFF
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n < min(need, len(text)) && low <= text[n] && text[n] <= high {
		n++
		low, high = 0x80, 0xBF
	}
	return n
}

// Stream decodes ids as they come. What Add and End return, put together, is Valid(Decode(ids)).
type Stream struct {
	t    *Tokenizer
	held string // the beginning of a character
}

// NewStream decodes from the start of a text.
func (t *Tokenizer) NewStream() *Stream { return &Stream{t: t} }

// Add returns the text that the next id completes. Bytes that begin a character are held back until it is whole or
// cannot become so any more.
func (s *Stream) Add(id int32) string {
	text := s.held + s.t.textOf(id)
	cut := len(text)
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if n := begun(text[i:]); n > 0 && i+n == len(text) && !utf8.FullRuneInString(text[i:]) {
			cut = i
			break
		}
	}
	s.held = text[cut:]
	return Valid(text[:cut])
}

// End returns what is still held back, as U+FFFD, and begins anew.
func (s *Stream) End() string {
	text := Valid(s.held)
	s.held = ""
	return text
}
