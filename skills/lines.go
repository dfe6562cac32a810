package skills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// maxLine bounds a line, in bytes. The longest record has less, each of its bytes written as \u0000.
const maxLine = 8 << 20

// writeLine writes v as JSON without blanks and escaped "<", and a line break. Numbers are written as shortly as they
// are read back exactly.
func writeLine(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// readLine reads what writeLine wrote, and nothing that says the same in another way.
func readLine(text []byte, v any) error {
	if err := exact.UnmarshalKnown(text, v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "line 1: ")) // the caller knows which line it is
	}
	var again bytes.Buffer
	if err := writeLine(&again, v); err != nil {
		return err
	}
	if at := exact.Difference(text, again.Bytes()); at >= 0 {
		return fmt.Errorf("%sbyte %d: got %q, expected it as it is written, %q", field(again.Bytes(), at), at+1, exact.Near(text, at), exact.Near(again.Bytes(), at))
	}
	return nil
}

var key = regexp.MustCompile(`"([a-z_]+)":`) // of an object: in texts there is a backslash before the second mark

// field is the name of the field that a byte of a line belongs to, and ", "; nothing if there is none.
func field(text []byte, at int) string {
	name := ""
	for _, found := range key.FindAllSubmatchIndex(text, -1) {
		if found[0] <= at {
			name = string(text[found[2]:found[3]]) + ", "
		}
	}
	return name
}

// lines yields the lines of a file, each with its line break, counted from 1.
func lines(file []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for n := 1; len(file) > 0; n++ {
			end := bytes.IndexByte(file, '\n') + 1
			if end == 0 {
				end = len(file) // cut off: readLine will not find its line break
			}
			if !yield(n, file[:end]) {
				return
			}
			file = file[end:]
		}
	}
}

func atLine(name string, n int, err error) error { return fmt.Errorf("%s line %d: %w", name, n, err) }

// checkLine refuses lines that no record needs.
func checkLine(text []byte) error {
	if len(text) > maxLine {
		return fmt.Errorf("%d bytes, expected at most %d", len(text), maxLine)
	}
	if text[len(text)-1] != '\n' {
		return errors.New("expected a line break at its end: the file is cut off")
	}
	return nil
}
