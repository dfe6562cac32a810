// Package gpu is the contract of the rooms that compute: a policy that chooses, a trainer that learns. It is
// plain Go; libtorch stands behind it in the packages below.
package gpu

import "context"

// Runner opens models on one device. Its methods, and those of what it returns, may be called from any
// goroutine; the work is done on the device's own locked thread, one call after the other.
type Runner interface {
	// Info says what computes.
	Info() Info
	// Init writes a model with seeded random weights in Hugging Face's layout (config.json, model.safetensors)
	// into dir. The same config and seed give the same bytes.
	Init(ctx context.Context, config ModelConfig, seed uint64, dir string) error
	// Policy loads a model to choose and sample with.
	Policy(ctx context.Context, config PolicyConfig) (Policy, error)
	// Trainer loads the model in dir for training.
	Trainer(ctx context.Context, dir string, config TrainConfig) (Trainer, error)
	// Scorer loads a model that is not trained, to score answers with; CacheTokens means nothing to it.
	Scorer(ctx context.Context, config PolicyConfig) (Scorer, error)
	// Embedder loads the sentence encoder in dir.
	Embedder(ctx context.Context, dir string) (Embedder, error)
}

// Info says what computes. It goes into run records; Class into those digests that depend on it.
type Info struct {
	Device  string `json:"device"`  // "cpu", "cuda:0"
	Name    string `json:"name"`    // of the processor or the GPU
	Library string `json:"library"` // "libtorch 2.1.0"
	Threads int    `json:"threads"` // of one operation
	Class   string `json:"class"`   // library, instruction set and threads: where these agree, results agree bit for bit
}

// ModelConfig is the part of a Qwen2 config.json that a new model needs.
type ModelConfig struct {
	Hidden       int     `json:"hidden" yaml:"hidden"`
	Layers       int     `json:"layers" yaml:"layers"`
	Heads        int     `json:"heads" yaml:"heads"`
	KVHeads      int     `json:"kv_heads" yaml:"kv_heads"`
	Intermediate int     `json:"intermediate" yaml:"intermediate"`
	Vocabulary   int     `json:"vocabulary" yaml:"vocabulary"`
	Positions    int     `json:"positions" yaml:"positions"` // max_position_embeddings
	RopeTheta    float64 `json:"rope_theta" yaml:"rope_theta"`
	InitStd      float64 `json:"init_std" yaml:"init_std"` // of the normal distribution of weights
	TieEmbedding bool    `json:"tie_embedding" yaml:"tie_embedding"`
	BOS, EOS     int     `json:"-" yaml:"-"` // token ids for config.json
}

// Trainer learns from examples by AdamW. Close frees the device's memory.
type Trainer interface {
	// Step takes one optimiser step over the micro-batches (gradient accumulation), each an equal part of the
	// mean over all answer tokens, and returns the loss before it. A loss or gradient that is not finite is an
	// error and leaves the parameters as they were. So is an update after which a parameter is not, which leaves
	// nothing to go on from but a saved state.
	Step(ctx context.Context, micro [][]Example) (StepResult, error)
	// StepBy takes one optimiser step on the sum over the micro-batches of what the objective says, dropout on as in
	// Step. Each micro-batch is computed, scored by how (whose Reference must be off), shown to the objective, and
	// gone back through before the next. The objective runs on the device's thread: it must not call the runner.
	// StepResult.Loss is the sum. Errors are those of Step, and the objective's.
	StepBy(ctx context.Context, micro [][]Example, how Scoring, objective Objective) (StepResult, error)
	// LogProbs scores the answer tokens, dropout off. On a CPU in fp32 an example's values do not depend on the
	// other examples. A value that is not finite is an error.
	LogProbs(ctx context.Context, examples []Example, how Scoring) (TokenValues, error)
	// Loss is the mean loss over all answer tokens of the examples, dropout off, and how many of the tokens
	// the model would have chosen (argmax).
	Loss(ctx context.Context, batch []Example) (LossResult, error)
	// Steps is how many optimiser steps have been taken.
	Steps() int
	// SaveState writes parameters being trained, AdamW's moments, the step and the random state into dir as
	// safetensors and JSON; LoadState goes on from there, bit for bit.
	SaveState(ctx context.Context, dir string) error
	LoadState(ctx context.Context, dir string) error
	// Export writes what was trained in the layout of Hugging Face: a model folder, or for LoRA a PEFT adapter.
	Export(ctx context.Context, dir string) error
	Close() error
}

// Scorer scores the answers of a model that stays as it is: a reference, or a teacher. Close frees the device's memory.
type Scorer interface {
	// LogProbs is as a Trainer's, whose values it has to the last bit where the weights are the same. Reference must be off.
	LogProbs(ctx context.Context, examples []Example, how Scoring) (TokenValues, error)
	Close() error
}

// Scoring says how answer tokens are scored.
type Scoring struct {
	Temperature float64 // the logits are divided by it: MinTemperature to MaxTemperature; 0 is 1
	Entropy     bool    // also the entropy of the distribution that each token is drawn from
	Reference   bool    // with the adapter off: the model as it was before LoRA; an error where all is trained
}

