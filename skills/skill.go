// Package skills is the library of what a policy has learnt in words: records that are born of episodes, retrieved by
// likeness and utility, and retired. A [Library] is a value that never changes; [Library.Next] says what a step's
// episodes change, and [Library.Apply] is the only way to the library after it. Vectors are handed in: nothing here
// computes them. docs/skills.md has the formulas with their sources and the files.
package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/artifacts"
)

// ID names a skill: "skill-" and 16 hexadecimal digits, a function of its birth alone (NewID). All is keyed by it and
// nothing by text.
type ID string

const idPrefix = "skill-"

// NewID is the id of the skill that episode, stored as source, gave birth to: the first 8 bytes of the sha256 of
// "hone skill/1," and the four texts in this order, each as its length in bytes in decimal, ":", itself, ",".
func NewID(episode string, source artifacts.Digest, head, strategy string) ID {
	h := sha256.New()
	_, _ = h.Write([]byte("hone skill/1,")) // a hash takes everything
	for _, text := range []string{episode, string(source), head, strategy} {
		_, _ = fmt.Fprintf(h, "%d:%s,", len(text), text)
	}
	return ID(idPrefix + hex.EncodeToString(h.Sum(nil)[:8]))
}

// Validate says what is wrong with id, nil if nothing is.
func (id ID) Validate() error {
	digits, ok := strings.CutPrefix(string(id), idPrefix)
	if !ok || len(digits) != 16 || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("id %.40q: expected %s and 16 lower-case hexadecimal digits", string(id), idPrefix)
	}
	return nil
}

// Outcome is how the episode that a skill was born of went.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Unknown Outcome = "unknown"
)

// BirthUtility and BirthCount are a skill's at birth (Skill1's released library).
const (
	BirthUtility = 0.5
	BirthCount   = 1
)

// Skill is one record: a line of skills.jsonl.
type Skill struct {
	ID       ID               `json:"id"`
	Task     string           `json:"task"`           // text of the task that it was born from
	Type     string           `json:"type,omitempty"` // task type, for the type rule; "" is general
	Head     string           `json:"head"`           // when it applies: the retrieval key; "" if none was said
	Strategy string           `json:"strategy"`       // what to do
	Episode  string           `json:"episode"`        // id of the source episode
	Source   artifacts.Digest `json:"source"`         // of what holds the episode
	Outcome  Outcome          `json:"outcome"`        // of the episode
	Born     int              `json:"born"`           // step that it was born in; 0: there from the beginning
	Utility  float64          `json:"utility"`        // U, 0 to 1
	Count    int              `json:"count"`          // 1 at birth, 1 more for each retrieval and each merge
	Selected int              `json:"selected"`       // how often it was the one played with
}

// Key is the text whose vector finds the skill: its head, or its task where it has none.
func (s Skill) Key() string {
	if s.Head == "" {
		return s.Task
	}
	return s.Head
}

// Bounds of a record's texts, in bytes. A strategy may be a whole episode (the ablation without distillation).
const (
	maxText     = 64 << 10
	maxStrategy = 256 << 10
	maxCount    = 1<<53 - 1 // JSON's numbers are doubles elsewhere
)

// Validate says all that is wrong with s, nil if nothing is.
func (s Skill) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, f := range []struct {
		name, text string
		most       int
		needed     bool
	}{
		{"task", s.Task, maxText, true},
		{"type", s.Type, maxText, false},
		{"head", s.Head, maxText, false},
		{"strategy", s.Strategy, maxStrategy, true},
		{"episode", s.Episode, maxText, true},
	} {
		switch {
		case len(f.text) > f.most:
			bad("%s: %d bytes, expected at most %d", f.name, len(f.text), f.most)
		case !utf8.ValidString(f.text):
			bad("%s: not UTF-8", f.name)
		case f.needed && f.text == "":
			bad("%s: empty, expected a text", f.name)
		}
	}
	if err := s.Source.Validate(); err != nil {
		bad("source: %w", err)
	}
	if !slices.Contains([]Outcome{Success, Failure, Unknown}, s.Outcome) {
		bad("outcome: %.40q, expected success, failure or unknown", string(s.Outcome))
	}
	if !(s.Utility >= 0 && s.Utility <= 1) { // nor NaN
		bad("utility: %v, expected 0 to 1", s.Utility)
	}
	for _, f := range []struct {
		name         string
		value, least int
	}{{"born", s.Born, 0}, {"count", s.Count, BirthCount}, {"selected", s.Selected, 0}} {
		if f.value < f.least || f.value > maxCount {
			bad("%s: %d, expected %d to %d", f.name, f.value, f.least, maxCount)
		}
	}
	if s.Selected >= max(s.Count, 1) {
		bad("selected: %d with count %d: expected less, since who is selected was retrieved", s.Selected, s.Count)
	}
	if want := NewID(s.Episode, s.Source, s.Head, s.Strategy); s.ID != want {
		bad("id: %.40q, expected %s, which its episode, source, head and strategy give", string(s.ID), want)
	}
	return errors.Join(errs...)
}
