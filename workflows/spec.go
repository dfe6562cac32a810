package workflows

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
)

// Spec is a run from end to end: games, hints, teacher, student, cold start, GRPO, evaluation. Fields that are left out take the
// defaults of DefaultSpec, which is the only place where a default lives.
type Spec struct {
	Name       string         `yaml:"name" json:"name"`
	Games      GamesSpec      `yaml:"games" json:"games"`
	Hints      HintsSpec      `yaml:"hints" json:"hints"`
	Tokenizer  TokenizerSpec  `yaml:"tokenizer" json:"tokenizer"`
	Model      ModelSpec      `yaml:"model" json:"model"`
	Teacher    SFTSpec        `yaml:"teacher" json:"teacher"`
	Student    SFTSpec        `yaml:"student" json:"student"`
	Evaluation EvaluationSpec `yaml:"evaluation" json:"evaluation"`
	// Seeds has the models made, trained and played once a seed, on the same games, hints and tokenizer. Each takes the
	// place of the seeds and orders of Model, Teacher and Student.
	Seeds []uint64 `yaml:"seeds" json:"seeds,omitempty"`

	Stages    []string       `yaml:"stages" json:"stages,omitempty"` // which of Optional are done; none: teacher, student, evaluation
	Distilled *DistilledSpec `yaml:"distilled" json:"distilled,omitempty"`
	ColdStart *ColdStartSpec `yaml:"cold_start" json:"cold_start,omitempty"`
	GRPO      *GRPOSpec      `yaml:"grpo" json:"grpo,omitempty"`

	doc *document // that it was read from; nil for one made otherwise
}

// Located is err, which begins with the field that it is about, with the file and the line of that field before it.
func (s *Spec) Located(err error) error {
	if err == nil || s.doc == nil {
		return err
	}
	return s.doc.locate(err)
}

// GamesSpec says which games the run is about: a stored list, the embedded household games, or goals of a shop.
type GamesSpec struct {
	List      artifacts.Digest           `yaml:"list" json:"list,omitempty"` // as printed by hone games import
	Household *activities.HouseholdGames `yaml:"household" json:"household,omitempty"`
	Shop      *activities.ShopGames      `yaml:"shop" json:"shop,omitempty"`
}

// HintsSpec says how records are made.
type HintsSpec struct {
	Dataset    artifacts.Digest `yaml:"dataset" json:"dataset,omitempty"` // a stored dataset, such as hone retry makes: nothing is generated
	Split      string           `yaml:"split" json:"split"`
	Plan       env.PlanKind     `yaml:"plan" json:"plan"`                                 // one of env.PlanKinds
	Prefer     bool             `yaml:"walkthrough" json:"walkthrough"`                   // take the file's walkthrough where it has one that wins
	History    int              `yaml:"history" json:"history"`                           // turns kept in X
	Prompt     agent.Format     `yaml:"prompt" json:"prompt,omitempty"`                   // form of the prompts; "" is lite/1
	Validation int              `yaml:"validation_per_mille" json:"validation_per_mille"` // share of games held out, of each task type
	Seed       uint64           `yaml:"seed" json:"seed"`                                 // of the draw
	Recovery   hints.Recovery   `yaml:"recovery" json:"recovery"`                         // per_game 0: no detours
	Limits     env.Limits       `yaml:"limits" json:"limits"`
	Deadline   Duration         `yaml:"deadline" json:"deadline"` // wall clock a game, the net under the counted limits
	Attempts   int              `yaml:"attempts" json:"attempts"` // of a game that met its deadline
	Chunk      int              `yaml:"chunk" json:"chunk"`       // games an activity
	Parallel   int              `yaml:"parallel" json:"parallel"` // activities at once
}

// plans are the kinds of plan in the order in which they are tried. An expert that goes by rules does not fit every
// game; where it does not, the planner follows. Who asks for walkthroughs alone gets those.
func (h HintsSpec) plans() []env.PlanKind {
	var kinds []env.PlanKind
	if h.Prefer && h.Plan != env.Walkthrough {
		kinds = append(kinds, env.Walkthrough)
	}
	kinds = append(kinds, h.Plan)
	switch h.Plan {
	case env.Straight, env.Search, env.Explore:
		kinds = append(kinds, env.Planner)
	}
	return kinds
}

// recovery is nil where there are no detours.
func (h HintsSpec) recovery() *hints.Recovery {
	if h.Recovery.PerGame == 0 {
		return nil
	}
	return &h.Recovery
}

