package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
)

// ModelResult is an artifact that an activity made, with a line about it for people.
type ModelResult struct {
	Digest artifacts.Digest `json:"digest"`
	Note   string           `json:"note"`
	Work   Work             `json:"work"`
}

// OpenRun names the spec that a run was started with, so that it can be asked for before the run is finished. A run
// whose stored base does not fit its trainings ends here: whoever started it may not have seen the store.
func (a *Activities) OpenRun(ctx context.Context, in RunInput) error {
	defer a.beat(ctx).stop()
	if in.Base != "" {
		if err := CheckBase(ctx, a.Store, in.Base, in.Asked); err != nil {
			return classify(err)
		}
	}
	m := artifacts.Manifest{
		Kind: artifacts.KindRun, Parameters: in.Spec,
	}
	d, err := a.put(ctx, m)
	if err != nil {
		return classify(fmt.Errorf("store spec of run %s: %w", in.Run, err))
	}
	return classify(a.Store.Name(ctx, RunName(in.Run, "spec"), d))
}

// RunInput is a run whose stages are done.
type RunInput struct {
	Run    string            `json:"run"`
	Spec   json.RawMessage   `json:"spec"`
	Stages []artifacts.Input `json:"stages"` // role: the stage's name

	Base  artifacts.Digest `json:"base,omitempty"`  // a stored model that it starts from
	Asked []Asked          `json:"asked,omitempty"` // of the base
}

// CloseRun stores the run's manifest, whose digest stands for everything that the run made, and names it.
func (a *Activities) CloseRun(ctx context.Context, in RunInput) (*ModelResult, error) {
	defer a.beat(ctx).stop()
	m := artifacts.Manifest{
		Kind:       artifacts.KindRun,
		Parameters: in.Spec, Inputs: in.Stages,
	}
	d, err := a.put(ctx, m)
	if err != nil {
		return nil, classify(fmt.Errorf("store manifest of run %s: %w", in.Run, err))
	}
	if err := a.Store.Name(ctx, RunName(in.Run, "run"), d); err != nil {
		return nil, classify(fmt.Errorf("name run %s: %w", in.Run, err))
	}
	return &ModelResult{Digest: d}, nil
}

// CheckGames says how many games the stored list holds.
func (a *Activities) CheckGames(ctx context.Context, d artifacts.Digest) (*GamesResult, error) {
	defer a.beat(ctx).stop()
	list, err := ReadGameList(ctx, a.Store, d)
	if err != nil {
		return nil, classify(err)
	}
	return &GamesResult{Digest: d, Games: len(list)}, nil
}

// CheckModelInput asks whether a model can be built on.
type CheckModelInput struct {
	Model artifacts.Digest `json:"model"`
	DType string           `json:"dtype,omitempty"` // that it will be played in
}

// CheckModel makes sure that a stored model is one that the device can open, before a run builds on it.
func (a *Activities) CheckModel(ctx context.Context, in CheckModelInput) error {
	beat := a.beat(ctx)
	defer beat.stop()
	if _, err := a.manifest(ctx, in.Model, artifacts.KindModel); err != nil {
		return err
	}
	_, err := a.loaded(ctx, in.Model, in.DType, beat)
	return classify(err)
}

// CheckDataset makes sure that d is a stored dataset.
func (a *Activities) CheckDataset(ctx context.Context, d artifacts.Digest) error {
	_, err := a.manifest(ctx, d, artifacts.KindDataset)
	return err
}
