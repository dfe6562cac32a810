package webshop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hone-rl/hone/env"
)

// maxRecord bounds one product, or one entry of another file, in bytes. The largest of the 1,000 has 48 kB.
const maxRecord = 16 << 20

// stream reads a JSON file entry by entry, so that a catalogue of several gigabytes is never in memory as text.
type stream struct {
	name  string
	lines *lines
	json  *json.Decoder
	entry int // the one that is being read, counted from 1
}

func newStream(name string, r io.Reader) *stream {
	l := &lines{r: r}
	return &stream{name: name, lines: l, json: json.NewDecoder(l)}
}

// list reads a list and calls each for its elements. The element is each's until it returns.
func (s *stream) list(each func(element json.RawMessage) error) error {
	return s.entries('[', func() error {
		raw, err := s.value()
		if err != nil {
			return err
		}
		s.lines.forget(s.json.InputOffset() - int64(len(raw))) // without the comma before it
		return each(raw)
	})
}

// object reads an object and calls each for its members. A name may stand twice, as in Python.
func (s *stream) object(each func(name string, value json.RawMessage) error) error {
	return s.entries('{', func() error {
		name, err := s.json.Token()
		if err != nil {
			return err
		}
		s.lines.forget(s.json.InputOffset())
		raw, err := s.value()
		if err != nil {
			return fmt.Errorf("%.100q: %w", name, err)
		}
		if err := each(name.(string), raw); err != nil {
			return fmt.Errorf("%.100q: %w", name, err)
		}
		return nil
	})
}

// entries reads what stands between an opening bracket and its closing one, and nothing else in the file.
func (s *stream) entries(open json.Delim, next func() error) error {
	first, err := s.json.Token()
	switch {
	case err != nil && s.lines.marked():
		return s.fail(errors.New("the file begins with a byte order mark, expected UTF-8 without one"))
	case err != nil:
		return s.fail(err)
	}
	if first != open {
		return s.fail(fmt.Errorf("the file begins with %.20q, expected %q", fmt.Sprint(first), open))
	}
	for s.json.More() {
		s.entry++
		s.begin()
		if err := next(); err != nil {
			return s.fail(err)
		}
	}
	s.lines.forget(s.json.InputOffset())
	if _, err := s.json.Token(); err != nil {
		return s.fail(err)
	}
	switch _, err := s.json.Token(); {
	case err == nil:
		return s.fail(errors.New("something stands after the end, expected nothing"))
	case !errors.Is(err, io.EOF):
		return s.fail(err)
	}
	return nil
}

// begin says that the next entry begins behind blanks and a comma, on another line perhaps. The decoder has read them, or
// will.
func (s *stream) begin() {
	at, one, ahead := s.json.InputOffset(), []byte{0}, s.json.Buffered()
	for {
		if n, _ := ahead.Read(one); n == 0 {
			s.lines.await(at)
			return
		}
		if !between(one[0]) {
			s.lines.forget(at)
			return
		}
		at++
	}
}

// between reports whether a byte may stand between two entries.
func between(b byte) bool { return bytes.IndexByte([]byte(" \t\r\n,"), b) >= 0 }

func (s *stream) value() (json.RawMessage, error) {
	var raw json.RawMessage
	if err := s.json.Decode(&raw); err != nil {
		return nil, err
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("not UTF-8")
	}
	return raw, nil
}

// fail says where in the file an error is: on which line, and of which entry, it begins.
func (s *stream) fail(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if s.entry == 0 {
		return fmt.Errorf("%w: %s:%d: %w", env.ErrBadGame, s.name, s.lines.line(), err)
	}
	return fmt.Errorf("%w: %s:%d: entry %d: %w", env.ErrBadGame, s.name, s.lines.line(), s.entry, err)
}
