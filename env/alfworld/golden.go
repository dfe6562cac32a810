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
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// CheckGolden replays every transcripts.jsonl.gz below dir against the game.tw-pddl beside it. Differences are in
// the result; an error means that something could not be read or played. Progress, if not nil, is called after
// every game.
func CheckGolden(ctx context.Context, dir string, progress func(GoldenProgress)) (GoldenResult, error) {
	var files []string
	var result GoldenResult
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == transcriptName {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return result, fmt.Errorf("looking for transcripts in %s: %w", dir, err)
	}
	if len(files) == 0 {
		return result, fmt.Errorf("no %s below %s, expected some beside their %s", transcriptName, dir, gameName)
	}
	slices.Sort(files)
	for i, file := range files {
		if err := checkTranscript(ctx, file, &result); err != nil {
			return result, err
		}
		result.Games++
		if progress != nil {
			progress(GoldenProgress{i + 1, len(files), result.Rows})
		}
	}
	return result, nil
}

func checkTranscript(ctx context.Context, path string, result *GoldenResult) (err error) {
	folder := filepath.Dir(path)
	data, err := os.ReadFile(filepath.Join(folder, gameName))
	if err != nil {
		return err
	}
	game, err := Parse(idOf(folder), data)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	check := goldenCheck{game: game, file: path, result: result}
	in := bufio.NewReader(z)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s:%d: %w", path, line, err)
		}
		var row goldenRow
		if err := json.Unmarshal(text, &row); err != nil {
			return fmt.Errorf("reading %s:%d: %w, expected a row of a walk", path, line, err)
		}
		if err := check.row(ctx, line, row); err != nil {
			return fmt.Errorf("replaying %s:%d: %w", path, line, err)
		}
	}
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
	for _, f := range []struct{ name, want, got string }{
		{"feedback", fmt.Sprintf("%q", row.Feedback), fmt.Sprintf("%q", got.Text)},
		{"admissible_commands", strings.Join(row.Commands, " | "), strings.Join(got.Actions.Commands, " | ")},
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

// idOf is "split/task/trial" of a folder, as far as it is that deep.
func idOf(folder string) string {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(folder)), "/")
	return strings.Join(parts[max(0, len(parts)-3):], "/")
}