// TokenValues hold a number for each answer token: LogProbs[i] belongs to example i, in the order of its answers'
// tokens.
type TokenValues struct {
	LogProbs [][]float32 // natural log
	Entropy  [][]float32 // nats; nil unless asked for
}

// Objective is a loss over the answer tokens of micro-batch number micro. It returns the loss and its derivatives by
// the values, in their shape; where by.Entropy is nil the loss does not depend on the entropy. For the mean loss of
// supervised training over n answer tokens in all: -sum(LogProbs)/n, and -1/n everywhere.
type Objective func(micro int, values TokenValues) (loss float64, by TokenValues, err error)

// StepResult is what a training step tells.
type StepResult struct {
	Loss     float64 // mean over answer tokens, nats
	GradNorm float64 // before clipping
	Rate     float64 // learning rate of the step
	Tokens   int     // positions computed, padding not counted
}

// LossResult is a loss without learning.
type LossResult struct {
	Loss    float64 // mean over answer tokens, nats
	Tokens  int     // answer tokens
	Correct int     // of them, argmax right
	Answers int     // answers: one an example, and one more for each of its Read
	Exact   int     // of them, every token right
}

// TrainConfig sets up a Trainer. The fields' yaml names are those of the spec.
type TrainConfig struct {
	Steps       int     `json:"steps" yaml:"steps"`               // in all, for the schedule
	Rate        float64 `json:"rate" yaml:"rate"`                 // peak learning rate
	Warmup      int     `json:"warmup" yaml:"warmup"`             // steps up to the peak
	Flat        float64 `json:"flat" yaml:"flat"`                 // part of Steps until which the rate stays at its peak
	Floor       float64 `json:"floor" yaml:"floor"`               // part of Rate reached at the last step, straight down
	Beta1       float64 `json:"beta1" yaml:"beta1"`               // AdamW
	Beta2       float64 `json:"beta2" yaml:"beta2"`               // AdamW
	Epsilon     float64 `json:"epsilon" yaml:"epsilon"`           // AdamW
	WeightDecay float64 `json:"weight_decay" yaml:"weight_decay"` // on matrices only
	Clip        float64 `json:"clip" yaml:"clip"`                 // global gradient norm
	Seed        uint64  `json:"seed" yaml:"seed"`                 // of dropout and of LoRA's A
	LoRA        *LoRA   `json:"lora,omitempty" yaml:"lora"`       // nil: all parameters are trained

	// Schedule is the course of the rate: "" as Warmup, Flat and Floor say; "linear" as transformers' linear
	// schedule with warm-up: from 0 at step 0 up over Warmup steps, then straight down to 0 after the last step;
	// "cosine" as its cosine schedule: the same way up, then half a wave down to 0.
	Schedule string `json:"schedule,omitempty" yaml:"schedule"`
	// DType is that of the model's frozen weights and of the computation: "" or "float32", "bfloat16". What is
	// trained is kept in fp32 in any case.
	DType string `json:"dtype,omitempty" yaml:"dtype"`
	// Save is the type of the weights that Export writes where all parameters are trained: "" or "float32", "bfloat16"
	// (rounded to the nearest, one file). Adapters are written in fp32, and tensors that the model carries along as they are.
	Save string `json:"save,omitempty" yaml:"save"`
	// Attention is how attention is computed: "fused", or "eager" by products and a softmax in fp32, each a plain
	// operation. "" is fused in fp32 and eager in bf16, where fused kernels gave gradients that were not finite.
	Attention string `json:"attention,omitempty" yaml:"attention"`
	// Recompute keeps only each block's input for the way back and computes the block again there (Chen et al.
	// 2016): less memory, a third more work, the same numbers.
	Recompute bool `json:"recompute,omitempty" yaml:"recompute"`
	// Failures is a folder into which a batch is written whose loss or gradient is not finite: step-000012.json for step
	// 12, a [FailedBatch]; "" keeps none. It decides nothing that is computed.
	Failures string `json:"-" yaml:"-"`
}

// Eager says whether attention is computed by plain operations, as Attention and DType have it.
func (c TrainConfig) Eager() bool {
	return c.Attention == "eager" || c.Attention == "" && c.DType == "bfloat16"
}

// LoRA is a low-rank adapter (Hu et al. 2021), in PEFT's terms.
type LoRA struct {
	Rank    int     `json:"rank" yaml:"rank"`
	Alpha   float64 `json:"alpha" yaml:"alpha"`
	Dropout float64 `json:"dropout" yaml:"dropout"`
	// Targets are names of linear layers: whole paths, or their ends from a dot on ("q_proj", …); or alone
	// "all-linear", every linear layer of the blocks, or "regexp:" and an expression that a whole path matches. Empty:
	// the seven projections of Qwen2.
	Targets Targets `json:"targets" yaml:"targets"`
	RSLoRA  bool    `json:"rslora,omitempty" yaml:"rslora"` // scale alpha/sqrt(rank) rather than alpha/rank (Kalajdzievski 2023)
}
