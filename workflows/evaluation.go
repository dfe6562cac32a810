package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// EvaluationInput asks for a report.
type EvaluationInput struct {
	Run    string         `json:"run"`
	Name   string         `json:"name"` // "report"
	Panels []FrozenPanel  `json:"panels"`
	Models []RoleModel    `json:"models"`
	Eval   EvaluationSpec `json:"eval"`
	Hints  HintsSpec      `json:"hints"` // how prompts are made: history
	Pace   Pace           `json:"pace"`
}

// FrozenPanel is a panel whose games are fixed by digest.
type FrozenPanel struct {
	Name  string           `json:"name"`
	Games artifacts.Digest `json:"games"`
	Count int              `json:"count"`
}

// RoleModel is a model by its part in the table: "untrained", "teacher", "student".
type RoleModel struct {
	Role  string           `json:"role"`
	Model artifacts.Digest `json:"model"`
	Seed  uint64           `json:"seed,omitempty"` // that it was trained with, where there are several
}

// Evaluation plays every panel with every model, with the hint and without, replays every trajectory and writes
// one report.
func Evaluation(ctx workflow.Context, in EvaluationInput) (*StageResult, error) {
	run := &evaluationRun{EvaluationInput: in}
	var err error
	if run.progress, err = newProgress(ctx, in.Name); err != nil {
		return nil, err
	}
	for _, panel := range in.Panels {
		run.total += panel.Count * len(in.Models) * 2
	}
	if err := eachCell(in.Panels, in.Models, func(panel FrozenPanel, model RoleModel, withHint bool) error {
		return run.cell(ctx, panel, model, withHint)
	}); err != nil {
		return nil, run.fail(in.Name, err)
	}
	return run.report(ctx)
}

// eachCell goes through what is played, in the order of the report.
func eachCell[P any](panels []P, models []RoleModel, play func(panel P, model RoleModel, withHint bool) error) error {
	for _, panel := range panels {
		for _, model := range models {
			for _, withHint := range []bool{true, false} {
				if err := play(panel, model, withHint); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cellStage is the stage that plays a panel with a model.
func cellStage(panel string, model RoleModel, withHint bool) string {
	name := evaluations + panel + "/" + model.Role
	if withHint {
		name += "-hint"
	}
	return seeded(name, model.Seed)
}

func cellOf(panel string, model RoleModel, withHint bool, trajectories artifacts.Digest) activities.ReportCell {
	return activities.ReportCell{Panel: panel, Role: model.Role, WithHint: withHint, Trajectories: trajectories, Seed: model.Seed}
}

type evaluationRun struct {
	EvaluationInput
	*progress
	cells  []activities.ReportCell
	played int
	total  int
}

func (r *evaluationRun) cell(ctx workflow.Context, panel FrozenPanel, model RoleModel, withHint bool) error {
	play := activities.PlayInput{Games: panel.Games, Model: model.Model, PlayParameters: r.Eval.parameters(r.Hints, withHint)}
	st, err := r.Eval.draft(r.Hints, withHint, panel.Games, model.Model).stage()
	if err != nil {
		return err
	}
	name := cellStage(panel.Name, model, withHint)
	res, err := stage(ctx, r.Pace, &progress{}, activities.StageInput{Run: r.Run, Name: name, Stage: st},
		func(key artifacts.Digest) (*outcome, error) { return r.play(ctx, key, name, panel, play) })
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if res.Reused {
		r.played += panel.Count
	}
	r.count(r.Name, r.played, r.total, "games")
	r.cells = append(r.cells, cellOf(panel.Name, model, withHint, res.Digest))
	return nil
}

// play runs the shards one after the other: a device plays one shard at a time, and the next one finds its
// model loaded.
func (r *evaluationRun) play(ctx workflow.Context, key artifacts.Digest, name string, panel FrozenPanel, in activities.PlayInput) (*outcome, error) {
	collect := activities.CollectInput{Key: key, Play: in}
	var work []activities.Work
	for from := 0; from < panel.Count; from += r.Eval.Shard {
		in.From, in.To = from, min(from+r.Eval.Shard, panel.Count)
		var res activities.PlayResult
		summary := fmt.Sprintf("%s, games %d to %d", name, in.From+1, in.To)
		if err := workflow.ExecuteActivity(long(ctx, QueueGPU, r.Pace, summary), do.PlayShard, in).Get(ctx, &res); err != nil {
			return nil, err
		}
		collect.Shards = append(collect.Shards, res.Trajectories)
		work = append(work, res.Work)
		r.played += in.To - in.From
		r.count(r.Name, r.played, r.total, "games")
	}
	var res activities.ModelResult
	if err := workflow.ExecuteActivity(long(ctx, QueueCPU, r.Pace, "replay "+name), do.CollectTrajectories, collect).Get(ctx, &res); err != nil {
		return nil, err
	}
	return &outcome{digest: res.Digest, note: res.Note, work: append(work, res.Work)}, nil
}

func (r *evaluationRun) report(ctx workflow.Context) (*StageResult, error) {
	st, err := reportDraft(r.cells).stage()
	if err != nil {
		return nil, err
	}
	return stage(ctx, r.Pace, r.progress, activities.StageInput{Run: r.Run, Name: r.Name, Stage: st},
		func(key artifacts.Digest) (*outcome, error) {
			var res activities.ModelResult
			in := activities.ReportInput{Key: key, Cells: r.cells}
			if err := workflow.ExecuteActivity(long(ctx, QueueCPU, r.Pace, "write report"), do.WriteReport, in).Get(ctx, &res); err != nil {
				return nil, err
			}
			return &outcome{digest: res.Digest, note: res.Note, work: []activities.Work{res.Work}}, nil
		})
}
