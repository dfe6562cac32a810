// Package agent plays text games with a model: what it is shown (X and its prompt), the closed loop over many
// games at once, the trajectories that come of it, their independent replay, and the table that compares them.
package agent

import (
	"strings"

	"github.com/hone-rl/hone/env"
)

// X is what a player knows when it chooses: nothing that the game has not said.
type X struct {
	Goal        string   `json:"goal"`        // the goal sentence without "Your task is to: " and the full stop
	History     []Turn   `json:"history"`     // the turns just before, the oldest first
	Observation string   `json:"observation"` // of the current state, as the game prints it
	Admissible  []string `json:"admissible"`  // commands word for word, as the game lists them
	// Forms are what can be said in words of one's own; none in games that list all that can be said.
	Forms []env.Form `json:"forms,omitempty"`
}

// Allows says whether command is listed: word for word, or by a form.
func (x X) Allows(command string) bool {
	return env.Actions{Commands: x.Admissible, Forms: x.Forms}.Allow(command)
}

// Turn is a turn gone by.
type Turn struct {
	Observation string `json:"observation"` // what the player read
	Command     string `json:"command"`     // what it then said
}

// Encoder turns text into token ids, from many goroutines. *tokenizer.Tokenizer is one. What a game says is outside
// text, so the names of special tokens in it must be spelt out.
type Encoder interface {
	EncodePlain(text string) []int32
}

// TypeOf is the type in the name of an instance: "cabinet" of "cabinet 3".
func TypeOf(name string) string { return Template(name) }

// Template is a command by types: "take mug from cabinet" of "take mug 1 from cabinet 3". Words that are numbers
// are left out and blanks folded. Of a command of the form name[argument], as in a shop, it is the name.
func Template(command string) string {
	if name, _, ok := strings.Cut(command, "["); ok && strings.HasSuffix(command, "]") {
		return name
	}
	words := strings.Fields(command)
	kept := words[:0]
	for _, w := range words {
		if strings.Trim(w, "0123456789") != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
