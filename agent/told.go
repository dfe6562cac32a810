package agent

import "cmp"

// Prompts are the prompts of a trajectory's steps as Play wrote them, in the form f ("": lite/1) with so many turns remembered
// (0: 2). False where the opening text does not say the goal, which no step has besides.
func (t Trajectory) Prompts(f Format, history int) ([]string, bool) {
	if len(t.Steps) == 0 {
		return nil, true
	}
	goal, ok := GoalIn(t.Steps[0].Observation)
	if !ok {
		return nil, false
	}
	f, history = cmp.Or(f, Lite), cmp.Or(history, defaultHistory)
	prompts := make([]string, len(t.Steps))
	var turns []Turn
	for i, s := range t.Steps {
		x := X{Goal: goal, History: turns[max(0, len(turns)-history):], Observation: s.Observation, Admissible: s.Admissible, Forms: s.Forms}
		prompts[i] = f.Prompt(x, t.Hint)
		turns = append(turns, Turn{Observation: s.Observation, Command: s.Command})
	}
	return prompts, true
}
