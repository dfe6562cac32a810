package activities

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// TrainParameters are what a fine-tuned model depends on beside its inputs.
type TrainParameters struct {
	WithHint   bool            `json:"withHint"`
	Train      gpu.TrainConfig `json:"train"`
	Batch      int             `json:"batch"`      // records a micro-batch
	Accumulate int             `json:"accumulate"` // micro-batches a step
	MaxTokens  int             `json:"maxTokens"`  // longer records are left out and counted
	Checkpoint int             `json:"checkpoint"` // steps between checkpoints
	Validate   int             `json:"validate"`   // records a validation, the first by digest; 0: all held out
	Order      uint64          `json:"order"`      // seed of the order of records

	Epochs      int     `json:"epochs,omitempty"`      // in place of Train.Steps: each record so many times
	WarmupRatio float64 `json:"warmupRatio,omitempty"` // in place of Train.Warmup: part of the steps

	Prompt agent.Format `json:"prompt,omitempty"` // "" is "lite/1"
	Rename float64      `json:"rename,omitempty"` // share of examples whose things change their names, each time anew
	// PromptLoss is the share of the steps, from the first, whose loss is on all tokens and not on answers only.
	PromptLoss float64 `json:"promptLoss,omitempty"`

	// ColdStart makes examples of whole games in place of records: Prompt and WithHint are then not said, and Validate
	// counts examples.
	ColdStart *ColdStartParameters `json:"coldStart,omitempty"`
}

// TrainInput asks for a fine-tuned model.
type TrainInput struct {
	Key     artifacts.Digest `json:"key"`
	Run     string           `json:"run"`
	Name    string           `json:"name"`
	Model   artifacts.Digest `json:"model"`
	Dataset artifacts.Digest `json:"dataset"`
	TrainParameters
}

// TrainSFT fine-tunes a model on the answers of a dataset's training records and publishes the checkpoint with
// the lowest validation loss as a Hugging Face folder, or a PEFT adapter. A retry goes on from the newest
// checkpoint in the store, whatever machine it was made on.
func (a *Activities) TrainSFT(ctx context.Context, in TrainInput) (*ModelResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	run := &sftRun{TrainInput: in, Activities: a, beat: beat}
	if err := run.load(ctx); err != nil {
		return nil, classify(err)
	}
	defer run.close()
	if err := run.resume(ctx); err != nil {
		return nil, classify(err)
	}
	for run.trainer.Steps() < run.Train.Steps {
		if err := run.step(ctx); err != nil {
			return nil, err
		}
	}
	d, note, err := run.publishBest(ctx)
	if err != nil {
		return nil, classify(err)
	}
	work := beat.work()
	info := a.Runner.Info()
	work.Device, work.Class = info.Name, info.Class
	return &ModelResult{Digest: d, Note: note, Work: work}, nil
}

// sftRun is one attempt at a fine-tuning.
type sftRun struct {
	TrainInput
	*Activities
	beat *beater

	base       string // folder of the model that is trained
	scratch    string
	trainer    gpu.Trainer
	sampler    *gpu.Sampler
	train      []gpu.Example
	validation []gpu.Example
	things     []int32 // tokens of things to rename
	overlong   int
	curve      []CurvePoint
	checks     []Check
	window     CurvePoint // of the steps since the last point of the curve
}

// CurvePoint is a mean over the steps up to Step.
type CurvePoint struct {
	Step  int     `json:"step"`
	Loss  float64 `json:"loss"` // nats an answer token
	Norm  float64 `json:"grad_norm"`
	Rate  float64 `json:"rate"` // of the last step
	Steps int     `json:"-"`
}

// Check is a validation at a checkpoint.
type Check struct {
	Step   int     `json:"step"`
	Loss   float64 `json:"loss"`  // nats an answer token
	Exact  float64 `json:"exact"` // share of records whose every answer token is the model's first choice
	Tokens int     `json:"tokens"`
}

