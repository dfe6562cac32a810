package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/retention"
	"github.com/hone-rl/hone/workflows"
)

// grpoStage is the stage of a run that reinforcement learning is; with several seeds there is one below it for each.
const grpoStage = "grpo"

// trainingArg checks the form of RUN or RUN/grpo/seed-N.
func trainingArg(ref string) error {
	run, stage, of := strings.Cut(ref, "/")
	if err := checkRun(run); err != nil {
		return err
	}
	if of && (!isGRPO(stage) || artifacts.ValidateName(activities.RunName(run, stage)) != nil) {
		return usage(fmt.Errorf("%q: expected a run, or RUN/%s/seed-N where it trained with several seeds", ref, grpoStage))
	}
	return nil
}

func isGRPO(stage string) bool { return stage == grpoStage || strings.HasPrefix(stage, grpoStage+"/") }

// openTraining finds a run's reinforcement learning, finished or under way. It returns the name of its stage with it.
func openTraining(ctx context.Context, store artifacts.Store, ref string) (string, *lineage.Training, error) {
	run, stage, _ := strings.Cut(ref, "/")
	stages, err := grpoStages(ctx, store, run)
	if err != nil {
		return "", nil, err
	}
	if stage != "" {
		stages = slices.DeleteFunc(stages, func(s trainingStage) bool { return s.name != stage })
	}
	switch {
	case len(stages) == 0 && stage != "":
		return "", nil, usage(fmt.Errorf("run %s has no stage %s: hone list shows its stages", run, stage))
	case len(stages) == 0:
		return "", nil, noTraining(ctx, store, run)
	case len(stages) > 1:
		var names []string
		for _, s := range stages {
			names = append(names, run+"/"+s.name)
		}
		return "", nil, usage(fmt.Errorf("run %s trained with several seeds: name one of %s", run, strings.Join(names, ", ")))
	}
	name := run + "/" + stages[0].name
	t, err := stages[0].open(ctx, store, name)
	return name, t, err
}

// noTraining says why a run has no training.
func noTraining(ctx context.Context, store artifacts.Store, run string) error {
	if err := retention.Gone(ctx, store, run); err != nil {
		return usage(err)
	}
	return usage(fmt.Errorf("run %s has no stage %s here: its spec asks for none, or it has not come so far", run, grpoStage))
}

// trainingStage is a stage of reinforcement learning.
type trainingStage struct {
	name    string           // below the run: "grpo", "grpo/seed-2"
	key     artifacts.Digest // "" while it is not known
	outcome artifacts.Digest // "" while it is not there
}

// open is the stage's training; name is for errors.
func (s trainingStage) open(ctx context.Context, store artifacts.Store, name string) (t *lineage.Training, err error) {
	switch {
	case s.outcome != "":
		t, err = lineage.OpenOutcome(ctx, store, s.outcome)
	case s.key == "":
		return nil, usage(fmt.Errorf("%s has not begun: what it starts from is not there yet", name))
	default:
		t, err = lineage.OpenUpdates(ctx, store, s.key)
	}
	if err == nil {
		return t, nil
	}
	err = fmt.Errorf("%s: %w", name, err)
	if errors.Is(err, lineage.ErrNoUpdate) {
		err = usage(err)
	}
	return nil, err
}

// grpoStages are those that are named in the run, and those of its spec.
func grpoStages(ctx context.Context, store artifacts.Store, run string) ([]trainingStage, error) {
	names, err := store.Names(ctx, activities.RunName(run, grpoStage))
	if err != nil {
		return nil, fmt.Errorf("stages of run %s: %w", run, err)
	}
	stages, err := plannedStages(ctx, store, run, isGRPO)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		stage := strings.TrimPrefix(name, activities.RunName(run, ""))
		if !isGRPO(stage) {
			continue
		}
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("name %s: %w", name, err)
		}
		i := slices.IndexFunc(stages, func(s trainingStage) bool { return s.name == stage })
		if i < 0 {
			i = len(stages)
			stages = append(stages, trainingStage{name: stage})
		}
		stages[i].outcome = d
	}
	return stages, nil
}

// plannedStages are the wanted stages of a run's spec with their keys, where these follow from what is there.
func plannedStages(ctx context.Context, store artifacts.Store, run string, wanted func(stage string) bool) ([]trainingStage, error) {
	spec, err := runSpec(ctx, store, run)
	if err != nil {
		return nil, usage(err)
	}
	producer, err := producerOf(ctx, store, run)
	if err != nil {
		return nil, err
	}
	var stages []trainingStage
	err = spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
		one := trainingStage{name: p.Name}
		var done artifacts.Digest
		if p.Known {
			var err error
			if one.key, err = p.Stage.Key(producer); err != nil {
				return "", err
			}
			if done, err = store.Resolve(ctx, activities.StageName(one.key)); err != nil && !errors.Is(err, artifacts.ErrNotFound) {
				return "", err
			}
		}
		if wanted(p.Name) {
			stages = append(stages, one)
		}
		return done, nil
	})
	if err != nil {
		return nil, fmt.Errorf("stages of run %s: %w", run, err)
	}
	return stages, nil
}

// producerOf is the program that a run runs on, as the keys of its stages know it.
func producerOf(ctx context.Context, store artifacts.Store, run string) (artifacts.Producer, error) {
	d, err := store.Resolve(ctx, activities.RunName(run, "spec"))
	if err != nil {
		return artifacts.Producer{}, fmt.Errorf("spec of run %s: %w", run, err)
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return artifacts.Producer{}, fmt.Errorf("spec of run %s: %w", run, err)
	}
	return m.Producer, nil
}
