package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/artifacts"
)

// WeightsName is the name of the model that has the weights of an update.
func WeightsName(policy artifacts.Digest) string { return "weights/" + policy.Hex() }

// StorePolicyInput asks for the weights of an update as a model.
type StorePolicyInput struct {
	Policy artifacts.Digest `json:"policy"`
}

// StorePolicy keeps a policy's state and publishes its weights as a model, as UpdatePolicy does at a checkpoint: for a
// training that is stopped between two.
func (a *Activities) StorePolicy(ctx context.Context, in StorePolicyInput) (*UpdateResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	res, err := a.storePolicy(ctx, in.Policy, beat)
	if err != nil {
		return nil, classify(err)
	}
	res.Work = beat.work()
	return res, nil
}

func (a *Activities) storePolicy(ctx context.Context, policy artifacts.Digest, beat *beater) (*UpdateResult, error) {
	if _, err := a.device(); err != nil {
		return nil, err
	}
	m, err := a.manifest(ctx, policy, artifacts.KindUpdate)
	if err != nil {
		return nil, err
	}
	in, err := UpdateOf(policy, m)
	if err != nil {
		return nil, err
	}
	if done, err := a.Store.Resolve(ctx, WeightsName(policy)); err == nil {
		return a.updated(ctx, policy, done)
	}
	if err := errors.Join(a.policy.free(), a.advance(ctx, policy, in.Start, in.Train, beat)); err != nil {
		return nil, err
	}
	model, err := a.keepAll(ctx, in)
	if err != nil {
		return nil, err
	}
	return a.updated(ctx, policy, model)
}

// keepAll keeps the state of the policy in training and publishes its weights.
func (a *Activities) keepAll(ctx context.Context, in UpdateInput) (artifacts.Digest, error) {
	if err := a.keep(ctx, in.Step); err != nil {
		return "", err
	}
	return a.publishWeights(ctx, in)
}

// publishWeights publishes the weights of the policy in training as a model, or an adapter.
func (a *Activities) publishWeights(ctx context.Context, in UpdateInput) (artifacts.Digest, error) {
	l := a.learners.current()
	dir := filepath.Join(l.scratch, "export")
	defer a.dropScratch(dir)
	if err := a.writePolicy(ctx, dir); err != nil {
		return "", err
	}
	card := fmt.Sprintf("# A policy after step %d of reinforcement learning\n\nTrained from `%s`. What it follows from, update by update: `hone lineage %s`.\n",
		in.Step, in.Start, l.at)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(card), 0o644); err != nil {
		return "", err
	}
	m := artifacts.Manifest{
		Kind:   artifacts.KindModel,
		Inputs: []artifacts.Input{{Role: "policy", Digest: l.at}},
	}
	if in.Train.LoRA != nil {
		m.Kind = artifacts.KindAdapter
		m.Inputs = append(m.Inputs, artifacts.Input{Role: "model", Digest: in.Start})
	}
	var err error
	if m.Outputs, err = artifacts.PutFolder(ctx, a.Store, dir); err != nil {
		return "", fmt.Errorf("store the weights of step %d: %w", in.Step, err)
	}
	if m.Parameters, err = json.Marshal(in.Train); err != nil {
		return "", err
	}
	if m.Summary, err = json.Marshal(map[string]any{"step": in.Step}); err != nil {
		return "", err
	}
	d, err := a.put(ctx, m)
	if err == nil {
		err = a.Store.Name(ctx, WeightsName(l.at), d)
	}
	if err != nil {
		return "", fmt.Errorf("publish the weights of step %d: %w", in.Step, err)
	}
	return d, nil
}
