// Package parity plays the same commands on this engine and on ALFWorld's own and compares all they say. What differs
// is shrunk to the fewest commands and kept in the layout of golden games, where a test replays it.
package parity

import (
	"context"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// Row is what an engine says at the start of a game and after each command. Its keys are those of golden transcripts.
type Row struct {
	Text     string   `json:"feedback"`
	Commands []string `json:"admissible_commands"` // sorted by code point, distinct
	Score    float64  `json:"score"`               // 0 at the start
	Won      bool     `json:"won"`
	Done     bool     `json:"done"` // false at the start
	Moves    int      `json:"moves"`
}

// Answer is what an engine makes of a list of commands.
type Answer struct {
	Rows  []Row  `json:"rows"`  // one for the start and one for each command, fewer after a fault
	Fault string `json:"fault"` // why the game could not be read or played on, "" if it could
}

// Engine plays games.
type Engine interface {
	// Play begins the game in a game.tw-pddl file anew and says the commands. A game that cannot be played is a Fault
	// of the answer; an error means that the engine itself cannot be asked.
	Play(ctx context.Context, game []byte, commands []string) (Answer, error)
}

// Ours is the engine of this repository.
type Ours struct{}

// Play implements Engine.
func (Ours) Play(ctx context.Context, data []byte, commands []string) (Answer, error) {
	var a Answer
	game, err := alfworld.Parse("parity", data)
	if err == nil {
		err = a.play(ctx, game, commands)
	}
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	if err != nil {
		a.Fault = err.Error()
	}
	return a, nil
}

func (a *Answer) play(ctx context.Context, game *alfworld.Game, commands []string) error {
	episode, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return err
	}
	a.Rows = append(a.Rows, rowOf(episode.Now()))
	for _, c := range commands {
		seen, err := episode.Step(ctx, c)
		if err != nil {
			return err
		}
		a.Rows = append(a.Rows, rowOf(seen))
	}
	return nil
}

func rowOf(o env.Observation) Row {
	return Row{o.Text, o.Actions.Commands, o.Score, o.Won, o.Done, o.Moves}
}

// Difference is the first thing in which two answers differ.
type Difference struct {
	Step      int // 0 is the start
	Field     string
	Want, Got string // the other engine's and ours
}

// Compare finds where got is not want; nil if it is nowhere. Two faults at the same step are alike, whatever they say.
func Compare(want, got Answer) *Difference {
	for i := range min(len(want.Rows), len(got.Rows)) {
		if d := compareRows(want.Rows[i], got.Rows[i]); d != nil {
			d.Step = i
			return d
		}
	}
	if len(want.Rows) == len(got.Rows) && (want.Fault == "") == (got.Fault == "") {
		return nil
	}
	return &Difference{min(len(want.Rows), len(got.Rows)), "fault", faultOf(want), faultOf(got)}
}

func faultOf(a Answer) string {
	if a.Fault == "" {
		return "none"
	}
	return fmt.Sprintf("at step %d: %s", len(a.Rows), a.Fault)
}

func compareRows(want, got Row) *Difference {
	for _, f := range []struct{ name, want, got string }{
		{"feedback", fmt.Sprintf("%q", want.Text), fmt.Sprintf("%q", got.Text)},
		{"admissible_commands", strings.Join(want.Commands, " | "), strings.Join(got.Commands, " | ")},
		{"score", fmt.Sprint(want.Score), fmt.Sprint(got.Score)},
		{"won", fmt.Sprint(want.Won), fmt.Sprint(got.Won)},
		{"done", fmt.Sprint(want.Done), fmt.Sprint(got.Done)},
		{"moves", fmt.Sprint(want.Moves), fmt.Sprint(got.Moves)},
	} {
		if f.want != f.got {
			return &Difference{Field: f.name, Want: f.want, Got: f.got}
		}
	}
	return nil
}
