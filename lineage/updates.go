package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// update counts a step's episodes again, and all of its report that follows from them. What it says of tokens'
// probabilities (KL, entropy, gradients) takes the model.
func (a *Auditor) update(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	in, err := activities.UpdateOf(d, m)
	if err != nil {
		return err
	}
	raw, err := a.output(ctx, m, activities.UpdateFile)
	if err != nil {
		return err
	}
	var said activities.UpdateFigures
	if err := knownJSON(raw, &said); err != nil {
		return fmt.Errorf("%s: %w", activities.UpdateFile, err)
	}
	if said.Step != in.Step {
		return fmt.Errorf("%s: step: it says %d, its summary %d", activities.UpdateFile, said.Step, in.Step)
	}
	before, err := a.before(ctx, m, in)
	if err != nil {
		return err
	}
	if in.Distil != nil {
		return a.taught(ctx, m, in, said)
	}
	if said.Figures == nil || said.Report == nil {
		return fmt.Errorf("%s: expected figures and a report", activities.UpdateFile)
	}
	if err := a.learned(ctx, m, in); err != nil {
		return err
	}
	return a.counted(ctx, d, m, in, said, before)
}

// before is Φ of the intrinsic reward before an update, by game. The policy before it has to be of the step before.
func (a *Auditor) before(ctx context.Context, m *artifacts.Manifest, in activities.UpdateInput) (map[string]float64, error) {
	policy, err := artifacts.GetManifest(ctx, a.Store, in.Policy)
	if err != nil {
		return nil, err
	}
	best := map[string]float64{}
	if policy.Kind != artifacts.KindUpdate {
		if in.Step != 1 || in.Policy != in.Start {
			return nil, fmt.Errorf("it is of step %d, behind %s %s, which is no update, and begins from %s", in.Step, policy.Kind, in.Policy, in.Start)
		}
		return best, nil
	}
	last, err := activities.UpdateOf(in.Policy, policy)
	if err != nil {
		return nil, err
	}
	switch {
	case last.Step+1 != in.Step:
		return nil, fmt.Errorf("it is of step %d, behind an update of step %d", in.Step, last.Step)
	case last.Start != in.Start:
		return nil, fmt.Errorf("it begins from %s, the update before it from %s", in.Start, last.Start)
	case last.Learned != in.Library && in.Distil == nil:
		return nil, fmt.Errorf("its episodes saw the library %q, that after the update before it is %q", in.Library, last.Learned)
	case !bytes.Equal(policy.Parameters, m.Parameters): // canonical JSON
		return nil, differs("its parameters, against those of the update before it", m.Parameters, policy.Parameters)
	}
	if in.Learn.Credit.Intrinsic == 0 || in.Distil != nil {
		return best, nil
	}
	raw, err := a.output(ctx, policy, activities.BestFile)
	if err == nil {
		err = json.Unmarshal(raw, &best)
	}
	if err == nil && best == nil {
		err = errors.New("null, expected an object")
	}
	if err != nil {
		return nil, fmt.Errorf("%s of the update before it: %w", activities.BestFile, err)
	}
	return best, nil
}

// learned compares a step with the library after it: it has learnt from the same episodes, behind the one that they saw.
func (a *Auditor) learned(ctx context.Context, m *artifacts.Manifest, in activities.UpdateInput) error {
	if in.Learned == in.Library {
		return nil
	}
	library, err := artifacts.GetManifest(ctx, a.Store, in.Learned)
	if err != nil {
		return err
	}
	if got := inputOf(library, LibraryRole); got != in.Library {
		return fmt.Errorf("the library after it, %s, follows %q, its episodes saw %q", in.Learned, got, in.Library)
	}
	for _, out := range library.Outputs {
		if out.Name == activities.EpisodesFile && out.Digest == in.Episodes[0].Digest {
			return nil
		}
	}
	return fmt.Errorf("the library after it, %s, has learnt from other episodes than its %s", in.Learned, activities.EpisodesFile)
}

