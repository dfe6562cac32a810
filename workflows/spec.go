package workflows

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
)

// Spec is a run from end to end: games, hints, teacher, student, evaluation. Fields that are left out take the
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
}

// GamesSpec says which games the run is about: a stored list, or the embedded household games.
type GamesSpec struct {
	List      artifacts.Digest           `yaml:"list" json:"list,omitempty"` // as printed by hone games import
	Household *activities.HouseholdGames `yaml:"household" json:"household,omitempty"`
}

// HintsSpec says how records are made.
type HintsSpec struct {
	Dataset    artifacts.Digest `yaml:"dataset" json:"dataset,omitempty"` // a stored dataset, such as hone retry makes: nothing is generated
	Split      string           `yaml:"split" json:"split"`
	Plan       env.PlanKind     `yaml:"plan" json:"plan"`                                 // one of env.PlanKinds
	Prefer     bool             `yaml:"walkthrough" json:"walkthrough"`                   // take the file's walkthrough where it has one that wins
	History    int              `yaml:"history" json:"history"`                           // turns kept in X
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
	Base  artifacts.Digest `yaml:"base" json:"base,omitempty"`
	Seed  uint64           `yaml:"seed" json:"seed"`
	Qwen2 *gpu.ModelConfig `yaml:"qwen2" json:"qwen2,omitempty"`
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
}

