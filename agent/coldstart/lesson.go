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
func lessonOf(world ask.World, e Episode) lesson {
	l := lesson{Subtasks: []subtask{}, Success: true, Head: queryFor(e.Decisions[0].X.Goal)}
	var actions, places []string
	for _, d := range e.Decisions {
		deed := world.Deed(d.Command)
		if deed.Place != "" {
			if !slices.Contains(places, deed.Place) {
				places = append(places, deed.Place)
			}
			continue
		}
		if !slices.Contains(actions, deed.Name) {
			actions = append(actions, deed.Name)
			l.Subtasks = append(l.Subtasks, subtask{deed.Subtask, deed.Name, "completed"})
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

// skillOf is the lesson of an episode as a prompt shows it.
func skillOf(world ask.World, e Episode) ask.Skill {
	l := lessonOf(world, e)
	var parts []string
	if l.Actions != nil {
		parts = append(parts, "Action: "+*l.Actions)
	}
	if l.Navigation != nil {
		parts = append(parts, "Navigation: "+*l.Navigation)
	}
	return ask.Skill{Head: l.Head, Strategy: strings.Join(parts, " | ")}
}
