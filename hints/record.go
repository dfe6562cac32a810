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
	"github.com/hone-rl/hone/internal/exact"
)

// Record is one decision of the expert: a line of NAME.jsonl.
type Record struct {
	Game   string       `json:"game"`             // id, "split/task-folder/trial"
	Family string       `json:"family"`           // task family
	Expert env.PlanKind `json:"expert"`           // the kind of plan that Y is a command of
	Step   int          `json:"step"`             // 1 for the first command of the game
	Detour int          `json:"detour,omitempty"` // on the way back from this detour of the game; 0: not from one
	Astray []string     `json:"astray,omitempty"` // the commands of the detour, said after those of the game's first records
	X      agent.X      `json:"x"`                // what a player knows
	H      Hint         `json:"h"`                // what only the teacher is told
	Y      string       `json:"y"`                // the command
}

// from is how many commands of the game's plan were said before the detour.
func (r Record) from() int { return r.Step - 1 - len(r.Astray) }

// maxLine bounds a line of a dataset and maxGame those of one game, in bytes: real lines have some kilobytes.
const (
	maxLine = 4 << 20
	maxGame = 64 << 20
)

// WriteRecord writes r as one line: UTF-8, the fields in the order of Record, no blanks between, "<" as itself. A
// text that is not UTF-8, or a line longer than Records reads, is an error.
func WriteRecord(w io.Writer, r Record) error {
	line, err := encode(r)
	switch {
	case err != nil:
	case len(line) > maxLine:
		err = fmt.Errorf("%w: it has %d bytes, expected at most %d", env.ErrBadGame, len(line), maxLine)
	case bytes.Contains(line, []byte(`\ufffd`)): // what JSON has in place of bytes that are not UTF-8
		if _, err = decode(line); err != nil {
			err = fmt.Errorf("%w: %w", env.ErrBadGame, err)
		}
	}
	if err != nil {
		return fmt.Errorf("writing record %d of %s: %w", r.Step, r.Game, err)
	}
	_, err = w.Write(line)
	return err
}

// Lines are records as WriteRecord writes them. An error means that they are no records to keep: the game's text is
// not UTF-8, or too long.
func Lines(records []Record) ([]byte, error) {
	var b bytes.Buffer
	for _, r := range records {
		if err := WriteRecord(&b, r); err != nil {
			return nil, err
		}
		if b.Len() > maxGame {
			return nil, tooLong(r.Game, len(records))
		}
	}
	return b.Bytes(), nil
}

func tooLong(game string, records int) error {
	return fmt.Errorf("writing %d records of %s: %w: a game's records have at most %d bytes", records, game, env.ErrBadGame, maxGame)
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
	if at := exact.Difference(text, again); at >= 0 {
		return Record{}, fmt.Errorf("byte %d: expected the record as it is written, %q, got %q", at+1, exact.Near(again, at), exact.Near(text, at))
	}
	if r.X.History == nil || r.X.Admissible == nil || r.H.Source == nil || r.H.Plan == nil {
		return Record{}, errors.New("history, admissible, source or plan is null: expected a list")
	}
	if r.Game == "" || r.Step < 1 || r.Y == "" {
		return Record{}, fmt.Errorf("expected a game, a step from 1 and a command, got game %q, step %d, y %q", r.Game, r.Step, r.Y)
	}
	if r.Detour < 0 || (r.Detour == 0) != (len(r.Astray) == 0) || r.Detour > 0 && r.from() < 0 {
		return Record{}, fmt.Errorf("expected a detour from 1 with its commands and a step after them, or none, got detour %d, astray %q, step %d",
			r.Detour, r.Astray, r.Step)
	}
	return r, nil
}