func (r *sftRun) load(ctx context.Context) error {
	runner, err := r.device()
	if err != nil {
		return err
	}
	base, adapter, err := r.modelFolders(ctx, r.Model)
	if err != nil {
		return err
	}
	if adapter != "" {
		return final(ErrTypeBadInput, fmt.Errorf("model %s is an adapter, expected a model: training on top of an adapter is not offered", r.Model.Short()))
	}
	r.base = base
	tokens, err := tokenizer.Load(filepath.Join(base, "tokenizer.json"))
	if err != nil {
		return final(ErrTypeBadInput, fmt.Errorf("model %s: %w", r.Model.Short(), err))
	}
	if err := r.examples(ctx, tokens); err != nil {
		return err
	}
	if r.sampler, err = gpu.NewSampler(lengths(r.train), r.Batch, gpu.DefaultWindow, r.Order); err != nil {
		return final(ErrTypeBadInput, err)
	}
	if r.Train, err = r.Schedule(len(r.train)); err != nil {
		return final(ErrTypeBadInput, fmt.Errorf("%s: %w", r.Name, err))
	}
	if r.scratch, err = r.scratchDir("train"); err != nil {
		return err
	}
	r.beat.report(Beat{Of: r.Train.Steps, Unit: "steps", Note: "loading the model"})
	if err := errors.Join(r.policy.free(), r.learners.drop()); err != nil {
		return err
	}
	config := r.Train
	config.Failures = filepath.Join(r.scratch, "failures")
	if r.trainer, err = runner.Trainer(ctx, base, config); err != nil {
		return unusable(ctx, fmt.Errorf("load model %s for training: %w", r.Model.Short(), err))
	}
	return nil
}

func (r *sftRun) examples(ctx context.Context, tokens *tokenizer.Tokenizer) error {
	set, err := r.dataset(ctx, r.Dataset)
	if err != nil {
		return err
	}
	shortest := 0
	if r.ColdStart != nil {
		shortest, err = r.taught(ctx, tokens, set)
	} else {
		shortest, err = r.encoded(tokens, set)
	}
	if err != nil {
		return err
	}
	if r.Rename > 0 {
		if r.things, err = hints.Things(tokens, each(set.train)); err != nil {
			return err
		}
		if len(r.things) < 2 {
			return final(ErrTypeBadInput, fmt.Errorf("%s.rename %g: %d things are one token: expected a model whose tokenizer cuts between words (split %s)",
				r.role(), r.Rename, len(r.things), tokenizer.SplitWord))
		}
	}
	if len(set.validation) == 0 {
		return final(ErrTypeBadInput, fmt.Errorf("hints.validation_per_mille: dataset %s has no records to validate with: expected a larger share held out, or more games of a family",
			r.Dataset.Short()))
	}
	if len(r.train) == 0 || len(r.validation) == 0 {
		return final(ErrTypeBadInput, fmt.Errorf("%s.max_tokens %d: dataset %s has %d records to train on and %d to validate with that are so short, expected some of both; the shortest has %d tokens",
			r.role(), r.MaxTokens, r.Dataset.Short(), len(r.train), len(r.validation), shortest))
	}
	return nil
}

// encoded makes the examples of records, and says how many tokens the shortest has.
func (r *sftRun) encoded(tokens *tokenizer.Tokenizer, set *dataset) (shortest int, err error) {
	held := set.validation
	if r.Validate > 0 && len(held) > r.Validate {
		held = drawRecords(held, r.Validate)
	}
	cfg := hints.EncodeConfig{Tokens: tokens, WithHint: r.WithHint, Format: r.Prompt, MaxTokens: r.MaxTokens}
	shortest = math.MaxInt
	for _, part := range []struct {
		records []hints.Record
		to      *[]gpu.Example
	}{{set.train, &r.train}, {held, &r.validation}} {
		examples, lengths, err := hints.Examples(cfg, each(part.records))
		if err != nil {
			return 0, final(ErrTypeBadInput, fmt.Errorf("dataset %s: %w", r.Dataset.Short(), err))
		}
		*part.to = examples
		r.overlong += lengths.Over
		shortest = min(shortest, lengths.Shortest)
	}
	return shortest, nil
}

