package coldstart

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent/ask"
)

// queryFor is a query for a task: the task, as a lesson's head names it.
func queryFor(goal string) string { return "To " + goal + "." }

// lesson has the fields of a distilled lesson, in the order that is asked for.
type lesson struct {
	Subtasks   []subtask `json:"subtasks"`
	Success    bool      `json:"task_success"`
	Actions    *string   `json:"action_lesson"`
	Navigation *string   `json:"navigation_lesson"`
	Head       string    `json:"description_head"`
}

type subtask struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Status      string `json:"status"`
}

// lessonOf is the lesson of a won episode: the commands by types, those that go somewhere apart from the others.
func lessonOf(e Episode) lesson {
	l := lesson{Subtasks: []subtask{}, Success: true, Head: queryFor(e.Decisions[0].X.Goal)}
	var actions, places []string
	for _, d := range e.Decisions {
		command := deed(d.Command)
		if place, ok := way(command); ok {
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
			continue
		}
		if !slices.Contains(actions, command) {
			actions = append(actions, command)
			l.Subtasks = append(l.Subtasks, subtask{kindOf(command), command, "completed"})
		}
	}
	l.Actions, l.Navigation = list(actions), list(places)
	return l
}

// text is the lesson as an answer.
func (l lesson) text() string {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // texts and truth values are always JSON
	}
	return string(text)
}

// list is texts as one, nil for none.
func list(texts []string) *string {
	if len(texts) == 0 {
		return nil
	}
	all := strings.Join(texts, ", ")
	return &all
}

// way is where a command goes, of one that goes somewhere: to a place of a household, or another page of a shop.
func way(command string) (string, bool) {
	switch command {
	case openProduct, nextPage, lastPage, backToSearch:
		return command, true
	}
	return strings.CutPrefix(command, "go to ")
}

// kindOf is the subtask that a command belongs to, by the names that are asked for.
func kindOf(command string) string {
	switch command {
	case searchFor:
		return "search"
	case readMore:
		return "open product"
	case chooseOption:
		return "choose options"
	case buy:
		return "buy"
	}
	switch word, _, _ := strings.Cut(command, " "); word {
	case "take":
		return "pick up"
	case "move", "put":
		return "place"
	default:
		return "use appliance"
	}
}

// skillOf is the lesson of an episode as a prompt shows it.
func skillOf(e Episode) ask.Skill {
	l := lessonOf(e)
	var parts []string
	if l.Actions != nil {
		parts = append(parts, "Action: "+*l.Actions)
	}
	if l.Navigation != nil {
		parts = append(parts, "Navigation: "+*l.Navigation)
	}
	return ask.Skill{Head: l.Head, Strategy: strings.Join(parts, " | ")}
}
