package alfworld

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hone-rl/hone/env"
)

const (
	transcriptName = "transcripts.jsonl.gz"
	gameName       = "game.tw-pddl"
	// keptDifferences is how many differences a GoldenResult tells in full.
	keptDifferences = 20
)

// GoldenResult is what CheckGolden found.
type GoldenResult struct {
	Games, Walks, Rows int
	Differences        int          // rows that differ
	First              []Difference // the first of them, at most one a walk: what follows one hardly means anything
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
	File      string // the transcript
	Line      int    // in it, counted from 1
	Walk      string
	Step      int
	Command   string
	Field     string
	Want, Got string
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

// goldenRow is one line of a transcript.
type goldenRow struct {
	Walk     string   `json:"walk"`
	Step     int      `json:"step"` // 0 begins a walk
	Command  *string  `json:"command"`
	Feedback string   `json:"feedback"`
	Commands []string `json:"admissible_commands"`
	Score    float64  `json:"score"`
	Won      bool     `json:"won"`
	Done     bool     `json:"done"`
	Moves    int      `json:"moves"`
}

// CheckGolden replays every transcripts.jsonl.gz below dir against the game.tw-pddl beside it, on all cores.
// Differences are in the result. What could not be read or played is in the error, one for each transcript in the
// order of the files; all others are checked nevertheless, and rows before the fault count. Progress, if not nil, is
// called after every game, by one goroutine at a time.
func CheckGolden(ctx context.Context, dir string, progress func(GoldenProgress)) (GoldenResult, error) {
	files, err := transcripts(dir)
	if err != nil {
		return GoldenResult{}, err
	}
	results, faults := make([]GoldenResult, len(files)), make([]error, len(files))
	library := &Library{}
	var mu sync.Mutex
	now := GoldenProgress{All: len(files)}
	var group sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		group.Go(func() {
			for i := range next {
				faults[i] = checkTranscript(ctx, library, files[i], &results[i])
				mu.Lock()
				now.Done++
				now.Rows += results[i].Rows
				if progress != nil {
					progress(now)
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < len(files) && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	var all GoldenResult
	for _, r := range results {
		all.add(r)
	}
	if err := ctx.Err(); err != nil {
		return all, err
	}
	return all, errors.Join(faults...)
}

// transcripts are those below dir, sorted. A dir that is a symbolic link is followed.
func transcripts(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == transcriptName {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for transcripts in %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no %s below %s, expected some beside their %s", transcriptName, dir, gameName)
	}
	slices.Sort(files)
	return files, nil
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
	result.Games = 1
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
		var row goldenRow
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			return fmt.Errorf("reading %s:%d: %w, expected a row of a walk", c.file, line, err)
		}
		if err := c.row(ctx, line, row); err != nil {
			return fmt.Errorf("replaying %s:%d: %w", c.file, line, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("reading %s:%d: %w", c.file, line+1, err)
	}
	return nil
}

// goldenCheck is the state of one transcript's replay.
type goldenCheck struct {
	game    *Game
	file    string
	result  *GoldenResult
	episode env.Episode
	differs bool // in this walk, already told
}

func (c *goldenCheck) row(ctx context.Context, line int, row goldenRow) error {
	var got env.Observation
	var err error
	command := ""
	switch {
	case row.Step == 0:
		c.differs = false
		c.result.Walks++
		if c.episode, err = c.game.Start(ctx, env.Limits{}); err != nil {
			return err
		}
		got = c.episode.Now()
	case c.episode == nil || row.Command == nil:
		return fmt.Errorf("step %d of walk %s, expected a step 0 before it and a command", row.Step, row.Walk)
	default:
		command = *row.Command
		if got, err = c.episode.Step(ctx, command); err != nil {
			return err
		}
	}
	c.result.Rows++
	same := true
	wantCommands, gotCommands := apart(row.Commands, got.Actions.Commands)
	for _, f := range []struct{ name, want, got string }{
		{"feedback", fmt.Sprintf("%q", row.Feedback), fmt.Sprintf("%q", got.Text)},
		{"admissible_commands", wantCommands, gotCommands},
		{"score", fmt.Sprint(row.Score), fmt.Sprint(got.Score)},
		{"won", fmt.Sprint(row.Won), fmt.Sprint(got.Won)},
		{"done", fmt.Sprint(row.Done), fmt.Sprint(got.Done)},
		{"moves", fmt.Sprint(row.Moves), fmt.Sprint(got.Moves)},
	} {
		if f.want == f.got {
			continue
		}
		same = false
		if !c.differs && len(c.result.First) < keptDifferences {
			c.differs = true
			c.result.First = append(c.result.First, Difference{c.file, line, row.Walk, row.Step, command, f.name, f.want, f.got})
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
