package reply

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Lesson is what a model draws from an episode that it played.
type Lesson struct {
	Subtasks []Subtask
	// Success is what the model takes the episode for. It is told the outcome, and some rules of admission ask whether
	// it believes it.
	Success bool
	// Actions and Navigation are what to do, and where to go and look; "" where there is nothing to say.
	Actions, Navigation string
	Head                string // one or two sentences on when the lesson applies: the key it is found by
}

// Subtask is a part of the task and what became of it.
type Subtask struct {
	Name        string
	Description string
	Completed   bool
}

// leastLesson is how many characters a lesson has more than, in the published system; shorter ones say nothing.
const leastLesson = 5

// Strategy is the lesson as one text, as skills keep it; "" where nothing was learnt.
func (l Lesson) Strategy() string {
	var parts []string
	for _, p := range []struct{ label, text string }{{"Action", l.Actions}, {"Navigation", l.Navigation}} {
		if utf8.RuneCountInString(p.text) > leastLesson {
			parts = append(parts, p.label+": "+p.text)
		}
	}
	return strings.Join(parts, " | ")
}

// Completion is the part of the subtasks that were completed, from 0 to 1; 0 without subtasks.
func (l Lesson) Completion() float64 {
	if len(l.Subtasks) == 0 {
		return 0
	}
	n := 0
	for _, s := range l.Subtasks {
		if s.Completed {
			n++
		}
	}
	return float64(n) / float64(len(l.Subtasks))
}

// lesson is the JSON that is asked for. Pointers tell what is missing from what is empty.
type lesson struct {
	Subtasks []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Status      string `json:"status"`
	} `json:"subtasks"`
	Success    *bool   `json:"task_success"`
	Actions    *string `json:"action_lesson"`
	Navigation *string `json:"navigation_lesson"`
	Head       *string `json:"description_head"`
}

// Distilled reads the JSON object of a lesson: what stands in the first block fenced as json, else from the first brace
// to the last. The error says why there is no lesson in the reply.
func Distilled(text string) (Lesson, error) {
	object, err := objectIn(text)
	if err != nil {
		return Lesson{}, err
	}
	var given lesson
	if err := json.Unmarshal([]byte(object), &given); err != nil {
		return Lesson{}, fmt.Errorf("lesson: %w", err)
	}
	if given.Success == nil {
		return Lesson{}, fmt.Errorf("lesson: expected task_success, true or false")
	}
	l := Lesson{Success: *given.Success, Actions: said(given.Actions), Navigation: said(given.Navigation), Head: said(given.Head)}
	for i, s := range given.Subtasks {
		if s.Status != "completed" && s.Status != "incomplete" {
			return Lesson{}, fmt.Errorf("lesson: subtasks[%d].status %.40q: expected completed or incomplete", i, s.Status)
		}
		l.Subtasks = append(l.Subtasks, Subtask{said(&s.Name), said(&s.Description), s.Status == "completed"})
	}
	return l, nil
}

// said is a text on one line, as it is shown in prompts: a skill must not be able to end the line it stands on.
func said(text *string) string {
	if text == nil {
		return ""
	}
	return strings.Join(strings.Fields(*text), " ")
}

func objectIn(text string) (string, error) {
	if _, fenced, ok := strings.Cut(text, "```json"); ok {
		if block, _, ok := strings.Cut(fenced, "```"); ok {
			return strings.TrimSpace(block), nil
		}
	}
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return "", fmt.Errorf("lesson: expected a JSON object in the reply")
	}
	return text[from : to+1], nil
}
