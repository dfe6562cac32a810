package runs

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

// GRPO is the stage of a run that reinforcement learning is; with several seeds there is one below it for each.
const GRPO = "grpo"

// IsGRPO says whether a stage is one of reinforcement learning.
func IsGRPO(stage string) bool { return stage == GRPO || strings.HasPrefix(stage, GRPO+"/") }

// TrainingStage is a stage of reinforcement learning.
type TrainingStage struct {
	Name    string           // below the run: "grpo", "grpo/seed-2"
	Key     artifacts.Digest // "" while it is not known
	Outcome artifacts.Digest // "" while it is not there
}

// Open is the stage's training; name is for errors. An AskedError where it has not begun.
func (s TrainingStage) Open(ctx context.Context, store artifacts.Store, name string) (t *lineage.Training, err error) {
	switch {
	case s.Outcome != "":
		t, err = lineage.OpenOutcome(ctx, store, s.Outcome)
	case s.Key == "":
		return nil, asked(fmt.Errorf("%s has not begun: what it starts from is not there yet", name))
	default:
		t, err = lineage.OpenUpdates(ctx, store, s.Key)
	}
	if err == nil {
		return t, nil
	}
	err = fmt.Errorf("%s: %w", name, err)
	if errors.Is(err, lineage.ErrNoUpdate) {
		err = asked(err)
	}
	return nil, err
}

// Training finds the reinforcement learning of RUN or RUN/grpo/seed-N, finished or under way. It returns the name of its stage
// with it. An AskedError where there is none, or several that are meant.
func Training(ctx context.Context, store artifacts.Store, ref string) (string, *lineage.Training, error) {
	run, stage, _ := strings.Cut(ref, "/")
	stages, err := Trainings(ctx, store, run)
	if err != nil {
		return "", nil, err
	}
	if stage != "" {
		stages = slices.DeleteFunc(stages, func(s TrainingStage) bool { return s.Name != stage })
	}
	switch {
	case len(stages) == 0 && stage != "":
		return "", nil, asked(fmt.Errorf("run %s has no stage %s: hone list shows its stages", run, stage))
	case len(stages) == 0:
		return "", nil, noTraining(ctx, store, run)
	case len(stages) > 1:
		var names []string
		for _, s := range stages {
			names = append(names, run+"/"+s.Name)
		}
		return "", nil, asked(fmt.Errorf("run %s trained with several seeds: name one of %s", run, strings.Join(names, ", ")))
	}
	name := run + "/" + stages[0].Name
	t, err := stages[0].Open(ctx, store, name)
	return name, t, err
}

// noTraining says why a run has no training.
func noTraining(ctx context.Context, store artifacts.Store, run string) error {
	if err := retention.Gone(ctx, store, run); err != nil {
		return asked(err)
	}
	return asked(fmt.Errorf("run %s has no stage %s here: its spec asks for none, or it has not come so far", run, GRPO))
}

// Trainings are the stages of reinforcement learning that are named in the run, and those of its spec.
func Trainings(ctx context.Context, store artifacts.Store, run string) ([]TrainingStage, error) {
	names, err := store.Names(ctx, activities.RunName(run, GRPO))
	if err != nil {
		return nil, fmt.Errorf("stages of run %s: %w", run, err)
	}
	stages, err := planned(ctx, store, run, IsGRPO)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		stage := strings.TrimPrefix(name, activities.RunName(run, ""))
		if !IsGRPO(stage) {
			continue
		}
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("name %s: %w", name, err)
		}
		i := slices.IndexFunc(stages, func(s TrainingStage) bool { return s.Name == stage })
		if i < 0 {
			i = len(stages)
			stages = append(stages, TrainingStage{Name: stage})
		}
		stages[i].Outcome = d
	}
	return stages, nil
}

// planned are the wanted stages of a run's spec with their keys, where these follow from what is there.
func planned(ctx context.Context, store artifacts.Store, run string, wanted func(stage string) bool) ([]TrainingStage, error) {
	spec, err := Spec(ctx, store, run)
	if err != nil {
		return nil, err
	}
	producer, err := Producer(ctx, store, run)
	if err != nil {
		return nil, err
	}
	var stages []TrainingStage
	err = spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
		one := TrainingStage{Name: p.Name}
		var done artifacts.Digest
		if p.Known {
			var err error
			if one.Key, err = p.Stage.Key(producer); err != nil {
				return "", err
			}
			if done, err = store.Resolve(ctx, activities.StageName(one.Key)); err != nil && !errors.Is(err, artifacts.ErrNotFound) {
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
