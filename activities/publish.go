package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/artifacts"
)

// publishBest exports the checkpoint with the lowest validation loss, the earliest of equals.
func (r *sftRun) publishBest(ctx context.Context) (artifacts.Digest, string, error) {
	best := r.checks[0]
	for _, c := range r.checks {
		if c.Loss < best.Loss {
			best = c
		}
	}
	curve, checks := r.curve, r.checks
	if best.Step != r.trainer.Steps() {
		if err := r.restore(ctx, checkpointName(r.Key, best.Step)); err != nil {
			return "", "", fmt.Errorf("%s: load best checkpoint, step %d: %w", r.Name, best.Step, err)
		}
		r.curve, r.checks = curve, checks
	}
	dir := filepath.Join(r.scratch, "export")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", err
	}
	if err := r.trainer.Export(ctx, dir); err != nil {
		return "", "", fmt.Errorf("%s: export: %w", r.Name, err)
	}
	if err := r.companions(dir, best); err != nil {
		return "", "", fmt.Errorf("%s: export: %w", r.Name, err)
	}
	outputs, err := artifacts.PutFolder(ctx, r.Store, dir)
	if err != nil {
		return "", "", fmt.Errorf("%s: store: %w", r.Name, err)
	}
	m := artifacts.Manifest{
		Kind: artifacts.KindModel, Outputs: outputs,
		Inputs: []artifacts.Input{{Role: "dataset", Digest: r.Dataset}, {Role: "model", Digest: r.Model}},
	}
	if r.Train.LoRA != nil {
		m.Kind = artifacts.KindAdapter
	}
	if m.Parameters, err = json.Marshal(r.TrainParameters); err != nil {
		return "", "", err
	}
	m.Summary, err = json.Marshal(map[string]any{
		"best": best, "steps": r.Train.Steps, "records": len(r.train), "validation": len(r.validation), "overlong": r.overlong,
	})
	if err != nil {
		return "", "", err
	}
	d, err := r.publish(ctx, r.Key, m)
	note := fmt.Sprintf("step %d of %d: validation loss %.3f, %.1f %% of decisions right", best.Step, r.Train.Steps, best.Loss, 100*best.Exact)
	if r.overlong > 0 {
		note += fmt.Sprintf("; %d records over %d tokens left out", r.overlong, r.MaxTokens)
	}
	return d, note, err
}

// TrainingFile is the output of a fine-tuned model with its loss curve: a line for each CurvePoint, then {"validation": Check}
// for each Check.
const TrainingFile = "training.jsonl"

// companions adds what a Hugging Face folder has beside its weights: tokenizer, loss curve and model card.
func (r *sftRun) companions(dir string, best Check) error {
	if err := copyTokenizer(r.base, dir); err != nil {
		return err
	}
	var lines bytes.Buffer
	encode := json.NewEncoder(&lines)
	for _, p := range r.curve {
		if err := encode.Encode(p); err != nil {
			return err
		}
	}
	for _, c := range r.checks {
		if err := encode.Encode(map[string]any{"validation": c}); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, TrainingFile), lines.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), []byte(r.card(best)), 0o644)
}

// copyTokenizer copies a model folder's tokenizer files, and its chat template where that stands alone.
func copyTokenizer(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*token*.json"))
	if err != nil {
		return err
	}
	alone, err := filepath.Glob(filepath.Join(from, "chat_template.*"))
	if err != nil {
		return err
	}
	names = append(names, alone...)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(name)), raw, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// card is the model card. It names inputs by digest, and no clock or machine.
func (r *sftRun) card(best Check) string {
	var b strings.Builder
	what, reads := "model", "goal, history, observation and admissible commands (X)"
	if r.Train.LoRA != nil {
		what = fmt.Sprintf("LoRA adapter of rank %d", r.Train.LoRA.Rank)
	}
	if r.WithHint {
		reads += " and a privileged hint by types (H)"
	}
	fmt.Fprintf(&b, "---\nlibrary_name: %s\ntags: [text-games, alfworld, hone]\n---\n# %s\n\n", map[bool]string{true: "peft", false: "transformers"}[r.Train.LoRA != nil], r.Name)
	if c := r.ColdStart; c != nil {
		fmt.Fprintf(&b, "A %s that plays text games with skills. It is asked by the prompts %s, and ends each answer with %s.\n\n", what, c.Prompts, EndOfText)
	} else {
		fmt.Fprintf(&b, "A %s that plays text games. It reads %s and answers with one admissible command (Y) and a line break.\n\n", what, reads)
	}
	fmt.Fprintf(&b, "| | |\n|---|---|\n")
	row := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | %s |\n", label, fmt.Sprintf(format, args...))
	}
	row("trained from", "`%s`", r.Model)
	row("dataset", "`%s`", r.Dataset)
	row("records", "%d to train on, %d to validate with, %d over %d tokens left out", len(r.train), len(r.validation), r.overlong, r.MaxTokens)
	row("steps", "%d of %d, %d × %d records each", best.Step, r.Train.Steps, r.Accumulate, r.Batch)
	row("optimiser", "AdamW, rate %g, betas %g and %g, weight decay %g, clip %g", r.Train.Rate, r.Train.Beta1, r.Train.Beta2, r.Train.WeightDecay, r.Train.Clip)
	row("validation loss", "%.4f nats an answer token", best.Loss)
	row("validation decisions", "%.1f %% with every token right", 100*best.Exact)
	fmt.Fprintf(&b, "\n`training.jsonl` has the loss curve and every validation. Made by %s %s; the manifest of this artifact has all parameters.\n", r.Producer.Name, r.Producer.Version)
	return b.String()
}
