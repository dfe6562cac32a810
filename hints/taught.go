package hints

import (
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/gpu"
)

// Taught is a text of a student's own play, as it read it and as its teacher does: the same answers, token for token, and
// in the teacher's prompts the hint besides.
type Taught struct {
	Student gpu.Example
	Teacher gpu.Example
}

// Teach makes the examples of a student's trajectory on a game whose hint is given. Goal is the game's; history is how many
// turns X remembers, as it did in play. What belongs together is joined as in Examples. Over counts the decisions whose
// teacher's prompt and answer are longer than MaxTokens; they are left out.
func Teach(cfg EncodeConfig, goal string, history int, t agent.Trajectory, hint string) (all []Taught, over int, err error) {
	if cfg.WithHint {
		return nil, 0, fmt.Errorf("teaching %s: the student's prompt must not have the hint", t.Game)
	}
	var turns []agent.Turn
	for _, s := range t.Steps {
		x := agent.X{Goal: goal, History: turns[max(0, len(turns)-history):], Observation: s.Observation, Admissible: s.Admissible, Forms: s.Forms}
		one := Taught{cfg.example(x, "", s.Command), cfg.example(x, hint, s.Command)}
		turns = append(turns, agent.Turn{Observation: s.Observation, Command: s.Command})
		if cfg.MaxTokens > 0 && max(len(one.Student.Tokens), len(one.Teacher.Tokens)) > cfg.MaxTokens {
			over++
			continue
		}
		if n := len(all) - 1; n >= 0 && goesOn(all[n].Student, one.Student) && goesOn(all[n].Teacher, one.Teacher) {
			all[n].Student, all[n].Teacher = joined(all[n].Student, one.Student), joined(all[n].Teacher, one.Teacher)
			continue
		}
		all = append(all, one)
	}
	return all, over, nil
}

// joined is before with the answer of next, whose prompt begins with all of it.
func joined(before, next gpu.Example) gpu.Example {
	next.Read = append(slices.Clip(before.Read), gpu.Span{From: len(before.Tokens), To: next.Answer})
	next.Answer = before.Answer
	return next
}
