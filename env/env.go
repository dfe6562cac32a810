// Package env is the contract of a text game: what may be said, what comes back, and how an expert that reads
// the game's state would go on. Bodies live in the packages below it.
package env

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Game is one loaded game. It never changes and may be used from many goroutines.
type Game interface {
	// ID is the game's name in its list, for ALFWorld "split/task-folder/trial".
	ID() string
	// Family is the task family, such as "pick_and_place_simple".
	Family() string
	// Start begins an episode at the game's first state. It returns a *BudgetError when the game is larger than
	// limits allow, and ctx's error when ctx ends first.
	Start(ctx context.Context, limits Limits) (Episode, error)
}

// Episode is one play of a game. It belongs to one goroutine.
type Episode interface {
	// Now is the observation of the current state, the opening text before the first step.
	Now() Observation
	// Step says text to the game. Text that the game does not understand is answered by the game and changes
	// nothing. Once Done, the game still answers. An error means that the episode cannot go on (budget, context, or a
	// fault of the game file); every later step gives it again.
	Step(ctx context.Context, text string) (Observation, error)
}

// Observation is what a player is told.
type Observation struct {
	Text    string  // as the game prints it
	Actions Actions // what may be said next
	Score   float64
	Won     bool
	Done    bool // by the game itself; step limits belong to the player's loop
	Moves   int  // accepted commands so far
}

// Actions is what may be said next: commands word for word, forms with a free parameter, or both.
type Actions struct {
	Commands []string // sorted by code point, distinct
	Forms    []Form   // for games with free text, such as search[…]
}

// Allow says whether text may be said: it is one of the commands, or of one of the forms.
func (a Actions) Allow(text string) bool {
	return slices.Contains(a.Commands, text) || slices.ContainsFunc(a.Forms, func(f Form) bool { return f.Holds(text) })
}

// Form is a command with one free parameter.
type Form struct {
	Prefix    string `json:"prefix"`    // "search["
	Suffix    string `json:"suffix"`    // "]"
	Parameter string `json:"parameter"` // what stands between them: "keywords"
}

// String is the form as a player reads it: "search[<keywords>]".
func (f Form) String() string { return f.Prefix + "<" + f.Parameter + ">" + f.Suffix }

// Holds says whether text is of the form, with something in the place of the parameter, on one line.
func (f Form) Holds(text string) bool {
	return len(text) > len(f.Prefix)+len(f.Suffix) && strings.HasPrefix(text, f.Prefix) && strings.HasSuffix(text, f.Suffix) &&
		!strings.Contains(text, "\n")
}

// Expert is an episode that can say how a player who sees its whole state would go on.
type Expert interface {
	// Plan returns the commands from the current state to the win, the first one first, empty if it is won.
	// It changes nothing, is a function of the state, and returns ErrNoPlan where there is none.
	Plan(ctx context.Context, kind PlanKind) ([]string, error)
	// Goal is what the task asks for, by types.
	Goal() Goal
}

// Stateful is an episode that can name its state. Two states of one game with the same key answer every sequence
// of commands alike, so a player who chooses by what it reads alone can be seen to go round in a circle.
type Stateful interface {
	// StateKey is a short string, such as a digest of all that changes in the game.
	StateKey() string
}

// PlanKind names an expert, a way of planning. Datasets record which one made each plan, so an expert never lets
// another one answer for it: where its own way does not lead to the goal, it returns ErrNoPlan.
type PlanKind string

const (
	// Walkthrough is the plan in the game file.
	Walkthrough PlanKind = "walkthrough"
	// Straight goes to the right instance at once (the published form).
	Straight PlanKind = "straight"
	// Search knows the type of the source only and visits its instances in ascending number until it sees the target.
	Search PlanKind = "search"
	// Planner is what a planner over the facts finds, for any goal.
	Planner PlanKind = "planner"
	// Explore goes by rules and by what a player has been shown, like ALFWorld's hand-coded expert: it looks through
	// receptacles where the target may be, opening them, until it has seen it.
	Explore PlanKind = "explore"
)

// PlanKinds are all experts.
var PlanKinds = []PlanKind{Walkthrough, Straight, Search, Planner, Explore}

// Goal is a task by types, as the player reads them ("mug", "coffeetable"): no instance, no digit.
type Goal struct {
	Family      string // as Game.Family
	Text        string // the goal sentence without "Your task is to: " and the full stop
	Target      string // type of the thing to be handled
	Count       int    // how many of them
	Device      string // type of the appliance or lamp to use, "" for none
	Destination string // type of the receptacle to end in, "" for none
}

// Limits bound one episode by counted work, so that what is excluded does not depend on the machine. Zero means
// the game's own documented default.
type Limits struct {
	Operators int `json:"operators" yaml:"operators"` // operators grounded at once: those of one state, or a planner's
	Objects   int `json:"objects" yaml:"objects"`     // objects declared by the game
	States    int `json:"states" yaml:"states"`       // states expanded by one call of Plan
	Work      int `json:"work" yaml:"work"`           // condition tests of one call of Start, Step or Plan; 8 bytes that are kept are one, too
}

// BudgetError says which limit a game exceeded.
type BudgetError struct {
	What  string // "operators", "objects", "states", "work"
	Limit int
}

// Error implements error.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("game exceeds its budget of %d %s", e.Limit, e.What)
}

var (
	// ErrNoPlan is returned when no plan leads from the current state to the win.
	ErrNoPlan = errors.New("no plan leads to the goal")
	// ErrBadGame marks a game file that cannot be played; the error around it says where and what was expected.
	ErrBadGame = errors.New("bad game file")
)
