package parity

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/inorder"
)

// Recorded is what a replay of recorded episodes came to.
type Recorded struct {
	Games, Commands, Differences int
	First                        []string // the first differences, one a game
}

// Rows is the number of texts compared.
func (r Recorded) Rows() int { return r.Games + r.Commands }

// keptRecorded is how many differences a Recorded tells.
const keptRecorded = 20

// recording is an expert's play that others recorded on the old game files.
type recording struct {
	Game         string   `json:"game"`
	Actions      []string `json:"actions"`
	Observations []string `json:"observations"` // one more than actions
}

// ReplayRecorded plays the episodes in file (train_trajectories.jsonl.gz) on our engine, on the games of a packed
// list with the texts of the old vintage, and compares all texts and the win at the end.
func ReplayRecorded(ctx context.Context, file, games string) (Recorded, error) {
	var result Recorded
	records, err := readRecorded(file)
	if err != nil {
		return result, err
	}
	err = WithLegacy(games, func(folder string) error {
		source, err := alfworld.Import(folder)
		if err != nil {
			return err
		}
		library := &alfworld.Library{}
		var played iter.Seq2[alfworld.Imported, error] = func(yield func(alfworld.Imported, error) bool) {
			for g, err := range source.Games() {
				if err = cmp.Or(err, ctx.Err()); err != nil {
					yield(g, err)
					return
				}
				if _, ok := records[g.ID]; ok && !yield(g, nil) {
					return
				}
			}
		}
		type replayed struct {
			id, difference string
		}
		for r, err := range inorder.Map(runtime.GOMAXPROCS(0), played, func(g alfworld.Imported) replayed {
			return replayed{g.ID, records[g.ID].replay(ctx, library, g)}
		}) {
			if err != nil {
				return err
			}
			result.Games++
			result.Commands += len(records[r.id].Actions)
			if r.difference != "" {
				if result.Differences++; len(result.First) < keptRecorded {
					result.First = append(result.First, r.id+": "+r.difference)
				}
			}
		}
		return ctx.Err()
	})
	return result, err
}

func readRecorded(file string) (records map[string]recording, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	records = map[string]recording{}
	for dec := json.NewDecoder(z); ; {
		var r recording
		switch err := dec.Decode(&r); {
		case errors.Is(err, io.EOF):
			return records, nil
		case err != nil:
			return nil, fmt.Errorf("reading episode %d of %s: %w", len(records)+1, file, err)
		case len(r.Observations) != len(r.Actions)+1:
			return nil, fmt.Errorf("reading episode %d of %s: %d observations of %d actions, expected one more", len(records)+1, file, len(r.Observations), len(r.Actions))
		}
		records[r.Game] = r
	}
}

// replay returns the first difference, "" if there is none.
func (r recording) replay(ctx context.Context, library *alfworld.Library, g alfworld.Imported) string {
	game, err := library.Parse(g.ID, g.Data)
	if err != nil {
		return err.Error()
	}
	episode, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return err.Error()
	}
	seen := episode.Now()
	for i, want := range r.Observations {
		if got := seen.Text[arrival(seen.Text):]; got != want {
			return fmt.Sprintf("after %d commands: want %q, got %q", i, want, got)
		}
		if i < len(r.Actions) {
			if seen, err = episode.Step(ctx, r.Actions[i]); err != nil {
				return fmt.Sprintf("after %d commands: %v", i, err)
			}
		}
	}
	if !seen.Won || seen.Moves != len(r.Actions) {
		return fmt.Sprintf("won %v after %d moves, want true after %d", seen.Won, seen.Moves, len(r.Actions))
	}
	return ""
}

// arrival is the length of "You arrive at loc N. " at the beginning of a text, which the recorder cut.
func arrival(text string) int {
	if strings.HasPrefix(text, "You arrive at loc ") {
		return strings.Index(text, ". ") + 2
	}
	return 0
}
