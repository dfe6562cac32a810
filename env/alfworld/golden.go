package alfworld

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/inorder"
)

const (
	transcriptName = "transcripts.jsonl.gz"
	gameName       = "game.tw-pddl"
	// keptDifferences is how many differences a GoldenResult tells in full.
	keptDifferences = 20
)

// GoldenResult is what CheckGolden found.
type GoldenResult struct {
	Games       int          `json:"games"` // with a row at least
	Walks       int          `json:"walks"`
	Rows        int          `json:"rows"`
	Differences int          `json:"differences"` // rows that differ
	First       []Difference `json:"first"`       // the first of them, at most one a walk: what follows one hardly means anything
}

// add counts what was found in one more transcript.
func (r *GoldenResult) add(one GoldenResult) {
	r.Games += one.Games
	r.Walks += one.Walks
	r.Rows += one.Rows
	r.Differences += one.Differences
	r.First = append(r.First, one.First[:min(len(one.First), keptDifferences-len(r.First))]...)
}

// Difference is one field in which a row of a transcript and the engine differ.
type Difference struct {
	File    string `json:"file"` // the transcript
	Line    int    `json:"line"` // in it, counted from 1
	Walk    string `json:"walk"`
	Step    int    `json:"step"`
	Command string `json:"command"`
	Field   string `json:"field"`
	Want    string `json:"want"`
	Got     string `json:"got"`
}

// String is the difference in a few lines.
func (d Difference) String() string {
	return fmt.Sprintf("%s:%d: walk %s, step %d, after %q: %s\n  want %s\n  got  %s", d.File, d.Line, d.Walk, d.Step, d.Command, d.Field, d.Want, d.Got)
}

// GoldenProgress is how far CheckGolden has come.
type GoldenProgress struct {
	Done, All int // games
	Rows      int
}

// CheckGolden replays every transcripts.jsonl.gz below dir against the game.tw-pddl beside it, on all cores.
// Differences are in the result. What could not be read or played is in the error, one for each transcript in the
// order of the files; all others are checked nevertheless, and rows before the fault count. Progress, if not nil, is
// called after every game, by one goroutine at a time.
func CheckGolden(ctx context.Context, dir string, progress func(GoldenProgress)) (GoldenResult, error) {
	files, unread, err := transcripts(dir)
	if err != nil {
		return GoldenResult{}, err
	}
	var inputs iter.Seq2[string, error] = func(yield func(string, error) bool) {
		for _, f := range files {
			if err := ctx.Err(); !yield(f, err) || err != nil {
				return
			}
		}
	}
	type checked struct {
		GoldenResult
		fault error
	}
	library := &Library{}
	var all GoldenResult
	now := GoldenProgress{All: len(files)}
	faults := unread
	for c, err := range inorder.Map(runtime.GOMAXPROCS(0), inputs, func(file string) (c checked) {
		c.fault = checkTranscript(ctx, library, file, &c.GoldenResult)
		return c
	}) {
		if err != nil {
			break // the context's, below
		}
		all.add(c.GoldenResult)
		faults = append(faults, c.fault)
		now.Done++
		now.Rows += c.Rows
		if progress != nil {
			progress(now)
		}
	}
	if err := ctx.Err(); err != nil {
		return all, err
	}
	return all, errors.Join(faults...)
}

// transcripts are those below dir, sorted, and what could not be looked through on the way. A dir that is a symbolic
// link is followed.
func transcripts(dir string) (files []string, unread []error, err error) {
	if dir == "" { // which would be the root of the file system below
		return nil, nil, errors.New("looking for transcripts: expected a folder, got an empty name")
	}
	err = filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d == nil: // dir itself
			return err
		case err != nil:
			unread = append(unread, fmt.Errorf("looking for transcripts: %w", err))
		case d.Name() == transcriptName:
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("looking for transcripts in %s: %w", dir, err)
	}
	if len(files) == 0 {
		none := fmt.Errorf("no %s below %s, expected some beside their %s", transcriptName, dir, gameName)
		return nil, nil, errors.Join(append(unread, none)...)
	}
	slices.Sort(files)
	return files, unread, nil
}

