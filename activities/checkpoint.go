package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
)

// CheckpointPrefix begins the names of a training stage's checkpoints, checkpoints/<stage key>/<step>. A retry looks
// there, not at its heartbeats: a kill loses the last heartbeats, never a name.
func CheckpointPrefix(key artifacts.Digest) string { return "checkpoints/" + key.Hex() + "/" }

func checkpointName(key artifacts.Digest, step int) string {
	return fmt.Sprintf("%s%08d", CheckpointPrefix(key), step)
}

// sftState is what a checkpoint keeps beside the trainer's own state. The sampler has none: its batches are a
// function of the step.
type sftState struct {
	Curve  []CurvePoint `json:"curve"`
	Window CurvePoint   `json:"window"`
	Steps  int          `json:"windowSteps"`
	Checks []Check      `json:"checks"`
}

const sftStateFile = "sft.json"

// checkpoint validates, stores the whole state and gives it its name.
func (r *sftRun) checkpoint(ctx context.Context) error {
	at := r.trainer.Steps()
	r.beat.report(Beat{Done: at, Of: r.Train.Steps, Unit: "steps", Note: "validating"})
	loss, err := r.trainer.Loss(ctx, r.validation)
	if err == nil && (math.IsNaN(loss.Loss) || math.IsInf(loss.Loss, 0)) {
		err = fmt.Errorf("loss %v: %w", loss.Loss, gpu.ErrNotFinite)
	}
	if err != nil {
		return numbers(ctx, fmt.Errorf("%s: validate at step %d: %w", r.Name, at, err))
	}
	r.checks = append(r.checks, Check{
		Step: at, Loss: loss.Loss, Exact: float64(loss.Exact) / float64(loss.Answers), Tokens: loss.Tokens,
	})
	dir := filepath.Join(r.scratch, strconv.Itoa(at))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	defer r.dropScratch(dir)
	if err := r.trainer.SaveState(ctx, dir); err != nil {
		return fmt.Errorf("%s: save state at step %d: %w", r.Name, at, err)
	}
	raw, err := json.Marshal(sftState{Curve: r.curve, Window: r.window, Steps: r.window.Steps, Checks: r.checks})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, sftStateFile), raw, 0o644); err != nil {
		return err
	}
	outputs, err := artifacts.PutFolder(ctx, r.Store, dir)
	if err != nil {
		return fmt.Errorf("%s: store checkpoint %d: %w", r.Name, at, err)
	}
	summary, err := json.Marshal(map[string]any{"step": at, "validation": r.checks[len(r.checks)-1]})
	if err != nil {
		return err
	}
	params, err := json.Marshal(r.TrainParameters)
	if err != nil {
		return err
	}
	d, err := r.put(ctx, artifacts.Manifest{
		Kind:       artifacts.KindCheckpoint,
		Parameters: params, Outputs: outputs, Summary: summary,
		Inputs: []artifacts.Input{{Role: "dataset", Digest: r.Dataset}, {Role: "model", Digest: r.Model}},
	})
	if err != nil {
		return fmt.Errorf("%s: store checkpoint %d: %w", r.Name, at, err)
	}
	// A second attempt may have overtaken a first one that was thought lost: both wrote the same.
	return r.Store.Name(ctx, checkpointName(r.Key, at), d)
}

// resume loads the newest checkpoint, if there is one.
func (r *sftRun) resume(ctx context.Context) error {
	names, err := r.Store.Names(ctx, CheckpointPrefix(r.Key))
	if err != nil {
		return fmt.Errorf("list checkpoints of %s: %w", r.Name, err)
	}
	if len(names) == 0 {
		return nil
	}
	newest := names[len(names)-1]
	if err := r.restore(ctx, newest); err != nil {
		return fmt.Errorf("go on from %s: %w", newest, err)
	}
	r.beat.resumed(fmt.Sprintf("step %d", r.trainer.Steps()))
	return nil
}

func (r *sftRun) restore(ctx context.Context, name string) error {
	d, err := r.Store.Resolve(ctx, name)
	if err != nil {
		return err
	}
	m, err := r.manifest(ctx, d, artifacts.KindCheckpoint)
	if err != nil {
		return err
	}
	dir, err := artifacts.Fetch(ctx, r.Store, m, r.Cache)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(dir, sftStateFile))
	if err != nil {
		return err
	}
	var state sftState
	if err := json.Unmarshal(raw, &state); err != nil {
		return fmt.Errorf("%s: %w", sftStateFile, err)
	}
	if err := r.trainer.LoadState(ctx, dir); err != nil {
		return err
	}
	r.curve, r.window, r.checks = state.Curve, state.Window, state.Checks
	r.window.Steps = state.Steps
	step, err := strconv.Atoi(strings.TrimPrefix(name, CheckpointPrefix(r.Key)))
	if err == nil && step != r.trainer.Steps() {
		err = errors.New("its state is of another step")
	}
	return err
}
