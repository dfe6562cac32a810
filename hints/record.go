package hints

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// Record is one decision of the expert: a line of NAME.jsonl.
type Record struct {
	Game   string       `json:"game"`   // id, "split/task-folder/trial"
	Family string       `json:"family"` // task family
	Expert env.PlanKind `json:"expert"` // the kind of plan that Y is a command of
	Step   int          `json:"step"`   // 1 for the first command of the game
	X      agent.X      `json:"x"`      // what a player knows
	H      Hint         `json:"h"`      // what only the teacher is told
	Y      string       `json:"y"`      // the command
}

// maxLine bounds a line of a dataset, in bytes: real ones have some kilobytes.
const maxLine = 4 << 20

// WriteRecord writes r as one line: UTF-8, the fields in the order of Record, no blanks between, "<" as itself. A
// text that is not UTF-8 is an error.
func WriteRecord(w io.Writer, r Record) error {
	line, err := encode(r)
	if err == nil && bytes.Contains(line, []byte(`\ufffd`)) { // what JSON has in place of bytes that are not UTF-8
		_, err = decode(line)
	}
	if err != nil {
		return fmt.Errorf("writing record %d of %s: %w", r.Step, r.Game, err)
	}
	_, err = w.Write(line)
	return err
}

// Records reads what WriteRecord wrote, byte for byte: an unknown or doubled field, a field left out or another
// way to write the same is refused, so that nothing stands in a dataset that the audit does not see. After an
// error, which names the line, nothing more comes.
func Records(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for line, err := range lines(r) {
			var rec Record
			if err == nil {
				rec, err = decode(line.text)
			}
			if err != nil {
				yield(Record{}, fmt.Errorf("records line %d: %w", line.number, err))
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// line is a line of a file with its line break.
type line struct {
	number int // 1 for the first
	text   []byte
}

// lines yields r line by line. The bytes are good until the next one.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 0, 64<<10), maxLine)
		in.Split(func(data []byte, eof bool) (int, []byte, error) {
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				return i + 1, data[:i+1], nil
			}
			if eof && len(data) > 0 {
				return 0, nil, errors.New("expected a line break at its end: the file is cut off")
			}
			return 0, nil, nil
		})
		n := 0
		for in.Scan() {
			n++
			if !yield(line{n, in.Bytes()}, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("expected at most %d bytes", maxLine)
			}
			yield(line{number: n + 1}, err)
		}
	}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func decode(text []byte) (Record, error) {
	var r Record
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, err
	}
	again, err := encode(r)
	if err != nil {
		return Record{}, err
	}
	if at := firstDifference(text, again); at >= 0 {
		return Record{}, fmt.Errorf("byte %d: expected the record as it is written, %q, got %q", at+1, near(again, at), near(text, at))
	}
	if r.X.History == nil || r.X.Admissible == nil || r.H.Source == nil || r.H.Plan == nil {
		return Record{}, errors.New("history, admissible, source or plan is null: expected a list")
	}
	if r.Game == "" || r.Step < 1 || r.Y == "" {
		return Record{}, fmt.Errorf("expected a game, a step from 1 and a command, got game %q, step %d, y %q", r.Game, r.Step, r.Y)
	}
	return r, nil
}

// firstDifference is where a and b part, -1 if nowhere.
func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return min(len(a), len(b))
}

func near(text []byte, at int) []byte { return text[at:min(len(text), at+24)] }
