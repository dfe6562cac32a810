package agent

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/hone-rl/hone/env"
)

// Conditions are what two rows of a table must share to be compared. The hint is not among them: it is the one
// difference of prompts that a table is about.
type Conditions struct {
	Games      string       `json:"games"`      // digest of the game list
	Candidates string       `json:"candidates"` // Offer.Rule
	Prompt     Format       `json:"prompt"`
	Decoding   string       `json:"decoding"` // Decoding.Rule; of what is drawn, how
	MaxSteps   int          `json:"max_steps"`
	StopCycles bool         `json:"stop_cycles"`
	Positions  int          `json:"positions"`
	Oracle     env.PlanKind `json:"oracle"`
	Limits     env.Limits   `json:"limits"`
	DType      string       `json:"dtype,omitempty"` // of the model, set by who loads it; "" is float32
}

// ConditionsOf are the conditions under which cfg plays the games of the list with digest games.
func ConditionsOf(cfg PlayConfig, games string) Conditions {
	return Conditions{
		Games: games, Candidates: cfg.Offer.Rule(), Prompt: cmp.Or(cfg.Prompt, Lite), Decoding: cfg.decodingRule(),
		MaxSteps: cmp.Or(cfg.MaxSteps, DefaultMaxSteps), StopCycles: cfg.cycles(), Positions: cfg.Positions,
		Oracle: cfg.Oracle, Limits: cfg.Limits,
	}
}

// decodingRule names the exact rule, with what draws follow from.
func (c PlayConfig) decodingRule() string {
	if c.Decoding != Drawn {
		return c.Decoding.Rule()
	}
	return fmt.Sprintf("%s at temperature %v, seed %d", c.Decoding.Rule(), cmp.Or(c.Temperature, 1), c.Seed)
}

// condition is one of the Conditions by the name that errors give it.
type condition struct{ name, value string }

func (c Conditions) list() []condition {
	return []condition{
		{"games", c.Games},
		{"candidate rule", c.Candidates},
		{"prompt format", string(c.Prompt)},
		{"decoding", c.Decoding},
		{"step limit", strconv.Itoa(c.MaxSteps)},
		{"cycle rule", strconv.FormatBool(c.StopCycles)},
		{"positions", strconv.Itoa(c.Positions)},
		{"oracle", string(c.Oracle)},
		{"env limits", fmt.Sprintf("%+v", c.Limits)},
		{"dtype", c.DType},
	}
}

// CompareError says that two rows may not stand in one table.
type CompareError struct {
	A, B   string // the rows, such as "teacher with H"
	What   string // what differs
	ValueA string
	ValueB string
}

// Error implements error.
func (e *CompareError) Error() string {
	return fmt.Sprintf("rows %q and %q cannot be compared: %s is %q and %q", e.A, e.B, e.What, e.ValueA, e.ValueB)
}