// role is the part of the spec that the training's fields stand in.
func (r *sftRun) role() string {
	role, _, _ := strings.Cut(r.Name, "/")
	return role
}

// curveEvery is how many steps one point of the loss curve stands for.
const curveEvery = 25

func (r *sftRun) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := r.trainer.Steps()
	from, to := r.microBatches(at, r.sampler.Epoch())
	micro := make([][]gpu.Example, to-from)
	for i := range micro {
		for k, n := range r.sampler.Batch(from + i) {
			x := r.renamed(r.train[n], from+i, k)
			if float64(at) < r.PromptLoss*float64(r.Train.Steps) {
				x = x.Whole()
			}
			micro[i] = append(micro[i], x)
		}
	}
	res, err := r.trainer.Step(ctx, micro)
	if err != nil {
		return numbers(ctx, r.keepFailed(ctx, r.scratch, r.blame(fmt.Errorf("%s, step %d: %w", r.Name, at+1, err))))
	}
	r.window.Loss += res.Loss
	r.window.Norm += res.GradNorm
	r.window.Rate = res.Rate
	r.window.Steps++
	at++
	if r.window.Steps == curveEvery || at == r.Train.Steps {
		n := float64(r.window.Steps)
		r.curve = append(r.curve, CurvePoint{Step: at, Loss: r.window.Loss / n, Norm: r.window.Norm / n, Rate: res.Rate})
		r.window = CurvePoint{}
	}
	r.beat.report(Beat{Done: at, Of: r.Train.Steps, Unit: "steps", Note: fmt.Sprintf("loss %.3f", res.Loss)})
	if at%r.Checkpoint == 0 || at == r.Train.Steps {
		return classify(r.checkpoint(ctx))
	}
	return nil
}

// blame adds to an error of a first step whose numbers are not finite where to look: nothing has been learnt yet.
func (r *sftRun) blame(err error) error {
	if errors.Is(err, gpu.ErrNotFinite) && r.trainer.Steps() == 0 {
		return fmt.Errorf("%w; nothing was learnt before this step: look first at the model that it starts from, %s", err, r.Model)
	}
	return err
}

// keepFailed stores the batch of a step that was not finite and adds its digest to the error, for
// gpu.ReadFailedBatch. It is named by nothing: no result rests on it.
func (a *Activities) keepFailed(ctx context.Context, scratch string, err error) error {
	if !errors.Is(err, gpu.ErrNotFinite) {
		return err
	}
	paths, glob := filepath.Glob(filepath.Join(scratch, "failures", "*.json"))
	if glob != nil || len(paths) == 0 {
		return err
	}
	d, kept := artifacts.PutFile(ctx, a.Store, "application/json", paths[len(paths)-1])
	if kept != nil {
		return errors.Join(err, fmt.Errorf("store the batch: %w", kept))
	}
	return fmt.Errorf("%w (the batch is stored as %s)", err, d.Digest)
}

// renamed is example k of a micro-batch with the names of its things exchanged, or as it is: by Order and place alone,
// so that a resumed training sees the same.
func (r *sftRun) renamed(x gpu.Example, batch, k int) gpu.Example {
	if r.Rename == 0 {
		return x
	}
	rng := rand.New(rand.NewPCG(r.Order, uint64(batch)<<32|uint64(k)))
	if rng.Float64() >= r.Rename {
		return x
	}
	return hints.Rename(x, r.things, rng)
}

// numbers makes an error of the model's maths final, whatever it is: the same step on the same batch gives it again.
func numbers(ctx context.Context, err error) error {
	if errors.Is(err, gpu.ErrNotFinite) {
		return final(ErrTypeNumbers, err)
	}
	return unusable(ctx, err)
}

func lengths(examples []gpu.Example) []int {
	all := make([]int, len(examples))
	for i, e := range examples {
		all[i] = len(e.Tokens)
	}
	return all
}

func (r *sftRun) close() {
	if r.trainer != nil {
		_ = r.trainer.Close() // nothing is written by it
	}
	r.dropScratch(r.scratch)
}
