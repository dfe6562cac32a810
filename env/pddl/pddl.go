// Package pddl reads planning problems and plays them: domains and problems in the PDDL subset that text games
// use (typing, and, or, not, imply, exists, forall, =, conditional effects; costs are read and ignored), a state
// of facts, and the operators that apply in it.
//
// Operators are grounded as they become applicable, by joins over indexed facts, so that a large problem costs
// what its current state offers and not what could ever be said in it. All of it is counted by a Meter.
package pddl

import (
	"fmt"

	"github.com/hone-rl/hone/env"
)

const (
	// MaxDepth is how deep expressions may nest.
	MaxDepth = 100
	// MaxTypes is how many types a domain may have; subtyping is kept as a table of their square.
	MaxTypes = 1000
	// MaxArity is how many arguments a predicate and parameters an action may have.
	MaxArity = 64
	// MaxAtoms is how many atoms and other conditions an action or a goal may name.
	MaxAtoms = 1000
	// MaxVariables is how many parameters and quantified variables an action or a goal may have.
	MaxVariables = 256
	// MaxPredicates is how many predicates a domain may have; every state has a list of them.
	MaxPredicates = 1000
	// MaxActions is how many actions a domain may have.
	MaxActions = 1000
	// MaxObjects is how many objects a problem may have to be read at all. What may be played, env.Limits says.
	MaxObjects = 200_000
	// MaxCells bounds the tables of the first facts: every fact is kept once for each argument.
	MaxCells = 1 << 24
	// MaxWord is how long a name may be, in bytes.
	MaxWord = 1000
	// MaxWarnings is how many warnings of one text are kept.
	MaxWarnings = 100
	// maxPrograms bounds the alternatives into which one precondition is split.
	maxPrograms = 64
	// maxCompile bounds the work of turning all conditions of a problem into programs, in conditions looked at and
	// what is kept.
	maxCompile = 4_000_000
)

// Error is a fault of a PDDL text. It unwraps to env.ErrBadGame.
type Error struct {
	File string // as given to the parser
	Line int    // counted from 1
	Msg  string // what is wrong and what was expected
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Unwrap implements errors.Unwrap.
func (e *Error) Unwrap() error { return env.ErrBadGame }

// Warning is something in a text that can be played but hardly means what it says.
type Warning struct {
	File string
	Line int
	Msg  string
}

// String is the warning as one line.
func (w Warning) String() string { return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Msg) }