// counted counts a step's episodes. What is kept of them in memory is what their credit depends on.
func (a *Auditor) counted(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest, in activities.UpdateInput, said activities.UpdateFigures, best map[string]float64) error {
	tally := learn.NewTally(in.Learn.Expect)
	told := heard{fewest: noFewest}
	var all []rollout.Episode
	err := a.episodes(ctx, m, func(e episode) error {
		told.hear(e.Episode)
		if err := tally.Add(e.Episode); err != nil {
			return err
		}
		all = append(all, slim(e.Episode))
		return nil
	})
	if err != nil {
		return err
	}
	a.heard[d] = told
	figures := tally.Figures()
	figures.Excluded = len(in.Excluded)
	for _, l := range []struct {
		of artifacts.Digest
		to **learn.LibraryFigures
	}{{in.Library, &figures.Before}, {in.Learned, &figures.After}} {
		if l.of == "" {
			continue
		}
		library, err := manifestOf(ctx, a.Store, l.of, artifacts.KindSkills)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(library.Summary, l.to); err != nil {
			return fmt.Errorf("summary of library %s: %w", l.of, err)
		}
	}
	if err := differs(activities.UpdateFile+": figures", said.Figures, figures); err != nil {
		return err
	}
	if err := grouped(all, in.Excluded, in.Group); err != nil {
		return err
	}
	groups := activities.Groups(all, in.Group)
	if in.Learn.Credit.Intrinsic != 0 {
		for i := range groups {
			groups[i].Best = best[groups[i].Task]
		}
	}
	report, steps, err := learn.Credited(in.Learn, groups)
	if err != nil {
		return err
	}
	if len(said.Report.Steps) != steps {
		return fmt.Errorf("%s: report.steps: it says %d, its episodes make %d", activities.UpdateFile, len(said.Report.Steps), steps)
	}
	report.Steps = said.Report.Steps // they take the model
	if err := differs(activities.UpdateFile+": report", said.Report, report); err != nil {
		return err
	}
	return a.best(ctx, m, in, best, report.Best)
}

// slim is an episode without what no credit depends on.
func slim(e rollout.Episode) rollout.Episode {
	steps := make([]agent.Step, len(e.Steps))
	for i, s := range e.Steps {
		steps[i] = agent.Step{Observation: s.Observation}
	}
	e.Steps, e.Last = steps, nil
	for i := range e.Said {
		e.Said[i].LogProbs = nil
	}
	return e
}

// best compares the best success rates that are kept of games.
func (a *Auditor) best(ctx context.Context, m *artifacts.Manifest, in activities.UpdateInput, best, after map[string]float64) error {
	if in.Learn.Credit.Intrinsic == 0 {
		return nil
	}
	raw, err := a.output(ctx, m, activities.BestFile)
	if err != nil {
		return err
	}
	said := map[string]float64{}
	if err := json.Unmarshal(raw, &said); err != nil {
		return fmt.Errorf("%s: %w", activities.BestFile, err)
	}
	for task, rate := range after {
		if rate > 0 {
			best[task] = rate
		}
	}
	return differs(activities.BestFile, said, best)
}

// taught plays the trajectories that a student learnt from its teacher on again, and counts them.
func (a *Auditor) taught(ctx context.Context, m *artifacts.Manifest, in activities.UpdateInput, said activities.UpdateFigures) error {
	if said.Distil == nil {
		return fmt.Errorf("%s: expected figures of a teacher", activities.UpdateFile)
	}
	games, err := a.listed(ctx, m)
	if err != nil {
		return err
	}
	params := activities.PlayParameters{Limits: in.Distil.Limits}
	count, won := 0, 0
	err = a.lines(ctx, m, activities.EpisodesFile, func(line []byte) error {
		for t, err := range agent.Trajectories(bytes.NewReader(line)) {
			count++
			if err == nil {
				err = a.replay(ctx, games, t, params)
			}
			if err != nil {
				return fmt.Errorf("%s line %d: %w", activities.EpisodesFile, count, err)
			}
			if t.Outcome.Won {
				won++
			}
			a.result.Replays++
			a.Tick("replay of " + t.Game)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if said.Distil.Episodes != count || said.Distil.Won != won {
		return fmt.Errorf("%s: it says %d of %d won, its trajectories come to %d of %d", activities.UpdateFile, said.Distil.Won, said.Distil.Episodes, won, count)
	}
	return nil
}
