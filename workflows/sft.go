package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
)

// SFTInput asks for a fine-tuned model.
type SFTInput struct {
	Run      string           `json:"run"`
	Name     string           `json:"name"` // "teacher", "student"
	Model    artifacts.Digest `json:"model"`
	Dataset  artifacts.Digest `json:"dataset"`
	WithHint bool             `json:"withHint"` // the teacher reads X and H, the student X alone
	SFT      SFTSpec          `json:"sft"`
	Prompt   agent.Format     `json:"prompt,omitempty"`
	Pace     Pace             `json:"pace"`

	ColdStart *activities.ColdStartParameters `json:"coldStart,omitempty"` // of a training that teaches GRPO's forms
}

// SFT fine-tunes a model on a dataset and returns the best checkpoint's model. It is one activity: a retry goes
// on from the newest checkpoint.
func SFT(ctx workflow.Context, in SFTInput) (*StageResult, error) {
	p, err := newProgress(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	train := activities.TrainInput{
		Run: in.Run, Name: in.Name, Model: in.Model, Dataset: in.Dataset, TrainParameters: in.parameters(),
	}
	st, err := in.draft().stage()
	if err != nil {
		return nil, err
	}
	return stage(ctx, in.Pace, p, activities.StageInput{Run: in.Run, Name: in.Name, Stage: st},
		func(key artifacts.Digest) (*outcome, error) {
			train.Key = key
			var res activities.ModelResult
			if err := workflow.ExecuteActivity(long(ctx, QueueGPU, in.Pace, "train "+in.Name), do.TrainSFT, train).Get(ctx, &res); err != nil {
				return nil, err
			}
			return &outcome{digest: res.Digest, note: res.Note, work: []activities.Work{res.Work}}, nil
		})
}
