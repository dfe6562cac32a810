package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/artifacts"
)

// StepModel is the model of a checkpoint.
type StepModel struct {
	Step  int              `json:"step"`
	Model artifacts.Digest `json:"model"`
}

// OutcomeInput asks for what a training came to.
type OutcomeInput struct {
	Key         artifacts.Digest   `json:"key"`
	Start       artifacts.Digest   `json:"start"`
	Games       artifacts.Digest   `json:"games"`
	Policy      artifacts.Digest   `json:"policy"` // the last
	Library     artifacts.Digest   `json:"library,omitempty"`
	Models      []StepModel        `json:"models"`      // every checkpoint's, in the order of steps
	Validations []artifacts.Digest `json:"validations"` // in the order of steps
	Best        int                `json:"best"`        // step of the best checkpoint by its validation
	Stopped     bool               `json:"stopped,omitempty"`
}

// OutcomeResult is it.
type OutcomeResult struct {
	Digest artifacts.Digest `json:"digest"`
	Model  artifacts.Digest `json:"model"` // of the best step
	Note   string           `json:"note"`
	Work   Work             `json:"work"`
}

// The files of an outcome: a line for each step, and for each validation.
const (
	StepsFile       = "steps.jsonl"
	ValidationsFile = "validations.jsonl"
)

// StepLine is a line of StepsFile.
type StepLine struct {
	UpdateFigures
	Policy  artifacts.Digest `json:"policy"`
	Library artifacts.Digest `json:"library,omitempty"` // that its episodes saw
}

// ValidationLine is a line of ValidationsFile.
type ValidationLine struct {
	Validation
	Policy  artifacts.Digest `json:"policy"`
	Library artifacts.Digest `json:"library,omitempty"`
	Digest  artifacts.Digest `json:"digest"`
}

// PublishOutcome publishes what a training came to: the figures of all steps and validations, and its models by name. One
// that was stopped before its end is stored and has no name as its stage's result.
func (a *Activities) PublishOutcome(ctx context.Context, in OutcomeInput) (*OutcomeResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	res, err := a.outcome(ctx, in)
	if err != nil {
		return nil, classify(err)
	}
	res.Work = beat.work()
	return res, nil
}

func (a *Activities) outcome(ctx context.Context, in OutcomeInput) (*OutcomeResult, error) {
	if len(in.Models) == 0 {
		return nil, final(ErrTypeBadInput, fmt.Errorf("outcome of %s: expected a checkpoint", in.Policy.Short()))
	}
	at := slices.IndexFunc(in.Models, func(m StepModel) bool { return m.Step == in.Best })
	if at < 0 {
		return nil, final(ErrTypeBadInput, fmt.Errorf("outcome of %s: best step %d has no checkpoint", in.Policy.Short(), in.Best))
	}
	m := artifacts.Manifest{
		Kind: artifacts.KindPolicy,
		Inputs: []artifacts.Input{
			{Role: "start", Digest: in.Start},
			{Role: "games", Digest: in.Games},
			{Role: "policy", Digest: in.Policy},
			{Role: "best", Digest: in.Models[at].Model},
			{Role: "last", Digest: in.Models[len(in.Models)-1].Model},
		},
	}
	if in.Library != "" {
		m.Inputs = append(m.Inputs, artifacts.Input{Role: "library", Digest: in.Library})
	}
	for _, model := range in.Models {
		m.Inputs = append(m.Inputs, artifacts.Input{Role: fmt.Sprintf("step %d", model.Step), Digest: model.Model})
	}
	steps, last, err := a.stepLines(ctx, in.Policy)
	if err != nil {
		return nil, err
	}
	validations, err := a.validationLines(ctx, in.Validations, &m)
	if err != nil {
		return nil, err
	}
	for _, f := range []libraryFile{{StepsFile, mediaJSONL, steps}, {ValidationsFile, mediaJSONL, validations}} {
		d, err := artifacts.PutBytes(ctx, a.Store, f.media, f.data)
		if err != nil {
			return nil, fmt.Errorf("store the outcome of %s: %w", in.Policy.Short(), err)
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: f.name, Descriptor: d})
	}
	summary := map[string]any{"steps": last, "best": in.Best}
	if in.Stopped {
		summary["stopped"] = true
	}
	if m.Summary, err = json.Marshal(summary); err != nil {
		return nil, err
	}
	res := &OutcomeResult{Model: in.Models[at].Model, Note: fmt.Sprintf("%d steps, best at %d", last, in.Best)}
	if !in.Stopped {
		res.Digest, err = a.publish(ctx, in.Key, m)
		return res, err
	}
	d, err := a.put(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("store the outcome of %s: %w", in.Policy.Short(), err)
	}
	res.Digest, res.Note = d, fmt.Sprintf("stopped after step %d, best at %d", last, in.Best)
	return res, nil
}

