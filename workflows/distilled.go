package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// DistilledInput asks for a student that a teacher has corrected on its own play, or for the rest of such a training.
type DistilledInput struct {
	Run       string           `json:"run"`
	Name      string           `json:"name"` // "distilled", "distilled/seed-1"
	Start     artifacts.Digest `json:"start"`
	Teacher   artifacts.Digest `json:"teacher"`
	Games     FrozenPanel      `json:"games"` // that are played
	Distilled DistilledSpec    `json:"distilled"`
	Eval      EvaluationSpec   `json:"eval"`  // bounds of games
	Hints     HintsSpec        `json:"hints"` // of the teacher's
	Pace      Pace             `json:"pace"`

	At *CourseState `json:"at,omitempty"` // nil: from the beginning
}

// Distilled is privileged distillation: each step the student plays games without the hint, as it is, and a teacher who
// reads the hint says of each of its tokens how much better it would have known. It can be paused, resumed and stopped as
// GRPO can, and a training that was stopped goes on in the same way.
func Distilled(ctx workflow.Context, in DistilledInput) (*StageResult, error) {
	r := &distilledRun{DistilledInput: in}
	r.course = course{name: in.Name, start: in.Start, games: in.Games.Games, steps: in.Distilled.Steps, chain: in.Distilled.Chain, pace: in.Pace}
	if err := r.setup(ctx, in.At); err != nil {
		return nil, err
	}
	return r.run(ctx, in.Run, in.draft(), r.train)
}

type distilledRun struct {
	DistilledInput
	course
}

func (r *distilledRun) train(ctx workflow.Context) (*outcome, error) {
	err := r.walk(ctx, r.step, func(at *CourseState) error {
		next := r.DistilledInput
		next.At = at
		return workflow.NewContinueAsNewError(ctx, Distilled, next)
	})
	if err != nil {
		return nil, err
	}
	return r.publish(ctx, r.at.Step) // no panel is played on the way: the last is the best that is known
}

// step plays games and learns from them.
func (r *distilledRun) step(ctx workflow.Context) error {
	at := r.at.Step + 1
	r.show("playing")
	episodes, err := r.play(ctx, at)
	if err != nil {
		return err
	}
	r.show("updating")
	return r.update(ctx, activities.UpdateInput{
		Key: r.key, Step: at, Start: r.Start, Policy: r.at.Policy, Teacher: r.Teacher, Games: r.Games.Games, Episodes: episodes,
		UpdateParameters: r.Distilled.updates(r.Eval, r.Hints),
	})
}

// play plays a step's games, a few an activity, all begun at once.
func (r *distilledRun) play(ctx workflow.Context, at int) ([]artifacts.Descriptor, error) {
	tasks := Tasks(r.Distilled.Seed, at, r.Games.Count, r.Distilled.Tasks)
	in := activities.PlayInput{Games: r.Games.Games, Model: r.at.Policy, PlayParameters: r.Distilled.plays(r.Eval, r.Hints, at)}
	var begun []workflow.Future
	for from := 0; from < len(tasks); from += r.Distilled.Shard {
		in.Tasks = tasks[from:min(from+r.Distilled.Shard, len(tasks))]
		summary := fmt.Sprintf("step %d, tasks %d to %d", at, from+1, from+len(in.Tasks))
		begun = append(begun, workflow.ExecuteActivity(long(ctx, QueueGPU, r.Pace, summary), do.PlayShard, in))
	}
	var episodes []artifacts.Descriptor
	failed := make([]error, len(begun))
	for i, one := range begun {
		var res activities.PlayResult
		if failed[i] = one.Get(ctx, &res); failed[i] == nil {
			episodes = append(episodes, res.Trajectories)
			r.redone(res.Work)
			r.spent(at, res.Work, timePlay)
		}
	}
	return episodes, failures(failed...)
}