// TokenizerSpec trains a byte-level BPE on the records of the first games.
type TokenizerSpec struct {
	Vocabulary int    `yaml:"vocabulary" json:"vocabulary"`
	Split      string `yaml:"split" json:"split"` // phrase or qwen2
	Games      int    `yaml:"games" json:"games"` // records of so many games, drawn by seed; 0: all
	Seed       uint64 `yaml:"seed" json:"seed"`
}

// ModelSpec is a stored model, or a new one with seeded random weights.
type ModelSpec struct {
	Base artifacts.Digest `yaml:"base" json:"base,omitempty"`
	// Config is the config.json of a published model, relative to the spec's folder: what a run of it takes can be
	// planned without its weights. It changes nothing in a run, which needs Base.
	Config string           `yaml:"config" json:"config,omitempty"`
	Seed   uint64           `yaml:"seed" json:"seed"`
	Qwen2  *gpu.ModelConfig `yaml:"qwen2" json:"qwen2,omitempty"`
}

// SFTSpec is a fine-tuning stage.
type SFTSpec struct {
	gpu.TrainConfig `yaml:",inline" json:",inline"`
	Batch           int    `yaml:"batch" json:"batch"`           // records a micro-batch
	Accumulate      int    `yaml:"accumulate" json:"accumulate"` // micro-batches a step
	MaxTokens       int    `yaml:"max_tokens" json:"max_tokens"` // longer records are left out, counted and reported
	Checkpoint      int    `yaml:"checkpoint" json:"checkpoint"` // steps between checkpoints, each with a validation
	Validate        int    `yaml:"validate" json:"validate"`     // held-out records a validation, drawn by seed; 0: all
	Order           uint64 `yaml:"order" json:"order"`           // seed of the order of records

	// Rename is the share of examples in which the things change their names, each time anew: what a goal asks for has
	// then to be found by comparing, and not by what is usual.
	Rename float64 `yaml:"rename" json:"rename,omitempty"`
	// PromptLoss is the share of the steps, from the first, that learn to predict prompts as well as answers: that what
	// was said before is copied is learnt from every token, and only then what to say.
	PromptLoss float64 `yaml:"prompt_loss" json:"prompt_loss,omitempty"`

	Epochs      int     `yaml:"epochs" json:"epochs,omitempty"`             // in place of Steps: each record so many times
	WarmupRatio float64 `yaml:"warmup_ratio" json:"warmup_ratio,omitempty"` // in place of Warmup: part of the steps
	// Devices is over how many devices a published recipe spread a step: each took Accumulate micro-batches. Training
	// here is on one device, which takes them all, one after the other; the gradient is the same.
	Devices int `yaml:"devices" json:"devices,omitempty"`
	// Pad is the token that a published recipe padded with: "eos". Sequences are packed here and nothing is padded, so
	// that it changes nothing.
	Pad string `yaml:"pad" json:"pad,omitempty"`
}

// accumulated is how many micro-batches a step has on one device.
func (s SFTSpec) accumulated() int { return s.Accumulate * max(1, s.Devices) }

// parameters are what the fine-tuned model depends on beside its inputs.
func (s SFTSpec) parameters(withHint bool, prompt agent.Format) activities.TrainParameters {
	return activities.TrainParameters{
		WithHint: withHint, Train: s.TrainConfig, Batch: s.Batch, Accumulate: s.accumulated(),
		MaxTokens: s.MaxTokens, Checkpoint: s.Checkpoint, Validate: s.Validate, Order: s.Order,
		Epochs: s.Epochs, WarmupRatio: s.WarmupRatio, Prompt: prompt, Rename: s.Rename,
		PromptLoss: s.PromptLoss,
	}
}

// EvaluationSpec is the closed loop.
type EvaluationSpec struct {
	Panels   []activities.Panel `yaml:"panels" json:"panels"`
	MaxSteps int                `yaml:"max_steps" json:"max_steps"`
	Oracle   env.PlanKind       `yaml:"oracle" json:"oracle"` // the plan that each decision is compared with
	Cycle    bool               `yaml:"stop_cycles" json:"stop_cycles"`
	Limits   env.Limits         `yaml:"limits" json:"limits"`
	Deadline Duration           `yaml:"deadline" json:"deadline"`               // wall clock a game
	Shard    int                `yaml:"shard" json:"shard"`                     // games an activity
	DType    string             `yaml:"dtype" json:"dtype,omitempty"`           // of the models as they play: "" is float32
	Decoding agent.Decoding     `yaml:"decoding" json:"decoding,omitempty"`     // "" is greedy
	Offer    agent.Offer        `yaml:"candidates" json:"candidates,omitempty"` // "" is admissible

	Temperature float32 `yaml:"temperature" json:"temperature,omitempty"` // of commands that are drawn; 0 is 1
	Seed        uint64  `yaml:"seed" json:"seed,omitempty"`               // of the draws
}

