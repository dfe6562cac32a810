package skills

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// Story is a skill's whole life, as far as it has been told.
type Story struct {
	ID     ID      `json:"id"`
	Skill  Skill   `json:"skill"`          // as it last was; of one that was merged at birth, as it would have been born
	Events []Event `json:"events"`         // in their order
	Into   ID      `json:"into,omitempty"` // what it was merged into at birth; "" of all others
	Gone   bool    `json:"gone"`           // it has retired
}

// Event is a change of a skill, and when.
type Event struct {
	Step   int
	Change Change
}

// MarshalJSON writes the step and the change as its line in changes.jsonl has it.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Step int `json:"step"`
		changeLine
	}{e.Step, lineOf(e.Change)})
}

// Life is the life of a skill through the lists of changes, of one step after the other, that follow first; it may have
// been there in first. The lists are believed: Rebuild checks them. ErrUnknown if the skill never was.
func Life(id ID, first *Library, lists ...Changes) (*Story, error) {
	s := &Story{ID: id, Events: []Event{}}
	known := false
	step := 0
	if first != nil {
		s.Skill, known = first.Skill(id)
		step = first.Step()
	}
	for i, c := range lists {
		if want := step + 1; (i > 0 || first != nil) && c.Step != want {
			return nil, fmt.Errorf("life of %s: changes of step %d, expected those of step %d", id, c.Step, want)
		}
		step = c.Step
		for _, one := range c.List {
			if !tells(one, id) {
				continue
			}
			if merged, is := one.(*Merged); is && merged.Skill.ID == id {
				s.Skill, s.Into = merged.Skill, merged.Into
			}
			known = true
			s.tell(Event{c.Step, one})
		}
	}
	if !known {
		return nil, fmt.Errorf("life of %.40q: %w", string(id), ErrUnknown)
	}
	return s, nil
}

// tells says whether a change is of a skill's life: its own, or the one that made it one with another at birth.
func tells(one Change, id ID) bool {
	merged, is := one.(*Merged)
	return one.Of() == id || is && merged.Skill.ID == id
}

// About is the changes of a skill's life alone, without vectors: what Life needs of a step, so that it can be told of many
// steps without all their changes in memory.
func (c Changes) About(id ID) Changes {
	about := Changes{Step: c.Step, Before: c.Before, After: c.After}
	for _, one := range c.List {
		if !tells(one, id) {
			continue
		}
		switch full := one.(type) {
		case *Born:
			bare := *full
			bare.Vector, one = nil, &bare
		case *Merged:
			bare := *full
			bare.Vector, one = nil, &bare
		}
		about.List = append(about.List, one)
	}
	return about
}

// tell adds an event.
func (s *Story) tell(e Event) {
	s.Events = append(s.Events, e)
	switch one := e.Change.(type) {
	case *Born:
		s.Skill = one.Skill
	case *Merged:
		if s.Into == "" {
			s.Skill.Utility, s.Skill.Count = one.After, one.Count
		}
	case *Updated:
		s.Skill.Utility, s.Skill.Count = one.After, one.Count
		if one.Selected {
			s.Skill.Selected++
		}
	case *Retired:
		s.Gone = true
	}
}

// Print writes the story for a person: what the skill says, then a line an event.
func (s *Story) Print(w io.Writer) error {
	b := bufio.NewWriter(w)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(b, format+"\n", args...) } // Flush tells
	line("%s", s.ID)
	for _, f := range [][2]string{
		{"task", s.Skill.Task},
		{"type", s.Skill.Type},
		{"head", s.Skill.Head},
		{"strategy", s.Skill.Strategy},
		{"episode", s.Skill.Episode},
		{"source", string(s.Skill.Source)},
		{"outcome", string(s.Skill.Outcome)},
	} {
		if f[1] != "" {
			line("%-9s %s", f[0], Plain(f[1]))
		}
	}
	switch {
	case s.Into != "":
		line("%-9s merged into %s at birth", "now", s.Into)
	case s.Gone:
		line("%-9s retired; utility %.4f, count %d, selected %d", "now", s.Skill.Utility, s.Skill.Count, s.Skill.Selected)
	default:
		line("%-9s utility %.4f, count %d, selected %d", "now", s.Skill.Utility, s.Skill.Count, s.Skill.Selected)
	}
	if s.Skill.Born == 0 {
		line("step 0: there from the beginning")
	}
	for _, e := range s.Events {
		line("step %d, %s", e.Step, s.line(e.Change))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("printing %s: %w", s.ID, err)
	}
	return nil
}

// Plain is a text as it is, or quoted where it would move a terminal's cursor: a model wrote it.
func Plain(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

func (s *Story) line(c Change) string {
	switch c := c.(type) {
	case *Born:
		return fmt.Sprintf("%s: born, utility %.4f", c.Place, c.Skill.Utility)
	case *Merged:
		if s.Into != "" {
			return fmt.Sprintf("%s: merged into %s at birth, similarity %.4f", c.Place, c.Into, c.Similarity)
		}
		return fmt.Sprintf("%s: %s became one with it, similarity %.4f, utility %.4f -> %.4f", c.Place, c.Skill.ID, c.Similarity, c.Before, c.After)
	case *Updated:
		what := "retrieved"
		if c.Selected {
			what = "retrieved and selected"
		}
		return fmt.Sprintf("%s: %s, target %v, utility %.4f -> %.4f", c.Place, what, c.Target, c.Before, c.After)
	case *Retired:
		return fmt.Sprintf("end: retired, worth least by %s in a library above its capacity: utility %.4f, count %d, selected %d", c.Rule, c.Utility, c.Count, c.Selected)
	}
	return ""
}
