package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/workflows"
)

// Bytes of one, as measured on household games: experiments/tiny.yaml and experiments/demo.yaml.
const (
	gameBytes       = 33_000
	goalBytes       = 200 // of a shop's goal, beside the catalogue
	recordBytes     = 1_550
	trajectoryBytes = 16_000
)

// measure fills in what a stage takes.
func (p *planner) measure(ctx context.Context, s workflows.Planned, out *Stage) error {
	var err error
	switch s.Stage.Kind {
	case "list", "household", "shop":
		if out.Games, err = p.gamesOf(ctx, out.Digest, p.Spec.Games.List); err != nil {
			return err
		}
		switch out.Kind {
		case "household":
			out.Stored = int64(out.Games) * gameBytes
		case "shop":
			out.Stored = int64(out.Games) * goalBytes
		}
		p.games[s.Name] = out.Games
	case "panel":
		if out.Games, err = p.panel(ctx, s, out.Digest); err != nil {
			return err
		}
		p.games[s.Panel] = out.Games
	case "hints", "dataset":
		p.hints = s.Stage
		if err := p.records(ctx, out.Digest); err != nil {
			return err
		}
		if out.Kind == "hints" {
			out.Stored = int64(p.Records.Train+p.Records.Validation) * recordBytes
		}
	case "init":
		out.Stored = p.Model.Parameters * 4
	case "sft":
		return p.training(ctx, s, out)
	case "grpo":
		if err := p.bank(ctx, out.State); err != nil {
			return err
		}
		return p.course(p.grpoCourse(*p.Spec.GRPO), p.Spec.GRPO.Optimiser, out)
	case "distilled":
		return p.course(p.distilledCourse(*p.Spec.Distilled), p.Spec.Distilled.Optimiser, out)
	case "play":
		out.Games = p.games[s.Panel]
		out.Stored = int64(out.Games) * trajectoryBytes
	}
	return nil
}

// bank looks whether a training by rewards that is to do can begin with the bank that the spec names.
func (p *planner) bank(ctx context.Context, state State) error {
	g := p.Spec.GRPO
	if g.Bank == "" || g.Library == nil || p.Store == nil || state == Done {
		return nil
	}
	err := activities.CheckBank(ctx, p.Store, g.Bank, *g.Library)
	if err == nil {
		return nil
	}
	if !errors.Is(err, artifacts.ErrNotFound) {
		return fmt.Errorf("grpo.bank %s: %w", g.Bank, err)
	}
	err = fmt.Errorf("grpo.bank %s: the store has no such bank: hone skill import stores one, and hone skill --run RUN names a run's library", g.Bank)
	if p.Start {
		return err
	}
	p.Warnings = append(p.Warnings, err.Error())
	return nil
}

// gamesOf is the number of games: of the stored list, or of the household's.
func (p *planner) gamesOf(ctx context.Context, list ...artifacts.Digest) (int, error) {
	i := slices.IndexFunc(list, func(d artifacts.Digest) bool { return d != "" })
	if i >= 0 && p.Store != nil {
		games, err := activities.ReadGameList(ctx, p.Store, list[i])
		if err == nil {
			p.games[trainGames] = 0
			for _, g := range games {
				if g.Split == p.Spec.Hints.Split {
					p.games[trainGames]++
				}
			}
			return len(games), nil
		}
		if p.Spec.Games.List == "" {
			return 0, err
		}
		if errors.Is(err, artifacts.ErrNotFound) {
			err = fmt.Errorf("games.list %s: the store has no such game list: hone games import and vary bring such lists", list[i])
		}
		if p.Start {
			return 0, err
		}
		p.Warnings = append(p.Warnings, err.Error())
		return 0, nil
	}
	made := p.Spec.Games
	p.games[trainGames] = made.Made(p.Spec.Hints.Split)
	return made.All(), nil
}

// trainGames is the key of the number of games that records are made of.
const trainGames = "\x00train"

// panel is the number of a panel's games: of the stored list, or about.
func (p *planner) panel(ctx context.Context, s workflows.Planned, d artifacts.Digest) (int, error) {
	if d != "" {
		list, err := activities.ReadGameList(ctx, p.Store, d)
		return len(list), err
	}
	var panel activities.Panel
	if err := json.Unmarshal(s.Stage.Parameters, &panel); err != nil {
		return 0, err
	}
	if p.Spec.Games.List != "" {
		return panel.Games, nil // of a list that is not known; a panel of all its games is 0
	}
	n := 0
	for _, split := range panel.Splits {
		n += p.Spec.Games.Made(split)
	}
	asked := len(household.Families) // a shop's families are its catalogue's: about as many
	if len(panel.Families) > 0 {
		asked = len(panel.Families)
		n = n * asked / len(household.Families)
	}
	if panel.PerFamily > 0 {
		n = min(n, panel.PerFamily*asked)
	}
	if panel.Games > 0 {
		n = min(n, panel.Games)
	}
	return n, nil
}

// training is what a fine-tuning takes.
func (p *planner) training(ctx context.Context, s workflows.Planned, out *Stage) error {
	var params activities.TrainParameters
	if err := json.Unmarshal(s.Stage.Parameters, &params); err != nil {
		return err
	}
	t := &Training{
		Batch: params.Batch, Micro: params.Accumulate, StepRecords: params.Batch * params.Accumulate,
	}
	out.Training = t
	var err error
	if t.Trainable, err = p.trainable(params.Train.LoRA); err != nil {
		return fmt.Errorf("lora.targets: %w", err)
	}
	l, err := p.lengthsOf(ctx, s.Stage, params)
	if err != nil {
		return err
	}
	t.Records, t.Overlong, t.Longest = l.examples, l.overlong, l.longest
	config, err := params.Schedule(t.Records)
	switch {
	case err == nil:
		t.Steps, t.Warmup = config.Steps, config.Warmup
	case t.Records > 0:
		return err
	}
	t.Checkpoints = (t.Steps + params.Checkpoint - 1) / params.Checkpoint
	seen := float64(t.Steps) * float64(t.StepRecords)
	if params.Epochs > 0 {
		seen = float64(params.Epochs) * float64(t.Records)
	}
	stored := (float64(t.Checkpoints)*12 + 4) * float64(t.Trainable)
	switch {
	case seen*l.mean > mostCounted:
		return fmt.Errorf("%d steps of %d records: expected at most %.1e tokens in all", t.Steps, t.StepRecords, float64(mostCounted))
	case stored > mostCounted:
		return fmt.Errorf("checkpoint %d: %d checkpoints of %d parameters, expected at most %.1e bytes in all",
			params.Checkpoint, t.Checkpoints, t.Trainable, float64(mostCounted))
	}
	out.Tokens = int64(seen * l.mean)
	out.Stored = int64(t.Checkpoints)*12*t.Trainable + 4*t.Trainable
	return nil
}

// mostCounted bounds bytes and tokens of a stage: far above any use, and low enough for the sums of all stages.
const mostCounted = 1 << 56
