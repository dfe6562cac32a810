package alfworld

import (
	"bytes"
	"encoding/binary"
)

// quickReader reads JSON that is as game files are written: one object with the known keys, each once, whose texts
// are ASCII without \u. For all else it gives up and leaves the file to encoding/json, which needs a third of the time
// of loading a game; what it does read means the same.
type quickReader struct {
	data []byte
	pos  int
	out  []byte // a text being read
}

// quickFile reads a game file; false if it must be read with more care.
func quickFile(data []byte) (f file, ok bool) {
	r := &quickReader{data: data, out: make([]byte, 0, len(data))}
	if !r.sign('{') {
		return f, false
	}
	seen := map[string]bool{}
	for {
		key, ok := r.text()
		if !ok || seen[key] || !r.sign(':') {
			return f, false
		}
		seen[key] = true
		switch key {
		case "pddl_domain":
			f.Domain, ok = r.textOf()
		case "pddl_problem":
			f.Problem, ok = r.textOf()
		case "grammar":
			f.Grammar, ok = r.textOf()
		case "walkthrough":
			f.Walkthrough, ok = r.list()
		case "solvable":
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

// text reads a string.
func (r *quickReader) text() (string, bool) {
	if !r.sign('"') {
		return "", false
	}
	out := r.out[:0]
	for {
		n := plainBytes(r.data[r.pos:])
		out = append(out, r.data[r.pos:r.pos+n]...)
		r.pos += n
		if r.pos+1 >= len(r.data) {
			return "", false
		}
		switch r.data[r.pos] {
		case '"':
			r.pos++
			return string(out), true
		case '\\':
			c := unescape[r.data[r.pos+1]]
			if c == 0 {
				return "", false
			}
			out = append(out, c)
			r.pos += 2
		default:
			return "", false
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
