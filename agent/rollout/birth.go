package rollout

import (
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// Lived is what the episode did with a library and gave it: every skill that was found is updated towards the outcome,
// not the shown one alone (Skill1, eq. 5), and a lesson with a strategy is born. Id names the episode, source is the
// digest of what holds it. The vector of a birth's key is for the caller to add.
func (e Episode) Lived(place skills.Place, id string, source artifacts.Digest) skills.Episode {
	lived := skills.Episode{Place: place}
	for _, f := range e.Found {
		lived.Retrieved = append(lived.Retrieved, skills.ID(f.ID))
	}
	if len(e.Shown) > 0 {
		lived.Selected = skills.ID(e.Shown[0])
	}
	if e.Outcome.Won {
		lived.Target = 1
	}
	if e.Lesson != nil && e.Lesson.Strategy() != "" {
		lived.Births = []skills.Birth{{
			Task: e.Task, Type: skills.TaskType(e.Task), Head: e.Lesson.Head, Strategy: e.Lesson.Strategy(), Episode: id, Source: source,
			Outcome: outcome(e.Outcome.Won), Predicted: outcome(e.Lesson.Success),
		}}
	}
	return lived
}

// Kept is what the episode did, as a skill: its commands in place of a lesson, found by its task (Skill1's ablation
// without distillation). None where nothing was done.
func (e Episode) Kept(id string, source artifacts.Digest) []skills.Birth {
	var commands []string
	for _, s := range e.Steps {
		if s.Command != "" {
			commands = append(commands, s.Command)
		}
	}
	if e.Task == "" || len(commands) == 0 {
		return nil
	}
	return []skills.Birth{{
		Task: e.Task, Type: skills.TaskType(e.Task), Strategy: strings.Join(commands, ", "), Episode: id, Source: source, Outcome: outcome(e.Outcome.Won),
	}}
}

func outcome(won bool) skills.Outcome {
	if won {
		return skills.Success
	}
	return skills.Failure
}
