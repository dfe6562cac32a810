package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// PipelineInput asks for a run from games to report.
type PipelineInput struct {
	Run  string `json:"run"`
	Spec Spec   `json:"spec"`
	Pace Pace   `json:"pace"`
	// Until is the last of Steps that is done; "": the whole run. A later run of the same spec goes on from there.
	Until string `json:"until,omitempty"`
}

// Steps are the parts of a run in their order. Spec.Does says which of those that may be left out it has.
var Steps = []string{"games", "panels", "hints", "untrained", "teacher", "student", "distilled", "cold_start", "grpo", "report"}

// PipelineResult is a run that has been gone through to its end, or to the step asked for.
type PipelineResult struct {
	Run    string           `json:"run"`
	Digest artifacts.Digest `json:"digest"`          // of the run's manifest; "" if Until is not
	Until  string           `json:"until,omitempty"` // the run stopped after this step, as it was asked to
	// Stopped has a training of that step end before its own last step, as it was asked to.
	Stopped bool          `json:"stopped,omitempty"`
	Stages  []StageResult `json:"stages"`
}

// Pipeline runs a spec: games and panels are frozen first, then hints, the untrained model, the teacher on
// prompts with hints, the student on prompts without, its distillation, the cold start, GRPO, and the evaluation, as far as the spec asks
// for them.
func Pipeline(ctx workflow.Context, in PipelineInput) (*PipelineResult, error) {
	run := &pipelineRun{PipelineInput: in, done: map[string]artifacts.Digest{}}
	if err := run.setup(ctx); err != nil {
		return nil, err
	}
	steps := in.Spec.steps()
	for i, step := range steps {
		if err := run.step(ctx, step); err != nil {
			return nil, err
		}
		if run.stopped || step == in.Until && i < len(steps)-1 {
			return &PipelineResult{Run: in.Run, Until: step, Stopped: run.stopped, Stages: run.stages}, nil
		}
	}
	return run.finish(ctx)
}

func (r *pipelineRun) step(ctx workflow.Context, step string) error {
	switch step {
	case "games":
		return r.games(ctx)
	case "panels":
		return r.panels(ctx)
	case "hints":
		return r.hints(ctx)
	case "untrained":
		return r.untrained(ctx)
	case "distilled":
		return r.distilled(ctx)
	case "grpo":
		return r.grpo(ctx)
	case "report":
		return r.evaluate(ctx)
	}
	return r.trained(ctx, step)
}

type pipelineRun struct {
	PipelineInput
	*progress
	done   map[string]artifacts.Digest // by stage name
	frozen []FrozenPanel
	stages []StageResult

	stopped bool // a training was asked to end before its last step
}

// panelStage is the stage that freezes a panel.
func panelStage(panel string) string { return "panels/" + panel }

func (r *pipelineRun) setup(ctx workflow.Context) (err error) {
	steps := r.Spec.steps()
	if err := r.Spec.CheckUntil(r.Until); err != nil {
		return temporal.NewNonRetryableApplicationError(err.Error(), activities.ErrTypeBadInput, nil)
	}
	if err := r.Spec.Runnable(); err != nil {
		return temporal.NewNonRetryableApplicationError(err.Error(), activities.ErrTypeBadInput, nil)
	}
	var names []string
	for _, step := range steps {
		names = append(names, r.Spec.stages(step)...)
		if step == r.Until {
			break
		}
	}
	if r.progress, err = newProgress(ctx, names...); err != nil {
		return err
	}
	spec, err := parameters(r.Spec)
	if err != nil {
		return err
	}
	in := activities.RunInput{Run: r.Run, Spec: spec, Base: r.Spec.Model.Base, Asked: r.Spec.asked()}
	return workflow.ExecuteActivity(short(ctx, r.Pace), do.OpenRun, in).Get(ctx, nil)
}

// keep notes a stage's result.
func (r *pipelineRun) keep(res *StageResult) {
	r.done[res.Name] = res.Digest
	r.stages = append(r.stages, *res)
}

// own runs a stage of this workflow's own, whose work is one activity.
func (r *pipelineRun) own(ctx workflow.Context, name string, d draft, work func(artifacts.Digest) (*outcome, error)) error {
	st, err := d.stage()
	if err != nil {
		return err
	}
	res, err := stage(ctx, r.Pace, r.progress, activities.StageInput{Run: r.Run, Name: name, Stage: st}, work)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.keep(res)
	return nil
}

// handed runs a stage that is a workflow of its own.
func (r *pipelineRun) handed(ctx workflow.Context, name string, flow, in any) error {
	return r.await(ctx, name, r.hand(ctx, name, flow, in))
}

// hand begins a stage that is a workflow of its own.
func (r *pipelineRun) hand(ctx workflow.Context, name string, flow, in any) workflow.ChildWorkflowFuture {
	id := r.Run + "/" + name
	r.child(name, id)
	return workflow.ExecuteChildWorkflow(child(ctx, id), flow, in)
}

// await waits for a stage that has begun.
func (r *pipelineRun) await(ctx workflow.Context, name string, begun workflow.ChildWorkflowFuture) error {
	var res StageResult
	if err := begun.Get(ctx, &res); err != nil {
		return r.fail(name, err)
	}
	r.end(res)
	r.keep(&res)
	r.stopped = r.stopped || res.Stopped > 0
	return nil
}

