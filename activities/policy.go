package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
)

// A policy is a model, or an update: a policy after a step of reinforcement learning, by what it follows from. The weights
// of an update are no part of it. They are in the memory of the worker that made it, in a state that is kept every few
// steps, or come anew of the newest such state and the updates behind it, bit for bit: an update's episodes are stored, and
// all else that it depends on.

// advance brings the current learner to a policy of a training from start. The device's queue has one slot, so no one else
// is at it.
func (a *Activities) advance(ctx context.Context, policy, start artifacts.Digest, train gpu.TrainConfig, beat *beater) error {
	config, err := json.Marshal(train)
	if err != nil {
		return err
	}
	held := func(d artifacts.Digest) (bool, error) { return a.learners.turn(d, start, string(config)), nil }
	var state *keptState
	kept := func(d artifacts.Digest) (_ bool, err error) {
		state, err = a.kept(ctx, d)
		return state != nil, err
	}
	behind, from, err := a.chain(ctx, policy, held, kept)
	if err != nil {
		return err
	}
	if yes, _ := held(from); !yes {
		if err := a.open(ctx, start, train, string(config), state); err != nil {
			return err
		}
	}
	l := a.learners.current()
	for i, u := range behind {
		beat.report(Beat{Done: u.in.Step, Unit: "steps", Note: "repeating an update"})
		if i == 0 {
			beat.resumed(fmt.Sprintf("step %d", u.in.Step))
		}
		again, err := a.repeat(ctx, u.in, meter{beat: beat})
		if err != nil {
			return err
		}
		if again != u.digest {
			// On another class of machine, and on a GPU, an update gives the same up to rounding: its episodes were played by
			// weights a little apart from these, as by any sampler whose numbers are not the trainer's.
			beat.resumed(fmt.Sprintf("step %d, whose update is not the same to the last bit here", u.in.Step))
			l.at = u.digest
		}
	}
	return nil
}

// step is an update of a chain.
type step struct {
	digest   artifacts.Digest
	manifest *artifacts.Manifest
	in       UpdateInput
}

// chain are the updates up to a policy, the first first, and the model that they begin with. Where until says so of an
// update, those behind it alone.
func (a *Activities) chain(ctx context.Context, policy artifacts.Digest, until ...func(artifacts.Digest) (bool, error)) (all []step, from artifacts.Digest, err error) {
	for from = policy; ; {
		for _, stop := range until {
			if yes, err := stop(from); err != nil || yes {
				return all, from, err
			}
		}
		m, err := artifacts.GetManifest(ctx, a.Store, from)
		if err != nil {
			return nil, "", fmt.Errorf("read policy %s: %w", from.Short(), err)
		}
		if m.Kind != artifacts.KindUpdate {
			return all, from, nil
		}
		in, err := UpdateOf(from, m)
		if err != nil {
			return nil, "", err
		}
		all = slices.Insert(all, 0, step{from, m, in})
		from = in.Policy
	}
}

// open begins from the start's weights or from a kept state.
func (a *Activities) open(ctx context.Context, start artifacts.Digest, train gpu.TrainConfig, config string, state *keptState) error {
	runner, err := a.device()
	if err != nil {
		return err
	}
	if err := a.learners.room(runner.Info().Device); err != nil {
		return err
	}
	base, adapter, err := a.modelFolders(ctx, start)
	if err != nil {
		return err
	}
	if adapter != "" {
		return final(ErrTypeBadInput, fmt.Errorf("policy from %s: it is an adapter, expected a model: training on top of an adapter is not offered", start.Short()))
	}
	l := &learner{at: start, start: start, train: train, config: config, base: base}
	if l.scratch, err = a.scratchDir("policy"); err != nil {
		return err
	}
	train.Failures = filepath.Join(l.scratch, "failures")
	if l.trainer, err = runner.Trainer(ctx, base, train); err != nil {
		return unusable(ctx, errors.Join(fmt.Errorf("load model %s for training: %w", start.Short(), err), l.drop()))
	}
	if state != nil {
		if err := state.load(ctx, a, l); err != nil {
			return errors.Join(err, l.drop())
		}
	}
	a.learners.all = slices.Insert(a.learners.all, 0, l)
	return nil
}

// scorer is the reference: with LoRA the trainer itself, else the start's model, loaded when it is first asked for.
func (a *Activities) scorer(ctx context.Context) (learn.Reference, error) {
	l := a.learners.current()
	if l.train.LoRA != nil {
		return nil, nil
	}
	if l.reference == nil {
		scorer, err := a.Runner.Scorer(ctx, gpu.PolicyConfig{Model: l.base, DType: l.train.DType, Eager: l.train.Eager()})
		if err != nil {
			return nil, unusable(ctx, fmt.Errorf("load model %s as the reference: %w", l.start.Short(), err))
		}
		l.reference = scorer
	}
	return l.reference, nil
}

// exported writes the weights of an update as folders to play from: of the model, and of the adapter with LoRA.
func (a *Activities) exported(ctx context.Context, policy artifacts.Digest, m *artifacts.Manifest, beat *beater) (base, adapter string, err error) {
	in, err := UpdateOf(policy, m)
	if err != nil {
		return "", "", err
	}
	if err := a.advance(ctx, policy, in.Start, in.Train, beat); err != nil {
		return "", "", err
	}
	dir := filepath.Join(a.learners.current().scratch, "play")
	if err := os.RemoveAll(dir); err != nil {
		return "", "", err
	}
	if err := a.writePolicy(ctx, dir); err != nil {
		return "", "", err
	}
	if in.Train.LoRA != nil {
		return a.learners.current().base, dir, nil
	}
	return dir, "", nil
}

// writePolicy writes the weights in training into dir, with the tokenizer of the model that they come from.
func (a *Activities) writePolicy(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := a.learners.current().trainer.Export(ctx, dir); err != nil {
		return fmt.Errorf("export policy %s: %w", a.learners.current().at.Short(), err)
	}
	return copyTokenizer(a.learners.current().base, dir)
}
