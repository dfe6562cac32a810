package alfworld

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// quickReader reads JSON that is as game files are written: one object with the known keys, each once, whose texts
// are ASCII without \u. For all else it gives up and leaves the file to encoding/json, which needs a third of the time
// of loading a game; what it does read means the same.
type quickReader struct {
	data  []byte
	pos   int
	known func(rest []byte) (text, quoted string)
}

// quickFile reads a game file; false if it must be read with more care. If rest, which follows a quotation mark,
// goes on with a text that known knows, it may give that text and how it stands there, with the mark at its end.
func quickFile(data []byte, known func(rest []byte) (text, quoted string)) (f file, ok bool) {
	r := &quickReader{data: data, known: known}
	if !r.sign('{') {
		return f, false
	}
	for {
		key, ok := r.text()
		if !ok || !r.sign(':') {
			return f, false
		}
		switch {
		case key == "pddl_domain" && f.Domain == nil:
			f.Domain, ok = r.domain(&f)
		case key == "pddl_problem" && f.Problem == nil:
			f.Problem, ok = r.textOf()
		case key == "grammar" && f.Grammar == nil:
			f.Grammar, ok = r.textOf()
		case key == "walkthrough" && f.Walkthrough == nil:
			f.Walkthrough, ok = r.list()
		case key == "solvable":
			ok = r.word("true") || r.word("false") || r.word("null")
		default:
			ok = false
		}
		if !ok {
			return f, false
		}
		if !r.sign(',') {
			break
		}
	}
	return f, r.sign('}') && len(r.rest()) == 0
}

// rest is what follows the white space.
func (r *quickReader) rest() []byte {
	for r.pos < len(r.data) && bytes.IndexByte([]byte(" \t\r\n"), r.data[r.pos]) >= 0 {
		r.pos++
	}
	return r.data[r.pos:]
}

func (r *quickReader) sign(c byte) bool {
	if rest := r.rest(); len(rest) == 0 || rest[0] != c {
		return false
	}
	r.pos++
	return true
}

func (r *quickReader) word(w string) bool {
	if !bytes.HasPrefix(r.rest(), []byte(w)) {
		return false
	}
	r.pos += len(w)
	return true
}

func (r *quickReader) list() ([]string, bool) {
	if r.word("null") {
		return nil, true
	}
	if !r.sign('[') {
		return nil, false
	}
	list := []string{}
	if r.sign(']') {
		return list, true
	}
	for {
		text, ok := r.text()
		if !ok {
			return nil, false
		}
		list = append(list, text)
		if !r.sign(',') {
			return list, r.sign(']')
		}
	}
}

func (r *quickReader) textOf() (*string, bool) {
	text, ok := r.text()
	return &text, ok
}

// domain reads the text that most files have in common, and notes how it stands in the file.
func (r *quickReader) domain(f *file) (*string, bool) {
	if !r.sign('"') {
		return nil, false
	}
	if text, quoted := r.known(r.data[r.pos:]); quoted != "" {
		f.domain = r.data[r.pos : r.pos+len(quoted)]
		r.pos += len(quoted)
		return &text, true
	}
	start := r.pos
	r.pos-- // to the mark
	text, ok := r.textOf()
	f.domain = r.data[start:r.pos]
	return text, ok
}

// text reads a string.
func (r *quickReader) text() (string, bool) {
	if !r.sign('"') {
		return "", false
	}
	size, plain := r.quoted()
	if size < 0 {
		return "", false
	}
	quoted := r.data[r.pos : r.pos+size]
	r.pos += size + 1
	if plain {
		return string(quoted), true
	}
	var out strings.Builder
	out.Grow(size)
	for len(quoted) > 0 {
		n := plainBytes(quoted)
		out.Write(quoted[:n])
		if quoted = quoted[n:]; len(quoted) > 0 {
			out.WriteByte(unescape[quoted[1]])
			quoted = quoted[2:]
		}
	}
	return out.String(), true
}

// quoted is how long the string is up to its quotation mark, and whether it has no escapes; -1 for one that must be
// read with more care.
func (r *quickReader) quoted() (size int, plain bool) {
	rest := r.data[r.pos:]
	plain = true
	for at := 0; ; at += 2 {
		at += plainBytes(rest[at:])
		switch {
		case at < len(rest) && rest[at] == '"':
			return at, plain
		case at+1 < len(rest) && rest[at] == '\\' && unescape[rest[at+1]] != 0:
			plain = false
		default:
			return -1, false
		}
	}
}

// unescape is what may follow a backslash and what it stands for.
var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// plainBytes is how many bytes at the beginning are ASCII, but no control character, quote or backslash. It looks at
// eight at a time.
func plainBytes(data []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(data); n += 8 {
		x := binary.LittleEndian.Uint64(data[n:])
		quote, slash := x^ones*'"', x^ones*'\\'
		if (x|(x-ones*' ')|(quote-ones)|(slash-ones))&tops != 0 {
			break // one of the eight, or a borrow from one beside it: the next loop tells
		}
	}
	for n < len(data) && data[n] >= ' ' && data[n] < 0x80 && data[n] != '"' && data[n] != '\\' {
		n++
	}
	return n
}
