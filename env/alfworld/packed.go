package alfworld

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ulikunitz/xz"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/exact"
)

const (
	packedName = "games.jsonl.xz"
	// goalMark stands for the task sentence in the grammar beside a packed list.
	goalMark = "UNKNOWN GOAL"
	// maxLine is how long a line of a packed list may be, in bytes; the longest of the real ones has 90 kB.
	maxLine = 16 << 20
)

// packedGame is one line of a packed list.
type packedGame struct {
	Game     string `json:"game"`
	TaskType string `json:"task_type"`
	Task     string `json:"task"`
	Problem  string `json:"pddl_problem"`
}

// packed yields the games of a packed list. The list need not be sorted and may be larger than memory, so it is
// unpacked into a temporary file first.
func (s *Source) packed(yield func(func() trial, error) bool) (err error) {
	folder := filepath.Dir(s.path)
	domain, err := readFile(filepath.Join(folder, "alfred.pddl"))
	if err != nil {
		return err
	}
	grammar, err := readFile(filepath.Join(folder, "alfred.twl2"))
	if err != nil {
		return err
	}
	if n := bytes.Count(grammar, []byte(goalMark)); n != 1 {
		return fmt.Errorf("%w: %s names %q %d times, expected once", env.ErrBadGame, filepath.Join(folder, "alfred.twl2"), goalMark, n)
	}
	spool, err := os.CreateTemp("", "games-*.jsonl")
	if err != nil {
		return fmt.Errorf("unpacking %s: %w", s.path, err)
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	lines, err := unpackLines(s.path, spool)
	if err != nil {
		return err
	}
	s.all = len(lines)
	for i, l := range lines {
		if i > 0 && lines[i-1].id == l.id {
			return fmt.Errorf("reading %s:%d: %w: game %s stands in line %d too", s.path, l.number, env.ErrBadGame, l.id, lines[i-1].number)
		}
		text := make([]byte, l.size)
		if _, err := spool.ReadAt(text, l.offset); err != nil {
			return fmt.Errorf("reading back line %d of %s: %w", l.number, s.path, err)
		}
		file := fmt.Sprintf("%s:%d", s.path, l.number)
		if !yield(func() trial { return s.unpack(l.id, file, text, string(domain), string(grammar)) }, nil) {
			return nil
		}
	}
	return nil
}

// packedLine is where a game lies in the spool.
type packedLine struct {
	id     string
	number int // in the list, counted from 1
	offset int64
	size   int
}

// unpackLines unpacks a list into spool and returns its lines sorted by id.
func unpackLines(path string, spool io.Writer) (lines []packedLine, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := xz.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(make([]byte, 1<<20), maxLine)
	out := bufio.NewWriterSize(spool, 1<<20)
	offset := int64(0)
	for in.Scan() {
		text := in.Bytes()
		number := len(lines) + 1
		id, err := packedID(text)
		if err != nil {
			return nil, fmt.Errorf("reading %s:%d: %w", path, number, err)
		}
		lines = append(lines, packedLine{id, number, offset, len(text)})
		if _, err := out.Write(text); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", path, err)
		}
		offset += int64(len(text))
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("reading %s:%d: %w", path, len(lines)+1, err)
	}
	slices.SortStableFunc(lines, func(a, b packedLine) int { return cmp.Compare(a.id, b.id) })
	if err := out.Flush(); err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", path, err)
	}
	return lines, nil
}

// packedID is the id in a line. It reads no further than to it, since the problem is the long part.
func packedID(text []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", fmt.Errorf("%w: expected a game as a JSON object", env.ErrBadGame)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", fmt.Errorf("%w: %w", env.ErrBadGame, err)
		}
		if key == "game" {
			var id string
			var typ *json.UnmarshalTypeError
			if err := dec.Decode(&id); errors.As(err, &typ) {
				return "", fmt.Errorf("%w: \"game\" is %s, expected a string", env.ErrBadGame, exact.Value(typ))
			} else if err != nil {
				return "", fmt.Errorf("%w: \"game\": %w", env.ErrBadGame, err)
			}
			return id, nil
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return "", fmt.Errorf("%w: %w", env.ErrBadGame, err)
		}
	}
	return "", fmt.Errorf("%w: no \"game\", expected the game's id", env.ErrBadGame)
}

// unpack makes a game file of one line.
func (s *Source) unpack(id, file string, text []byte, domain, grammar string) (t trial) {
	t.game.ID, t.game.File = id, file
	bad := func(err error) trial {
		t.err = fmt.Errorf("reading %s: %w", file, err)
		return t
	}
	if err := notUTF8(text); err != nil {
		return bad(err)
	}
	var p packedGame
	if err := exact.Unmarshal(text, &p); err != nil {
		return bad(jsonError(text, err, "a game"))
	}
	if p.Game != id { // the list is sorted by the first "game" of a line, JSON means the last
		return bad(fmt.Errorf("%w: \"game\" is %q and %q, expected it once", env.ErrBadGame, id, p.Game))
	}
	parts := strings.Split(p.Game, "/")
	if len(parts) != 3 || p.Task == "" || p.Problem == "" {
		return bad(fmt.Errorf("%w: game %q with task %q and %d bytes of problem, expected \"split/task/trial\" and both",
			env.ErrBadGame, p.Game, p.Task, len(p.Problem)))
	}
	t.game.Split, t.game.Family = parts[0], p.TaskType
	switch reason := s.wanted(p.TaskType); {
	case strings.Contains(p.Game, "movable"):
		return t.leave(LeftMovable, LeftMovable)
	case strings.Contains(p.Game, "Sliced"):
		return t.leave(LeftSliced, LeftSliced)
	case reason != "":
		return t.leave(LeftTaskType, reason)
	}
	task, err := encode(p.Task)
	if err != nil {
		return bad(err)
	}
	// The mark stands within a JSON string.
	t.game.Data, err = canonical(domain, strings.Replace(grammar, goalMark, string(task[1:len(task)-1]), 1), p.Problem)
	if err != nil {
		return bad(err)
	}
	return t
}
