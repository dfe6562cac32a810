package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/exact"
)

// Trajectory is one game played to its end. Its JSON, one line in a file, is a function of game, model and
// settings: it holds no clock, no host and no log-probability, so that where two builds of the library choose
// alike their files are the same.
type Trajectory struct {
	Game   string `json:"game"`
	Family string `json:"family"`
	// Hint is the text that stood in every prompt, "" if none.
	Hint string `json:"hint,omitempty"`
	// Free says that commands are the player's own words and not all of them admissible.
	Free bool `json:"free,omitempty"`
	// HintDigits and HintCommand say that the hint held a digit or an instance, or in full a command that was
	// then chosen. Both are faults.
	HintDigits  bool    `json:"hint_digits,omitempty"`
	HintCommand bool    `json:"hint_command,omitempty"`
	Steps       []Step  `json:"steps"`
	Last        *State  `json:"last"` // after the last step; null if the game did not answer it, or did not start
	Outcome     Outcome `json:"outcome"`
}

// Step is one choice.
type Step struct {
	Observation string   `json:"observation"` // before the choice
	Admissible  []string `json:"admissible"`  // before the choice
	// Forms are what could be said besides, in words of the player's own.
	Forms   []env.Form `json:"forms,omitempty"`
	Command string     `json:"command"`
	// Oracle is what the expert would have said from this state, "" if it was not asked or knew nothing.
	Oracle   string `json:"oracle,omitempty"`
	Exact    bool   `json:"exact,omitempty"`    // the same command
	Template bool   `json:"template,omitempty"` // the same by types
	// NoOracle says why the oracle knew nothing: "no plan", "limit: states".
	NoOracle string `json:"no_oracle,omitempty"`
	// LogProb is the policy's, natural log. For logs and hooks: it is not written.
	LogProb float32 `json:"-"`
}

// State is where a game stands.
type State struct {
	Observation string     `json:"observation"`
	Admissible  []string   `json:"admissible"`
	Forms       []env.Form `json:"forms,omitempty"`
	Score       float64    `json:"score"`
	Won         bool       `json:"won"`
	Done        bool       `json:"done"`
}

// Outcome is how a game went. A game is won or failed; Reason tells failures apart.
type Outcome struct {
	Won   bool `json:"won"`
	Steps int  `json:"steps"` // commands that the game answered
	// Reason is one of the constants below, after which ": " and a detail may follow ("limit: operators").
	Reason string `json:"reason"`
}

// The reasons why a game ended.
const (
	ReasonWon       = "won"
	ReasonSteps     = "steps"     // as many commands as allowed, and not won
	ReasonCycle     = "cycle"     // prompt and game state seen before, so greedy play goes round for ever
	ReasonLost      = "lost"      // the game ended itself
	ReasonLimit     = "limit"     // the game exceeds env.Limits
	ReasonClock     = "clock"     // the wall-clock net; the only reason that depends on the machine
	ReasonPositions = "positions" // the prompt is longer than the model can read
	ReasonError     = "error"     // the game is faulty
)

// Cause is the reason without its detail.
func (o Outcome) Cause() string {
	cause, _, _ := strings.Cut(o.Reason, ":")
	return cause
}

// WriteTrajectory writes t as one line.
func WriteTrajectory(w io.Writer, t Trajectory) error {
	line, err := encodeLine(t)
	if err != nil {
		return fmt.Errorf("writing trajectory of %s: %w", t.Game, err)
	}
	_, err = w.Write(line)
	return err
}

// Trajectories reads what WriteTrajectory wrote. After an error, which names the line, nothing more comes.
func Trajectories(r io.Reader) iter.Seq2[Trajectory, error] {
	return func(yield func(Trajectory, error) bool) {
		in := bufio.NewReader(r)
		for n := 1; ; n++ {
			line, err := in.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Trajectory{}, fmt.Errorf("trajectories line %d: %w", n, err))
				return
			}
			var t Trajectory
			if err := decodeLine(line, &t); err != nil {
				yield(Trajectory{}, fmt.Errorf("trajectories line %d: %w", n, err))
				return
			}
			if !yield(t, nil) {
				return
			}
		}
	}
}

// encodeLine is v as JSON as people read it, without escaped "<", and a line break.
func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decodeLine reads exactly one JSON value with known fields only.
func decodeLine(line []byte, v any) error {
	return exact.UnmarshalKnown(line, v)
}