// stepLines are the figures of all updates up to a policy, the first first, and how many there are.
func (a *Activities) stepLines(ctx context.Context, policy artifacts.Digest) ([]byte, int, error) {
	all, err := StepLines(ctx, a.Store, policy)
	if err != nil {
		return nil, 0, err
	}
	var lines bytes.Buffer
	for _, line := range all {
		if err := json.NewEncoder(&lines).Encode(line); err != nil {
			return nil, 0, err
		}
	}
	return lines.Bytes(), len(all), nil
}

// StepLines are the figures of all updates up to a policy, the first first.
func StepLines(ctx context.Context, store artifacts.Store, policy artifacts.Digest) ([]StepLine, error) {
	all, _, err := (&Activities{Store: store}).chain(ctx, policy)
	if err != nil {
		return nil, err
	}
	lines := make([]StepLine, len(all))
	for i, u := range all {
		raw, err := readOf(ctx, store, u.digest, u.manifest, UpdateFile)
		if err != nil {
			return nil, fmt.Errorf("read update %s: %w", u.digest.Short(), err)
		}
		lines[i] = StepLine{Policy: u.digest, Library: u.in.Library}
		if err := json.Unmarshal(raw, &lines[i].UpdateFigures); err != nil {
			return nil, wrong{fmt.Errorf("update %s: %s: %w", u.digest.Short(), UpdateFile, err), ErrTypeCorrupt}
		}
	}
	return lines, nil
}

// validationLines are the figures of validations, which become inputs of m.
func (a *Activities) validationLines(ctx context.Context, all []artifacts.Digest, m *artifacts.Manifest) ([]byte, error) {
	var lines bytes.Buffer
	for _, d := range all {
		line, err := ReadValidation(ctx, a.Store, d)
		if err != nil {
			return nil, err
		}
		if err := json.NewEncoder(&lines).Encode(line); err != nil {
			return nil, err
		}
		m.Inputs = append(m.Inputs, artifacts.Input{Role: line.Role(), Digest: d})
	}
	return lines.Bytes(), nil
}

// ReadValidation is the line of a stored validation.
func ReadValidation(ctx context.Context, store artifacts.Store, d artifacts.Digest) (ValidationLine, error) {
	line := ValidationLine{Digest: d}
	m, err := (&Activities{Store: store}).manifest(ctx, d, artifacts.KindRollouts)
	if err != nil {
		return line, plain{err}
	}
	if err := json.Unmarshal(m.Summary, &line.Validation); err != nil {
		return line, wrong{fmt.Errorf("validation %s: %w", d.Short(), err), ErrTypeCorrupt}
	}
	for _, in := range m.Inputs {
		switch in.Role {
		case "policy":
			line.Policy = in.Digest
		case "library":
			line.Library = in.Digest
		}
	}
	return line, nil
}

// Role is what a validation is among the inputs of an outcome.
func (v Validation) Role() string {
	with := "without"
	if v.With {
		with = "with"
	}
	return fmt.Sprintf("validation %d %s", v.Step, with)
}
