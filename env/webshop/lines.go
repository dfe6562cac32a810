package webshop

import (
	"fmt"
	"io"
	"slices"
)

// lines passes a file on and remembers where lines end, as far as the entry that is being read may still be told of.
type lines struct {
	r      io.Reader
	first  []byte  // the first two, if there are
	read   int64   // bytes passed on
	entry  int64   // offset of the entry
	passed int     // lines that end before it
	ends   []int64 // offsets behind the newlines after it
	ahead  bool    // it begins with the first byte to come that is not between two
	told   func(bytes int64)
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	room := l.entry + maxRecord - l.read
	if room <= 0 {
		return 0, fmt.Errorf("an entry of more than %d bytes", maxRecord)
	}
	n, err := l.r.Read(p[:min(int64(len(p)), room)])
	l.first = append(l.first, p[:min(n, 2-len(l.first))]...)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.read+int64(i)+1)
		}
	}
	if i := slices.IndexFunc(p[:n], func(b byte) bool { return !between(b) }); l.ahead && i >= 0 {
		l.forget(l.read + int64(i))
	}
	l.read += int64(n)
	if l.told != nil {
		l.told(int64(n))
	}
	return n, err
}

// marked says whether the file begins with a byte order mark, of UTF-8 or of UTF-16.
func (l *lines) marked() bool {
	return slices.Contains([]string{"\xef\xbb", "\xff\xfe", "\xfe\xff"}, string(l.first))
}

// forget says that an entry begins at offset.
func (l *lines) forget(offset int64) {
	k := 0
	for k < len(l.ends) && l.ends[k] <= offset {
		k++
	}
	l.passed += k
	l.ends = slices.Delete(l.ends, 0, k)
	l.entry, l.ahead = offset, false
}

// await says that an entry begins behind offset, up to which only blanks have come.
func (l *lines) await(offset int64) {
	l.forget(offset)
	l.ahead = true
}

// line is the one on which the entry begins, counted from 1.
func (l *lines) line() int { return l.passed + 1 }
