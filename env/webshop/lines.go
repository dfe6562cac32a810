package webshop

import (
	"fmt"
	"io"
	"slices"
)

// lines passes a file on and remembers where lines end, as far as the entry that is being read may still be told of.
type lines struct {
	r      io.Reader
	read   int64   // bytes passed on
	entry  int64   // offset of the entry
	passed int     // lines that end before it
	ends   []int64 // offsets behind the newlines after it
	told   func(bytes int64)
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	room := l.entry + maxRecord - l.read
	if room <= 0 {
		return 0, fmt.Errorf("an entry of more than %d bytes", maxRecord)
	}
	n, err := l.r.Read(p[:min(int64(len(p)), room)])
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.read+int64(i)+1)
		}
	}
	l.read += int64(n)
	if l.told != nil {
		l.told(int64(n))
	}
	return n, err
}

// forget says that an entry begins at offset.
func (l *lines) forget(offset int64) {
	k := 0
	for k < len(l.ends) && l.ends[k] <= offset {
		k++
	}
	l.passed += k
	l.ends = slices.Delete(l.ends, 0, k)
	l.entry = offset
}

// line is the one on which the entry begins, counted from 1.
func (l *lines) line() int { return l.passed + 1 }