func (r *pipelineRun) games(ctx workflow.Context) error {
	if list := r.Spec.Games.List; list != "" {
		return r.own(ctx, "games", r.Spec.gamesDraft(), func(artifacts.Digest) (*outcome, error) {
			var res activities.GamesResult
			err := workflow.ExecuteActivity(short(ctx, r.Pace), do.CheckGames, list).Get(ctx, &res)
			return &outcome{digest: list, note: fmt.Sprintf("%d games", res.Games)}, err
		})
	}
	d := r.Spec.gamesDraft()
	if shop := r.Spec.Games.Shop; shop != nil {
		return r.list(ctx, "games", d, "open the shop", do.GenerateShop, func(key artifacts.Digest) any {
			return activities.ShopInput{Key: key, Games: *shop}
		})
	}
	return r.list(ctx, "games", d, "generate games", do.GenerateHousehold, func(key artifacts.Digest) any {
		return activities.HouseholdInput{Key: key, Games: *r.Spec.Games.Household}
	})
}

// list has an activity make a list of games.
func (r *pipelineRun) list(ctx workflow.Context, name string, d draft, summary string, what any, in func(key artifacts.Digest) any) error {
	return r.own(ctx, name, d, func(key artifacts.Digest) (*outcome, error) {
		var res activities.GamesResult
		err := workflow.ExecuteActivity(long(ctx, QueueCPU, r.Pace, summary), what, in(key)).Get(ctx, &res)
		return &outcome{digest: res.Digest, note: fmt.Sprintf("%d games", res.Games), work: []activities.Work{res.Work}}, err
	})
}

func (r *pipelineRun) panels(ctx workflow.Context) error {
	for _, panel := range r.Spec.panels() {
		name := panelStage(panel.Name)
		from := r.done["games"]
		err := r.list(ctx, name, panelDraft(panel, from), "freeze "+panel.Name, do.SelectPanel, func(key artifacts.Digest) any {
			return activities.PanelInput{Key: key, Games: from, Panel: panel}
		})
		if err != nil {
			return err
		}
		var count activities.GamesResult
		if err := workflow.ExecuteActivity(short(ctx, r.Pace), do.CheckGames, r.done[name]).Get(ctx, &count); err != nil {
			return err
		}
		r.frozen = append(r.frozen, FrozenPanel{Name: panel.Name, Games: r.done[name], Count: count.Games})
	}
	return nil
}

func (r *pipelineRun) hints(ctx workflow.Context) error {
	if set := r.Spec.Hints.Dataset; set != "" {
		return r.own(ctx, "hints", r.Spec.hintsDraft(""), func(artifacts.Digest) (*outcome, error) {
			err := workflow.ExecuteActivity(short(ctx, r.Pace), do.CheckDataset, set).Get(ctx, nil)
			return &outcome{digest: set}, err
		})
	}
	return r.handed(ctx, "hints", HintGeneration, HintInput{
		Run: r.Run, Name: "hints", Games: r.done["games"], Hints: r.Spec.Hints, Pace: r.Pace,
	})
}

func (r *pipelineRun) untrained(ctx workflow.Context) error {
	if base := r.Spec.Model.Base; base != "" {
		return r.own(ctx, "untrained", r.Spec.startDraft(0, ""), func(artifacts.Digest) (*outcome, error) {
			in := activities.CheckModelInput{Model: base, DType: r.Spec.Evaluation.DType}
			err := workflow.ExecuteActivity(long(ctx, QueueGPU, r.Pace, "check the model"), do.CheckModel, in).Get(ctx, nil)
			return &outcome{digest: base}, err
		})
	}
	for _, seed := range r.Spec.starts() {
		if err := r.initial(ctx, seed); err != nil {
			return err
		}
	}
	return nil
}

// initial makes a new model.
func (r *pipelineRun) initial(ctx workflow.Context, seed uint64) error {
	in := activities.InitInput{Dataset: r.done["hints"], InitParameters: r.Spec.initial(seed)}
	return r.own(ctx, r.Spec.start(seed), r.Spec.startDraft(seed, in.Dataset), func(key artifacts.Digest) (*outcome, error) {
		in.Key = key
		var res activities.ModelResult
		err := workflow.ExecuteActivity(long(ctx, QueueGPU, r.Pace, "new model and tokenizer"), do.InitModel, in).Get(ctx, &res)
		return &outcome{digest: res.Digest, note: res.Note, work: []activities.Work{res.Work}}, err
	})
}

func (r *pipelineRun) evaluate(ctx workflow.Context) error {
	in := EvaluationInput{Run: r.Run, Name: "report", Panels: r.played(), Eval: r.Spec.Evaluation, Hints: r.Spec.Hints, Pace: r.Pace}
	for _, m := range r.Spec.models() {
		m.Model = r.done[seeded(m.Role, m.Seed)]
		in.Models = append(in.Models, m)
	}
	return r.handed(ctx, "report", Evaluation, in)
}

// played are the panels of the evaluation.
func (r *pipelineRun) played() []FrozenPanel { return r.frozen[:len(r.Spec.Evaluation.Panels)] }

// finish writes the run's manifest: the spec and every stage's result.
func (r *pipelineRun) finish(ctx workflow.Context) (*PipelineResult, error) {
	spec, err := parameters(r.Spec)
	if err != nil {
		return nil, err
	}
	in := activities.RunInput{Run: r.Run, Spec: spec}
	for _, s := range r.stages {
		in.Stages = append(in.Stages, artifacts.Input{Role: s.Name, Digest: s.Digest})
	}
	var res activities.ModelResult
	err = workflow.ExecuteActivity(short(ctx, r.Pace), do.CloseRun, in).Get(ctx, &res)
	if err != nil {
		return nil, fmt.Errorf("close run %s: %w", r.Run, err)
	}
	return &PipelineResult{Run: r.Run, Digest: res.Digest, Stages: r.stages}, nil
}