func checkTranscript(ctx context.Context, library *Library, path string, result *GoldenResult) (err error) {
	folder := filepath.Dir(path)
	data, err := readFile(filepath.Join(folder, gameName))
	if err != nil {
		return fmt.Errorf("reading the game of %s: %w", path, err)
	}
	game, err := library.Parse(idOf(folder), data)
	if err != nil {
		return err
	}
	f, err := openFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	check := goldenCheck{game: game, file: path, result: result}
	return check.rows(ctx, z)
}

// rows replays a transcript.
func (c *goldenCheck) rows(ctx context.Context, r io.Reader) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	line := 0
	for in.Scan() {
		line++
		row, err := c.order.read(in.Bytes())
		if err != nil {
			return fmt.Errorf("reading %s:%d: %w", c.file, line, err)
		}
		if err := c.row(ctx, line, row); err != nil {
			return fmt.Errorf("replaying %s:%d: %w", c.file, line, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("reading %s:%d: %w", c.file, line+1, err)
	}
	if line == 0 {
		return fmt.Errorf("reading %s: it is empty, expected a walk", c.file)
	}
	c.result.Games = 1
	return nil
}

// goldenCheck is the state of one transcript's replay.
type goldenCheck struct {
	game    *Game
	file    string
	result  *GoldenResult
	order   goldenOrder
	episode env.Episode
	differs bool // in this walk, already told
}

func (c *goldenCheck) row(ctx context.Context, line int, row goldenRow) error {
	var got env.Observation
	var err error
	command := ""
	if *row.Step == 0 {
		c.differs = false
		c.result.Walks++
		if c.episode, err = c.game.Start(ctx, env.Limits{}); err != nil {
			return err
		}
		got = c.episode.Now()
	} else {
		command = *row.Command
		if got, err = c.episode.Step(ctx, command); err != nil {
			return err
		}
	}
	c.result.Rows++
	same := true
	wantCommands, gotCommands := apart(*row.Commands, got.Actions.Commands)
	for _, f := range []struct{ name, want, got string }{
		{"feedback", fmt.Sprintf("%q", *row.Feedback), fmt.Sprintf("%q", got.Text)},
		{"admissible_commands", wantCommands, gotCommands},
		{"score", fmt.Sprint(*row.Score), fmt.Sprint(got.Score)},
		{"won", fmt.Sprint(*row.Won), fmt.Sprint(got.Won)},
		{"done", fmt.Sprint(*row.Done), fmt.Sprint(got.Done)},
		{"moves", fmt.Sprint(*row.Moves), fmt.Sprint(got.Moves)},
	} {
		if f.want == f.got {
			continue
		}
		same = false
		if !c.differs && len(c.result.First) < keptDifferences {
			c.differs = true
			c.result.First = append(c.result.First, Difference{c.file, line, *row.Walk, *row.Step, command, f.name, f.want, f.got})
		}
	}
	if !same {
		c.result.Differences++
	}
	return nil
}

// apart tells two lists of commands: only what one has and the other lacks, if there is such.
func apart(want, got []string) (string, string) {
	if slices.Equal(want, got) {
		return "", ""
	}
	only := func(list, other []string) []string {
		has := make(map[string]bool, len(other))
		for _, c := range other {
			has[c] = true
		}
		return slices.DeleteFunc(slices.Clone(list), func(c string) bool { return has[c] })
	}
	more, less := only(want, got), only(got, want)
	if len(more)+len(less) == 0 { // another order, or doubles
		more, less = want, got
	}
	return fmt.Sprintf("%q", more), fmt.Sprintf("%q", less)
}

// idOf is "split/task/trial" of a folder, as far as it is that deep.
func idOf(folder string) string {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(folder)), "/")
	return strings.Join(parts[max(0, len(parts)-3):], "/")
}
