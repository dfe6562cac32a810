package agent

import (
	"fmt"
	"strings"
)

// Format names an exact form of the prompt. A change of even one byte is a new name, since models are trained
// on the form and reports compare by it.
//
// "lite/1" is, one a line and each ended by a line break,
//
//	goal: put some laptop on armchair
//	(the lines of the hint, for a teacher)
//	did: take laptop 1 from coffeetable 1
//	did: go to armchair 1
//	now: You arrive at armchair 1. On the armchair 1, you see a creditcard 1.
//	can:
//	examine armchair 1
//	(all other admissible commands but help, in the game's order)
//	do:
//
// with a did: line for each of the last two turns at most. The answer is the command and a line break. "full/1"
// has before each did: line a saw: line with what was read then.
//
// "turns/1" is the game so far, turn by turn, so that a prompt begins with the one before it and its answer: what has
// been read once need not be computed again, in training (see hints.Examples) as in play. What can be said is not
// listed; the opening text names the places, and where to find them does not change.
//
//	goal: put some laptop on armchair
//	(the lines of the hint, for a teacher)
//	now: You are in the middle of a room. Looking quickly around you, you see a armchair 1, and a coffeetable 1.
//	do:
//	go to coffeetable 1
//	now: You arrive at coffeetable 1. On the coffeetable 1, you see a laptop 1.
//	do:
//
// Texts of the game stand on one line: its runs of
// white space are one blank each, and of an opening text the banner ("-= … =-") and the sentence with the task
// are left out, since goal: has it.
type Format string

// The forms of the prompt.
const (
	Lite Format = "lite/1"
	Full Format = "full/1"
	// Turns shows all turns of X: X must remember the whole game, or what is shown begins later and later.
	Turns Format = "turns/1"
)

// shownTurns is how many turns the prompt shows at most, as in the published ALFWorld prompts.
const shownTurns = 2

// Validate refuses a name that stands for no form.
func (f Format) Validate() error {
	switch f {
	case Lite, Full, Turns:
		return nil
	}
	return fmt.Errorf("prompt format %q: expected %q, %q or %q", string(f), Lite, Full, Turns)
}

// Prompt is the student's prompt in the usual form, "lite/1".
func Prompt(x X) string { return Lite.Prompt(x, "") }

// Prompt writes x in the form f with the hint's lines, if any, between goal and history.
func (f Format) Prompt(x X, hint string) string {
	var b strings.Builder
	line := func(label, text string) {
		b.WriteString(label)
		b.WriteByte(' ')
		b.WriteString(text)
		b.WriteByte('\n')
	}
	line("goal:", Fold(x.Goal))
	if hint != "" {
		b.WriteString(strings.TrimSuffix(hint, "\n"))
		b.WriteByte('\n')
	}
	if f == Turns {
		for _, t := range x.History {
			line("now:", Shown(t.Observation))
			b.WriteString("do:\n" + Answer(Fold(t.Command)))
		}
		line("now:", Shown(x.Observation))
		b.WriteString("do:\n")
		return b.String()
	}
	for _, t := range x.History[max(0, len(x.History)-shownTurns):] {
		if f == Full {
			line("saw:", Shown(t.Observation))
		}
		line("did:", Fold(t.Command))
	}
	line("now:", Shown(x.Observation))
	b.WriteString("can:\n")
	for _, c := range x.Offered() {
		b.WriteString(c)
		b.WriteByte('\n')
	}
	b.WriteString("do:\n")
	return b.String()
}

// Answer is command as a model completes a prompt with it.
func Answer(command string) string { return command + "\n" }

// CandidateRule names what Candidates does, for reports.
const CandidateRule = "admissible but help/1"

// Candidates are the commands a player is offered: the admissible ones but help, which only repeats the grammar.
func Candidates(admissible []string) []string {
	kept := make([]string, 0, len(admissible))
	for _, c := range admissible {
		if c != "help" {
			kept = append(kept, c)
		}
	}
	return kept
}

// Offered are the candidates of x, behind the forms as they are read.
func (x X) Offered() []string {
	var all []string
	for _, f := range x.Forms {
		all = append(all, f.String())
	}
	return append(all, Candidates(x.Admissible)...)
}

// Shown is what a game says on one line, without the parts of an opening text, or of a shop's page, that say nothing new.
func Shown(text string) string {
	text = page(text)
	if !strings.Contains(text, "\n") {
		return Fold(text)
	}
	var kept []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		banner := strings.HasPrefix(l, "-=") && strings.HasSuffix(l, "=-")
		if !banner && !strings.HasPrefix(l, taskMark) {
			kept = append(kept, l)
		}
	}
	return Fold(strings.Join(kept, " "))
}

// Fold is text on one line: its runs of white space are one blank each.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }
