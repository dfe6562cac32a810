// Package hints makes what a privileged teacher is told (H), the dataset of records X, H, Y that it learns from,
// and the audit that shows that H tells types and never instances. docs/records.md describes the files.
package hints

import (
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// Hint is H: how a game is won, by types. It is the same in all records of a game.
type Hint struct {
	Skill       string   `json:"skill"`       // the family in words: "pick and place"
	Target      string   `json:"target"`      // type of the thing to be handled
	Count       string   `json:"count"`       // how many, as a word: "one", "two"
	Source      []string `json:"source"`      // types of the places it is taken from, in the order of the plan
	Device      string   `json:"device"`      // type of the appliance or lamp, "" for none
	Destination string   `json:"destination"` // type of the place it ends in, "" for none
	Plan        []string `json:"plan"`        // command templates, one a command that names an instance
}

// none stands in the text for what a game does without.
const none = "none"

// Text is the hint as it stands in the teacher's prompt: six lines, each ended by a line break.
//
//	skill: pick and place
//	target: one laptop
//	source: coffeetable
//	device: none
//	destination: armchair
//	plan: go to coffeetable, take laptop from coffeetable, go to armchair, move laptop to armchair
func (h Hint) Text() string {
	var b strings.Builder
	for _, l := range [...]struct{ label, text string }{
		{"skill: ", h.Skill},
		{"target: ", strings.TrimSpace(h.Count + " " + h.Target)},
		{"source: ", strings.Join(h.Source, ", ")},
		{"device: ", h.Device},
		{"destination: ", h.Destination},
		{"plan: ", strings.Join(h.Plan, ", ")},
	} {
		if l.text == "" {
			l.text = none
		}
		b.WriteString(l.label)
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Teacher is the teacher's prompt: the student's in the form f with the lines of h in it, and nothing else.
func Teacher(f agent.Format, x agent.X, h Hint) string { return f.Prompt(x, h.Text()) }

// skills are the families in words. None of them is a command or holds one.
var skills = map[string]string{
	"pick_and_place_simple":          "pick and place",
	"look_at_obj_in_light":           "examine under light",
	"pick_clean_then_place_in_recep": "clean and place",
	"pick_heat_then_place_in_recep":  "heat and place",
	"pick_cool_then_place_in_recep":  "cool and place",
	"pick_two_obj_and_place":         "pick two and place",
}

// Skill is the family in words; of a family not known, its own name with blanks.
func Skill(family string) string {
	if s, ok := skills[family]; ok {
		return s
	}
	return strings.ReplaceAll(family, "_", " ")
}

// numberWords are the counts that a hint can tell.
var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// countWord is n as a word; beyond the words known it is "many", never a digit.
func countWord(n int) string {
	if n >= 0 && n < len(numberWords) {
		return numberWords[n]
	}
	return "many"
}

// hintOf tells by types what the goal is, where the commands that will be given (gold) take things from, and how it
// goes without the detours in them (straight).
func hintOf(goal env.Goal, gold, straight []string) Hint {
	h := Hint{
		Skill:       Skill(goal.Family),
		Target:      byType(goal.Target),
		Count:       countWord(goal.Count),
		Source:      sources(goal.Target, gold),
		Device:      goal.Device,
		Destination: goal.Destination,
		Plan:        []string{},
	}
	for _, c := range straight {
		if t := agent.Template(c); agent.Plain(t) != agent.Plain(c) {
			h.Plan = append(h.Plan, t)
		}
	}
	return h
}

// byType is the name of a thing, or "" for one that tells more than a type: a shop's "two piece suits" has a number.
func byType(name string) string {
	if slices.ContainsFunc(strings.Fields(agent.Plain(name)), func(word string) bool { return slices.Contains(numberWords, word) }) {
		return ""
	}
	return name
}

// sources are the types of the places that commands take things of the type target from, each once.
func sources(target string, commands []string) []string {
	types := []string{}
	for _, c := range commands {
		if thing, place, ok := taken(c); ok && agent.TypeOf(thing) == target && !slices.Contains(types, agent.TypeOf(place)) {
			types = append(types, agent.TypeOf(place))
		}
	}
	return types
}

// taken reads "take X from Y".
func taken(command string) (thing, place string, ok bool) {
	rest, ok := strings.CutPrefix(command, "take ")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, " from ")
}
