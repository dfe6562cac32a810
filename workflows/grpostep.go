package workflows

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// The purposes of episodes, which stand in their names and seeds.
const (
	purposeTrain   = "train"
	purposeWith    = "validation/with"
	purposeWithout = "validation/without"
)

// step plays games, takes what they teach into the library and updates the policy.
func (r *grpoRun) step(ctx workflow.Context) error {
	at := r.at.Step + 1
	r.show("playing")
	played, err := r.play(ctx, activities.RolloutInput{
		Key: r.key, Step: at, Purpose: purposeTrain, Games: r.Games.Games, Model: r.at.Policy, Library: r.at.Library,
		Tasks: Tasks(r.GRPO.Seed, at, r.Games.Count, r.GRPO.Tasks), Group: r.GRPO.Group, RolloutParameters: r.GRPO.rollouts(r.Eval),
	})
	if err != nil {
		return err
	}
	learned := r.at.Library
	if r.GRPO.Library != nil {
		r.show("learning skills")
		res, err := r.learn(ctx, played.episodes)
		if err != nil {
			return err
		}
		learned = res.Library
	}
	r.show("updating")
	in := activities.UpdateInput{
		Key: r.key, Step: at, Start: r.Start, Policy: r.at.Policy, Library: r.at.Library, Learned: learned, Episodes: played.episodes,
		Excluded:         played.excluded,
		UpdateParameters: r.GRPO.updates(),
	}
	if err := r.update(ctx, in); err != nil {
		return err
	}
	r.at.Library = learned
	if at%r.GRPO.Validate.Every == 0 || at == r.GRPO.Steps {
		return r.validate(ctx)
	}
	return nil
}

// played is what came of a step's shards.
type played struct {
	episodes []artifacts.Descriptor
	excluded []activities.ExcludedEpisode
}

// play plays the tasks, a few an activity; all activities are begun at once, so that as many go on as there are devices.
func (r *grpoRun) play(ctx workflow.Context, in activities.RolloutInput) (played, error) {
	var begun []workflow.Future
	for from := 0; from < len(in.Tasks); from += r.GRPO.Shard {
		shard := in
		shard.Tasks = in.Tasks[from:min(from+r.GRPO.Shard, len(in.Tasks))]
		summary := fmt.Sprintf("step %d, %s, tasks %d to %d", in.Step, in.Purpose, from+1, from+len(shard.Tasks))
		begun = append(begun, workflow.ExecuteActivity(long(ctx, QueueGPU, r.Pace, summary), do.PlayRollouts, shard))
	}
	var p played
	failed := make([]error, len(begun))
	for i, one := range begun {
		var res activities.RolloutResult
		if failed[i] = one.Get(ctx, &res); failed[i] != nil {
			continue
		}
		p.episodes = append(p.episodes, res.Episodes)
		p.excluded = append(p.excluded, res.Excluded...)
		r.redone(res.Work)
		as := TimeValidation
		if in.Purpose == purposeTrain {
			as = timePlay
		}
		r.spent(in.Step, res.Work, as)
		for _, e := range res.Excluded {
			if r.at.Excluded++; len(r.at.Examples) < 3 {
				r.at.Examples = append(r.at.Examples, fmt.Sprintf("rollout %d of %s in step %d (%s)", e.Rollout, e.Game, in.Step, in.Purpose))
			}
		}
	}
	return p, failures(failed...)
}

// learn takes episodes into the library; without any it begins one.
func (r *grpoRun) learn(ctx workflow.Context, episodes []artifacts.Descriptor) (*activities.SkillsResult, error) {
	in := activities.SkillsInput{
		Library: r.at.Library, Rules: *r.GRPO.Library, Purpose: purposeTrain, Episodes: episodes, Trajectories: r.GRPO.Trajectories,
	}
	if in.Library == "" {
		in.Bank = r.GRPO.Bank
	}
	var res activities.SkillsResult
	if err := r.do(ctx, "skills", do.LearnSkills, in, &res); err != nil {
		return nil, err
	}
	r.redone(res.Work)
	if len(episodes) > 0 {
		r.spent(r.at.Step+1, res.Work, timeSkills)
	}
	return &res, nil
}

// validate plays the panel with skills, where there are any, and without.
func (r *grpoRun) validate(ctx workflow.Context) error {
	if r.GRPO.Library != nil {
		if err := r.panel(ctx, true); err != nil {
			return err
		}
	}
	return r.panel(ctx, false)
}

func (r *grpoRun) panel(ctx workflow.Context, with bool) error {
	r.show("validating")
	in := activities.RolloutInput{
		Key: r.key, Step: r.at.Step, Purpose: purposeWithout, Games: r.Panel.Games, Model: r.at.Policy,
		Group: r.GRPO.Validate.Samples, RolloutParameters: r.GRPO.validation(r.Eval, with),
	}
	if with {
		in.Purpose, in.Library = purposeWith, r.at.Library
	}
	for i := range r.Panel.Count {
		in.Tasks = append(in.Tasks, i)
	}
	played, err := r.play(ctx, in)
	if err != nil {
		return err
	}
	var res activities.ValidationResult
	collect := activities.ValidationInput{
		Key: r.key, Step: in.Step, Panel: r.Panel.Name, With: with, Games: in.Games, Policy: in.Model, Library: in.Library,
		Group: in.Group, Episodes: played.episodes, RolloutParameters: in.RolloutParameters,
	}
	summary := fmt.Sprintf("step %d, replay %s", in.Step, in.Purpose)
	if err := workflow.ExecuteActivity(long(ctx, QueueCPU, r.Pace, summary), do.CollectRollouts, collect).Get(ctx, &res); err != nil {
		return err
	}
	r.redone(res.Work)
	r.spent(in.Step, res.Work, TimeValidation)
	r.at.Validations = append(r.at.Validations, Validated{Step: in.Step, With: with, Digest: res.Digest, Count: res.Count, Won: res.Won, Score: res.Score})
	return nil
}

// best is the step of the policy that won the largest share of the panel with skills (without, where there are none),
// among those whose weights are kept; of equals the earliest.
func (r *grpoRun) best() int {
	best, won, count := 0, -1, 1
	for _, v := range r.at.Validations {
		kept := slices.ContainsFunc(r.at.Models, func(m activities.StepModel) bool { return m.Step == v.Step })
		if kept && v.With == (r.GRPO.Library != nil) && v.Won*count > won*max(1, v.Count) {
			best, won, count = v.Step, v.Won, max(1, v.Count)
		}
	}
	return best
}

// validated is the last validation.
func (r *grpoRun) validated() string {
	if len(r.at.Validations) == 0 {
		return ""
	}
	v := r.at.Validations[len(r.at.Validations)-1]
	text := fmt.Sprintf("panel at step %d: ", v.Step)
	if before := len(r.at.Validations) - 2; r.GRPO.Library != nil && !v.With && before >= 0 {
		text += fmt.Sprintf("%d with skills and ", r.at.Validations[before].Won)
	}
	how := "without"
	if v.With {
		how = "with skills"
	}
	text += fmt.Sprintf("%d %s, of %d, won", v.Won, how, v.Count)
	if v.Score > 0 {
		text += fmt.Sprintf(", mean score %.3f", v.Score)
	}
	return text
}