// Duration is a time.Duration that reads and writes as "30s".
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("duration %q: expected a number with a unit, such as 30s", text)
	}
	*d = Duration(v)
	return nil
}

// DefaultSpec is the recipe that was measured to work (docs/recipes.md), for the embedded games.
func DefaultSpec() Spec {
	train := defaultSFT()
	return Spec{
		Hints: HintsSpec{
			Split: "train", Plan: env.Search, History: 2, Validation: 55, Seed: 1,
			Recovery: hints.Recovery{Commands: hints.DefaultDetour, Share: hints.DefaultShare, Seed: 1},
			Deadline: Duration(30 * time.Second), Attempts: 3, Chunk: 100, Parallel: 2,
		},
		Tokenizer: TokenizerSpec{Vocabulary: 2048, Split: "phrase", Games: 600, Seed: 1},
		Model:     ModelSpec{Seed: 1},
		Teacher:   train,
		Student:   train,
		Evaluation: EvaluationSpec{
			MaxSteps: 50, Oracle: env.Search, Cycle: true, Deadline: Duration(time.Minute), Shard: 20,
		},
	}
}

func defaultSFT() SFTSpec {
	return SFTSpec{
		TrainConfig: gpu.TrainConfig{
			Steps: 3000, Rate: 2e-3, Warmup: 100, Flat: 0.3, Floor: 0.02,
			Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1, Seed: 1,
		},
		Batch: 16, Accumulate: 1, MaxTokens: 384, Checkpoint: 250, Validate: 512, Order: 1,
	}
}

// defaultQwen2 is the model where a spec names neither a base nor a shape: learning.md's 1,575,168 parameters.
func defaultQwen2() *gpu.ModelConfig {
	return &gpu.ModelConfig{
		Hidden: 192, Layers: 3, Heads: 6, KVHeads: 2, Intermediate: 512, Vocabulary: 2048,
		Positions: 512, RopeTheta: 10000, InitStd: 0.06, TieEmbedding: true,
	}
}

// ParseSpec reads a spec strictly: an unknown or wrong field is refused with its line, and everything that can
// be checked without the stores is checked, all complaints in one error.
func ParseSpec(file string, text []byte) (*Spec, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: it is empty: expected a spec, such as experiments/tiny.yaml", file)
	}
	spec := DefaultSpec()
	spec.begin(text)
	doc, err := read(file, text, &spec)
	if err != nil {
		return nil, err
	}
	if spec.Model.Base == "" && spec.Model.Config == "" && spec.Model.Qwen2 == nil {
		spec.Model.Qwen2 = defaultQwen2()
	}
	wrong := doc.partial("model.qwen2", gpu.ModelConfig{})
	wrong = append(wrong, doc.seeded(spec.Seeds)...)
	wrong = append(wrong, doc.alternatives("teacher", &spec.Teacher)...)
	wrong = append(wrong, doc.alternatives("student", &spec.Student)...)
	if spec.ColdStart != nil {
		wrong = append(wrong, doc.alternatives("cold_start", &spec.ColdStart.SFTSpec)...)
	}
	if spec.GRPO != nil {
		doc.credited(spec.GRPO)
		wrong = append(wrong, doc.zeros(spec.GRPO)...)
	}
	wrong = append(wrong, doc.undone(&spec)...)
	if err := doc.located(append(wrong, spec.complaints()...)); err != nil {
		return nil, err
	}
	spec.doc = doc
	return &spec, nil
}

// Runnable says why a spec that can be planned cannot be run; nil if it can.
func (s *Spec) Runnable() error {
	if s.Model.Base == "" && s.Model.Qwen2 == nil {
		return fmt.Errorf("model.config %s: a configuration without weights can be planned (--dry-run), not run: "+
			"add model.base, the digest of the stored model", s.Model.Config)
	}
	return nil
}

// RunID is the run's id: the same spec for the same version of Hone is the same run.
func (s *Spec) RunID(version string) (string, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(raw, version...))
	return s.Name + "-" + hex.EncodeToString(sum[:5]), nil
}
