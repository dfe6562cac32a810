package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
)

// longestWord is the most UTF-16 units of a token; Lucene cuts a longer one there.
const longestWord = 255

// words yields the tokens of a text as Lucene's StandardTokenizer does: where several kinds of token begin at one place
// the longest is taken, and where none begins one character is passed over.
type words struct {
	text string
	like []byte // the text as the segmenter is to see it, byte for byte as long
	at   int    // in bytes
}

func (w *words) reset(text string) {
	w.text = strings.ToValidUTF8(text, "\uFFFD")
	w.like = alike(w.like[:0], w.text)
	w.at = 0
}

func (w *words) next() (string, bool) {
	for w.at < len(w.text) {
		n := w.token(len(w.text))
		if n > longestWord { // in bytes, perhaps not in UTF-16
			if cut := first(w.text[w.at:w.at+n], longestWord); cut < n {
				n = w.token(w.at + cut)
			}
		}
		from := w.at
		if n > 0 {
			w.at += n
			return w.text[from:w.at], true
		}
		_, n = utf8.DecodeRuneInString(w.text[w.at:])
		w.at += n
	}
	return "", false
}

// token is how many bytes of the text before end belong to the token that begins here, 0 if none does.
func (w *words) token(end int) int {
	rest := w.text[w.at:end]
	if c := rest[0]; c < utf8.RuneSelf && !startsWord[c] {
		if c == '#' || c == '*' {
			return keycap(rest)
		}
		return 0
	}
	if n := plain(rest); n > 0 {
		return n
	}
	n := max(emoji(rest), complexContext(rest))
	_, word, kind, err := segment.SegmentWords(w.like[w.at:end], true)
	if err == nil && kind != segment.None && len(word) > n && !underscores(word) {
		n = len(word)
	}
	return n
}

// startsWord are the ASCII characters that a token may begin with, those of a keycap aside.
var startsWord = func() (starts [utf8.RuneSelf]bool) {
	for c := range starts {
		starts[c] = c == '_' || letter(byte(c)) || digit(byte(c))
	}
	return starts
}()

// underscores reports whether a word joins words and has none itself. Unicode calls it a word, Lucene does not.
func underscores(word []byte) bool {
	for len(word) > 0 {
		r, n := utf8.DecodeRune(word)
		if !unicode.Is(unicode.Pc, r) && !extends(r) {
			return false
		}
		word = word[n:]
	}
	return true
}

// complexContext is the length of a run of Thai, Lao, Myanmar, Khmer and their like, whose words cannot be told apart
// by rules; 0 if there is none.
func complexContext(s string) int {
	end := 0
	for i, r := range s {
		if !unicode.Is(southEastAsian, r) && (i == 0 || !extends(r)) {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return end
}

// first is how many bytes of s hold at most n UTF-16 units, characters whole.
func first(s string, n int) int {
	for i, r := range s {
		if n--; r > 0xFFFF {
			n--
		}
		if n < 0 {
			return i
		}
	}
	return len(s)
}