// EvaluationSpec is the closed loop.
type EvaluationSpec struct {
	Panels   []activities.Panel `yaml:"panels" json:"panels"`
	MaxSteps int                `yaml:"max_steps" json:"max_steps"`
	Oracle   env.PlanKind       `yaml:"oracle" json:"oracle"` // the plan that each decision is compared with
	Cycle    bool               `yaml:"stop_cycles" json:"stop_cycles"`
	Limits   env.Limits         `yaml:"limits" json:"limits"`
	Deadline Duration           `yaml:"deadline" json:"deadline"` // wall clock a game
	Shard    int                `yaml:"shard" json:"shard"`       // games an activity
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
	train := SFTSpec{
		TrainConfig: gpu.TrainConfig{
			Steps: 3000, Rate: 2e-3, Warmup: 100, Flat: 0.3, Floor: 0.02,
			Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1, Seed: 1,
		},
		Batch: 16, Accumulate: 1, MaxTokens: 384, Checkpoint: 250, Validate: 512, Order: 1,
	}
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
	doc, err := read(file, text, &spec)
	if err != nil {
		return nil, err
	}
	if spec.Model.Base == "" && spec.Model.Qwen2 == nil {
		spec.Model.Qwen2 = defaultQwen2()
	}
	if err := doc.located(append(doc.partial("model.qwen2", gpu.ModelConfig{}), spec.complaints()...)); err != nil {
		return nil, err
	}
	return &spec, nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,40}$`)

// Validate says all that is wrong with s.
func (s *Spec) Validate() error { return errors.Join(s.complaints()...) }

// complaints are all that is wrong with s. Each begins with the field that it is about.
func (s *Spec) complaints() []error {
	var wrong []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	need(nameForm.MatchString(s.Name), "name %q: expected lower-case letters, digits and dashes", s.Name)
	need((s.Games.List == "") != (s.Games.Household == nil), "games: expected either list or household")
	for _, ref := range []struct {
		field  string
		digest artifacts.Digest
	}{
		{"games.list", s.Games.List},
		{"hints.dataset", s.Hints.Dataset},
		{"model.base", s.Model.Base},
	} {
		if ref.digest == "" {
			continue
		}
		if err := ref.digest.Validate(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", ref.field, err))
		}
	}
	if h := s.Games.Household; h != nil {
		need(h.Train > 0 && h.ValidSeen >= 0 && h.ValidUnseen >= 0, "games.household: expected train above 0, no count below 0")
		need(max(h.Train, h.ValidSeen, h.ValidUnseen) <= maxCount, "games.household: expected at most %d games a split", maxCount)
	}
	need(slices.Contains(env.PlanKinds, s.Hints.Plan), "hints.plan %q: expected one of %v", s.Hints.Plan, env.PlanKinds)
	need(slices.Contains(env.PlanKinds, s.Evaluation.Oracle), "evaluation.oracle %q: expected one of %v", s.Evaluation.Oracle, env.PlanKinds)
	for _, n := range []struct {
		field string
		count int
	}{
		{"hints.history", s.Hints.History},
		{"hints.chunk", s.Hints.Chunk},
		{"hints.parallel", s.Hints.Parallel},
		{"hints.attempts", s.Hints.Attempts},
		{"tokenizer.games", s.Tokenizer.Games},
		{"tokenizer.vocabulary", s.Tokenizer.Vocabulary},
		{"evaluation.max_steps", s.Evaluation.MaxSteps},
		{"evaluation.shard", s.Evaluation.Shard},
	} {
		need(n.count >= 0 && n.count <= maxCount, "%s %d: expected from 0 to %d", n.field, n.count, maxCount)
	}
	for _, part := range []struct {
		field string
		l     env.Limits
	}{{"hints.limits", s.Hints.Limits}, {"evaluation.limits", s.Evaluation.Limits}} {
		l := part.l
		need(min(l.Operators, l.Objects, l.States, l.Work) >= 0 && max(l.Operators, l.Objects, l.States, l.Work) <= maxLimit,
			"%s: expected each from 0 to %d", part.field, maxLimit)
	}
	r := s.Hints.Recovery
	need(r.PerGame >= 0 && r.PerGame <= maxDetours, "hints.recovery.per_game %d: expected from 0 to %d", r.PerGame, maxDetours)
	need(r.Commands > 0 && r.Commands <= maxDetours, "hints.recovery.commands %d: expected from 1 to %d", r.Commands, maxDetours)
	need(r.Share > 0 && r.Share <= 1000, "hints.recovery.share_per_mille %d: expected 1 to 1000", r.Share)
	need(s.Hints.Validation > 0 && s.Hints.Validation < 1000, "hints.validation_per_mille %d: expected 1 to 999", s.Hints.Validation)
	need(s.Hints.Deadline > 0, "hints.deadline %s: expected above 0s", time.Duration(s.Hints.Deadline))
	need(s.Evaluation.Deadline > 0, "evaluation.deadline %s: expected above 0s", time.Duration(s.Evaluation.Deadline))
	need(s.Hints.Attempts > 0 && s.Hints.Chunk > 0 && s.Hints.Parallel > 0, "hints: expected attempts, chunk and parallel above 0")
	need(slices.Contains([]string{"phrase", "qwen2"}, s.Tokenizer.Split), "tokenizer.split %q: expected phrase or qwen2", s.Tokenizer.Split)
	need((s.Model.Base == "") != (s.Model.Qwen2 == nil), "model: expected either base or qwen2")
	if q := s.Model.Qwen2; q != nil {
		need(q.Hidden > 0 && q.Layers > 0 && q.Heads > 0 && q.KVHeads > 0 && q.Intermediate > 0 && q.Positions > 0, "model.qwen2: expected all sizes above 0")
		need(q.Heads > 0 && q.Hidden%q.Heads == 0 && q.Hidden/q.Heads%2 == 0, "model.qwen2: expected hidden %d to be an even multiple of heads %d", q.Hidden, q.Heads)
		need(q.KVHeads > 0 && q.Heads%q.KVHeads == 0, "model.qwen2: expected heads %d to be a multiple of kv_heads %d", q.Heads, q.KVHeads)
		need(q.Vocabulary == s.Tokenizer.Vocabulary, "model.qwen2.vocabulary %d: expected tokenizer.vocabulary, %d", q.Vocabulary, s.Tokenizer.Vocabulary)
		need(max(q.Hidden, q.Intermediate, q.Heads) <= maxRank, "model.qwen2: expected hidden, intermediate and heads of at most %d", maxRank)
		need(finite(q.RopeTheta, q.InitStd), "model.qwen2: expected finite numbers")
		need(q.RopeTheta > 0 && q.InitStd > 0, "model.qwen2: expected rope_theta and init_std above 0")
		need(s.Teacher.MaxTokens <= q.Positions, "teacher.max_tokens %d: expected at most model.qwen2.positions, %d", s.Teacher.MaxTokens, q.Positions)
		need(s.Student.MaxTokens <= q.Positions, "student.max_tokens %d: expected at most model.qwen2.positions, %d", s.Student.MaxTokens, q.Positions)
	}
	wrong = append(wrong, s.Teacher.validate("teacher")...)
	wrong = append(wrong, s.Student.validate("student")...)
	e := s.Evaluation
	need(e.MaxSteps > 0 && e.Shard > 0, "evaluation: expected max_steps and shard above 0")
	need(len(e.Panels) > 0, "evaluation.panels: expected at least one")
	for i, p := range e.Panels {
		need(nameForm.MatchString(p.Name), "evaluation.panels[%d].name %q: expected lower-case letters, digits and dashes", i, p.Name)
		need(len(p.Splits) > 0, "evaluation.panels[%d].splits: expected at least one", i)
		need(!slices.Contains(p.Splits, s.Hints.Split), "evaluation.panels[%d].splits: %s is what is learned from", i, s.Hints.Split)
		need(p.PerFamily >= 0, "evaluation.panels[%d].per_family %d: expected 0 or more", i, p.PerFamily)
		need(!slices.ContainsFunc(e.Panels[:i], func(q activities.Panel) bool { return q.Name == p.Name }), "evaluation.panels[%d].name %q: stands there twice", i, p.Name)
	}
	for _, seed := range s.seeds() {
		need(seed.value <= maxSeed, "%s %d: expected at most %d, the largest number that JSON keeps to its last digit", seed.field, seed.value, uint64(maxSeed))
	}
	return wrong
}

const maxSeed = 1<<53 - 1

type seed struct {
	field string
	value uint64
}

func (s *Spec) seeds() []seed {
	all := []seed{
		{"hints.seed", s.Hints.Seed},
		{"hints.recovery.seed", s.Hints.Recovery.Seed},
		{"tokenizer.seed", s.Tokenizer.Seed},
		{"model.seed", s.Model.Seed},
		{"teacher.seed", s.Teacher.Seed},
		{"teacher.order", s.Teacher.Order},
		{"student.seed", s.Student.Seed},
		{"student.order", s.Student.Order},
	}
	if h := s.Games.Household; h != nil {
		all = append(all, seed{"games.household.seed", h.Seed})
	}
	for i, p := range s.Evaluation.Panels {
		all = append(all, seed{fmt.Sprintf("evaluation.panels[%d].seed", i), p.Seed})
	}
	return all
}

// maxCount bounds what a spec counts, well above any use; maxLimit bounds counted work, maxDetours the detours of a
// game and the commands of one.
const (
	maxCount = 10_000_000
	maxLimit = 1 << 50
	maxRank  = 65_536

	maxDetours = 1000
)

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

func (s SFTSpec) validate(field string) (wrong []error) {
	need := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(field+"."+format, args...))
		}
	}
	need(max(s.Steps, s.Batch, s.Accumulate, s.MaxTokens, s.Checkpoint, s.Validate, s.Warmup) <= maxCount,
		"steps, batch, accumulate, max_tokens, checkpoint, validate, warmup: expected at most %d each", maxCount)
	need(finite(s.Rate, s.Flat, s.Floor, s.Beta1, s.Beta2, s.Epsilon, s.WeightDecay, s.Clip), "rate and the other numbers: expected finite ones")
	need(s.Steps > 0, "steps %d: expected above 0", s.Steps)
	need(s.Batch > 0, "batch %d: expected above 0", s.Batch)
	need(s.Accumulate > 0, "accumulate %d: expected above 0", s.Accumulate)
	need(s.MaxTokens > 1, "max_tokens %d: expected above 1", s.MaxTokens)
	need(s.Validate >= 0, "validate %d: expected 0 or more", s.Validate)
	need(s.Checkpoint > 0, "checkpoint %d: expected above 0", s.Checkpoint)
	need(s.Rate > 0, "rate %v: expected above 0", s.Rate)
	need(s.Warmup >= 0 && s.Warmup <= s.Steps, "warmup %d: expected from 0 to steps", s.Warmup)
	need(s.Flat >= 0 && s.Flat <= 1, "flat %v: expected from 0 to 1", s.Flat)
	need(s.Floor >= 0 && s.Floor <= 1, "floor %v: expected from 0 to 1", s.Floor)
	need(s.Beta1 >= 0 && s.Beta1 < 1 && s.Beta2 >= 0 && s.Beta2 < 1, "beta1, beta2: expected from 0 up to 1")
	need(s.Epsilon > 0, "epsilon %v: expected above 0", s.Epsilon)
	need(s.Clip > 0, "clip %v: expected above 0", s.Clip)
	if l := s.LoRA; l != nil {
		need(l.Rank <= maxRank && finite(l.Alpha, l.Dropout), "lora: expected a rank of at most %d and finite numbers", maxRank)
		need(l.Rank > 0 && l.Alpha > 0, "lora: expected rank and alpha above 0")
		need(l.Dropout >= 0 && l.Dropout < 1, "lora.dropout %v: expected from 0 up to 1", l.Dropout)
	}
	return wrong
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
