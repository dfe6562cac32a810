package workflows

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/gpu"
)

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
	sources := 0
	for _, given := range []bool{s.Games.List != "", s.Games.Household != nil, s.Games.Shop != nil} {
		if given {
			sources++
		}
	}
	need(sources == 1, "games: expected either list, household or shop")
	for _, ref := range []struct {
		field  string
		digest artifacts.Digest
	}{
		{"games.list", s.Games.List},
		{"hints.dataset", s.Hints.Dataset},
		{"model.base", s.Model.Base},
		{"grpo.bank", s.bank()},
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
	wrong = append(wrong, named("hints.split", []string{s.Hints.Split}, s.splits())...)
	need(slices.Contains(env.PlanKinds, s.Hints.Plan), "hints.plan %q: expected one of %v", s.Hints.Plan, env.PlanKinds)
	if f := s.Hints.Prompt; f != "" {
		if err := f.Validate(); err != nil {
			wrong = append(wrong, fmt.Errorf("hints.prompt: %w", err))
		}
		need(f != agent.Turns || s.Hints.History >= s.Evaluation.MaxSteps,
			"hints.history %d: expected evaluation.max_steps, %d, or more, since a prompt in %s shows the whole game", s.Hints.History, s.Evaluation.MaxSteps, f)
	}
	for _, err := range []error{s.Evaluation.Decoding.Validate(), s.Evaluation.Offer.Validate()} {
		if err != nil {
			wrong = append(wrong, fmt.Errorf("evaluation.%w", err))
		}
	}
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
	need(slices.Contains([]string{"phrase", "word", "qwen2"}, s.Tokenizer.Split), "tokenizer.split %q: expected phrase, word or qwen2", s.Tokenizer.Split)
	if m := s.Model; m.Config == "" {
		need((m.Base == "") != (m.Qwen2 == nil), "model: expected either base or qwen2")
	} else {
		need(m.Qwen2 == nil, "model: expected either config, with base or without, or qwen2")
		need(filepath.IsLocal(m.Config) && path.Ext(m.Config) == ".json", "model.config %q: expected a config.json in or below the spec's folder", m.Config)
	}
	if q := s.Model.Qwen2; q != nil {
		need(q.Hidden > 0 && q.Layers > 0 && q.Heads > 0 && q.KVHeads > 0 && q.Intermediate > 0 && q.Positions > 0, "model.qwen2: expected all sizes above 0")
		need(q.Heads > 0 && q.Hidden%q.Heads == 0 && q.Hidden/q.Heads%2 == 0, "model.qwen2: expected hidden %d to be an even multiple of heads %d", q.Hidden, q.Heads)
		need(q.KVHeads > 0 && q.Heads%q.KVHeads == 0, "model.qwen2: expected heads %d to be a multiple of kv_heads %d", q.Heads, q.KVHeads)
		need(q.Vocabulary == s.Tokenizer.Vocabulary, "model.qwen2.vocabulary %d: expected tokenizer.vocabulary, %d", q.Vocabulary, s.Tokenizer.Vocabulary)
		need(max(q.Hidden, q.Intermediate, q.Heads) <= maxRank, "model.qwen2: expected hidden, intermediate and heads of at most %d", maxRank)
		need(q.Layers <= maxLayers, "model.qwen2.layers %d: expected at most %d", q.Layers, maxLayers)
		need(q.Positions <= maxPositions, "model.qwen2.positions %d: expected at most %d", q.Positions, maxPositions)
		need(q.RopeTheta >= checkpoint.MinRopeTheta && q.RopeTheta <= checkpoint.MaxRopeTheta,
			"model.qwen2.rope_theta %v: expected %v to %v", q.RopeTheta, checkpoint.MinRopeTheta, checkpoint.MaxRopeTheta)
		need(q.InitStd >= checkpoint.MinInitStd && q.InitStd <= checkpoint.MaxInitStd,
			"model.qwen2.init_std %v: expected %v to %v", q.InitStd, checkpoint.MinInitStd, checkpoint.MaxInitStd)
		for _, t := range s.trainings() {
			need(t.SFT.MaxTokens <= q.Positions, "%s.max_tokens %d: expected at most model.qwen2.positions, %d", t.Step, t.SFT.MaxTokens, q.Positions)
		}
		if len(wrong) == 0 { // it is a model
			wrong = append(wrong, s.fit(s.NewModel())...)
		}
	}
	for _, t := range s.trainings() {
		need(t.SFT.Rename == 0 || s.Model.Qwen2 == nil || s.Tokenizer.Split == "word",
			"%s.rename %v: expected tokenizer.split word, where a thing is one token, got %s", t.Step, t.SFT.Rename, s.Tokenizer.Split)
	}
	for _, t := range s.trainings() {
		wrong = append(wrong, t.SFT.validate(t.Step)...)
	}
	wrong = append(wrong, s.chain()...)
	wrong = append(wrong, s.shopping()...)
	e := s.Evaluation
	need(e.MaxSteps > 0 && e.Shard > 0, "evaluation: expected max_steps and shard above 0")
	need(e.Decoding == agent.Drawn || e.Temperature == 0 && e.Seed == 0,
		"evaluation.temperature %v, evaluation.seed %d: expected none where decoding is not %s", e.Temperature, e.Seed, agent.Drawn)
	if err := gpu.CheckTemperature(e.Temperature); err != nil {
		wrong = append(wrong, fmt.Errorf("evaluation.%w", err))
	}
	need(slices.Contains(dtypes, e.DType), "evaluation.dtype %q: expected float32 or bfloat16", e.DType)
	need(len(e.Panels) > 0 || !s.Does("evaluation"), "evaluation.panels: expected at least one")
	for i, p := range e.Panels {
		need(nameForm.MatchString(p.Name), "evaluation.panels[%d].name %q: expected lower-case letters, digits and dashes", i, p.Name)
		need(len(p.Splits) > 0, "evaluation.panels[%d].splits: expected at least one", i)
		if perSplit := s.Games.made(); perSplit != nil && len(p.Splits) > 0 {
			some := slices.ContainsFunc(p.Splits, func(split string) bool {
				count, known := perSplit[split]
				return count > 0 || !known // what is not known is told of below
			})
			need(some, "evaluation.panels[%d].splits %v: %s has no game of them: expected %[3]s.%[4]s above 0", i, p.Splits, s.Games.source(), p.Splits[0])
		}
		field := fmt.Sprintf("evaluation.panels[%d].", i)
		wrong = append(wrong, named(field+"splits", p.Splits, s.splits())...)
		wrong = append(wrong, named(field+"families", p.Families, s.families())...)
		need(!slices.Contains(p.Splits, s.Hints.Split), "evaluation.panels[%d].splits: %s is what is learned from", i, s.Hints.Split)
		need(p.PerFamily >= 0, "evaluation.panels[%d].per_family %d: expected 0 or more", i, p.PerFamily)
		need(p.Games >= 0, "evaluation.panels[%d].games %d: expected 0 or more", i, p.Games)
		need(!slices.ContainsFunc(e.Panels[:i], func(q activities.Panel) bool { return q.Name == p.Name }), "evaluation.panels[%d].name %q: stands there twice", i, p.Name)
	}
	need(len(s.Seeds) <= maxSeeds, "seeds: expected at most %d", maxSeeds)
	for i, seed := range s.Seeds {
		need(seed >= 1, "seeds[%d] 0: expected from 1", i)
		need(!slices.Contains(s.Seeds[:i], seed), "seeds[%d] %d: stands there twice", i, seed)
	}
	for _, seed := range s.seeds() {
		need(seed.value <= maxSeed, "%s %d: expected at most %d, the largest number that JSON keeps to its last digit", seed.field, seed.value, uint64(maxSeed))
	}
	return wrong
}

// PerSplit is how many household games each split has.
func PerSplit(h activities.HouseholdGames) map[string]int {
	return map[string]int{household.Train: h.Train, household.ValidSeen: h.ValidSeen, household.ValidUnseen: h.ValidUnseen}
}

// splits are those that games can be of; nil where a stored list knows.
func (s *Spec) splits() []string {
	if s.Games.Shop != nil {
		return shopSplits
	}
	if s.Games.Household == nil {
		return nil
	}
	return []string{household.Train, household.ValidSeen, household.ValidUnseen}
}

// families are as splits; those of a shop are its catalogue's.
func (s *Spec) families() []string {
	if s.Games.Household == nil {
		return nil
	}
	return household.Families
}

// named complains of names that stand twice, are empty or are none of known; nil is all.
func named(field string, names, known []string) (wrong []error) {
	for i, name := range names {
		at := field
		if len(names) > 1 {
			at = fmt.Sprintf("%s[%d]", field, i)
		}
		switch {
		case slices.Contains(names[:i], name):
			wrong = append(wrong, fmt.Errorf("%s %q: stands there twice", at, name))
		case known != nil && !slices.Contains(known, name):
			wrong = append(wrong, fmt.Errorf("%s %q: expected one of %s", at, name, strings.Join(known, ", ")))
		case name == "":
			wrong = append(wrong, fmt.Errorf("%s %q: expected a name", at, name))
		}
	}
	return wrong
}

// NewModel is the new model that s asks for, nil if it asks for none.
func (s *Spec) NewModel() checkpoint.Model {
	c := s.Model.Qwen2
	if c == nil {
		return nil
	}
	return &checkpoint.Qwen2{
		ModelType: "qwen2", Hidden: c.Hidden, Layers: c.Layers, Heads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.Hidden / c.Heads,
		Intermediate: c.Intermediate, Vocabulary: c.Vocabulary, Positions: c.Positions, RopeTheta: c.RopeTheta, InitStd: c.InitStd,
		TieEmbedding: c.TieEmbedding,
	}
}

// Fit says what of the trainings does not fit a model, each with its field.
func (s *Spec) Fit(m checkpoint.Model) error { return errors.Join(s.fit(m)...) }

func (s *Spec) fit(m checkpoint.Model) []error { return activities.Unfit(m, s.asked()) }

// asked is what the trainings ask of the model that they start from.
func (s *Spec) asked() []activities.Asked {
	var all []activities.Asked
	for _, t := range s.trainings() {
		one := activities.Asked{Field: t.Step, MaxTokens: t.SFT.MaxTokens}
		if l := t.SFT.LoRA; l != nil {
			one.Adapter, one.Targets = true, l.Targets
		}
		all = append(all, one)
	}
	if s.GRPO != nil && s.Does("grpo") {
		one := activities.Asked{Field: "grpo.optimiser"}
		if l := s.GRPO.Optimiser.LoRA; l != nil {
			one.Adapter, one.Targets = true, l.Targets
		}
		all = append(all, one)
		if s.Model.Qwen2 == nil { // of a new model it is asked where its positions are said
			all = append(all, activities.Asked{Field: "grpo.answer", Answers: s.GRPO.answered()})
		}
	}
	if s.Distilled != nil && s.Does("distilled") {
		if l := s.Distilled.Optimiser.LoRA; l != nil {
			all = append(all, activities.Asked{Field: "distilled.optimiser", Adapter: true, Targets: l.Targets})
		}
	}
	return all
}

const maxSeed = 1<<53 - 1

// maxSeeds keeps a run's history well within what Temporal allows one workflow.
const maxSeeds = 20

type seed struct {
	field string
	value uint64
}

func (s *Spec) seeds() []seed {
	all := []seed{
		{"hints.seed", s.Hints.Seed},
		{"hints.recovery.seed", s.Hints.Recovery.Seed},
		{"tokenizer.seed", s.Tokenizer.Seed},
		{"evaluation.seed", s.Evaluation.Seed},
		{"model.seed", s.Model.Seed},
		{"teacher.seed", s.Teacher.Seed},
		{"teacher.order", s.Teacher.Order},
		{"student.seed", s.Student.Seed},
		{"student.order", s.Student.Order},
	}
	if h := s.Games.Household; h != nil {
		all = append(all, seed{"games.household.seed", h.Seed})
	}
	if shop := s.Games.Shop; shop != nil {
		all = append(all, seed{"games.shop.seed", shop.Seed})
	}
	if c := s.ColdStart; c != nil {
		all = append(all, seed{"cold_start.seed", c.Seed}, seed{"cold_start.order", c.Order})
	}
	if d := s.Distilled; d != nil {
		all = append(all, seed{"distilled.seed", d.Seed}, seed{"distilled.optimiser.seed", d.Optimiser.Seed})
	}
	if g := s.GRPO; g != nil {
		all = append(all, seed{"grpo.seed", g.Seed}, seed{"grpo.optimiser.seed", g.Optimiser.Seed})
	}
	for i, n := range s.Seeds {
		all = append(all, seed{fmt.Sprintf("seeds[%d]", i), n})
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
	// What checkpoint takes, too.
	maxLayers    = 4096
	maxPositions = 1 << 24

	maxDetours = 1000
	maxDevices = 1024
)

// dtypes are what models may be held in; "" is float32.
var dtypes = []string{"", "float32", "bfloat16"}

func (s SFTSpec) validate(field string) (wrong []error) {
	need := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(field+"."+format, args...))
		}
	}
	need(max(s.Steps, s.Batch, s.Accumulate, s.MaxTokens, s.Checkpoint, s.Validate, s.Warmup, s.Epochs) <= maxCount,
		"steps, batch, accumulate, max_tokens, checkpoint, validate, warmup, epochs: expected at most %d each", maxCount)
	need(s.Epochs >= 0, "epochs %d: expected above 0", s.Epochs)
	need(s.Steps == 0 || s.Epochs == 0, "epochs %d: expected no steps beside them", s.Epochs)
	need(s.Batch > 0, "batch %d: expected above 0", s.Batch)
	need(s.Accumulate > 0, "accumulate %d: expected above 0", s.Accumulate)
	if s.Batch > 0 && s.Accumulate > 0 { // divided, since a product may not fit
		need(s.Batch <= maxCount/s.accumulated(), "batch %d: expected, times accumulate %d and devices %d, at most %d records a step",
			s.Batch, s.Accumulate, max(1, s.Devices), maxCount)
	}
	need(s.MaxTokens > 1, "max_tokens %d: expected above 1", s.MaxTokens)
	need(s.Validate >= 0, "validate %d: expected 0 or more", s.Validate)
	need(s.Checkpoint > 0, "checkpoint %d: expected above 0", s.Checkpoint)
	need(s.Warmup <= s.Steps || s.Epochs > 0, "warmup %d: expected from 0 to steps", s.Warmup)
	need(s.WarmupRatio >= 0 && s.WarmupRatio <= 1, "warmup_ratio %v: expected from 0 to 1", s.WarmupRatio)
	need(s.WarmupRatio == 0 || s.Warmup == 0, "warmup_ratio %v: expected no warmup beside it", s.WarmupRatio)
	need(s.Schedule == "" || s.Flat == 0 && s.Floor == 0, "schedule %q: expected flat and floor 0", s.Schedule)
	need(s.Devices >= 0 && s.Devices <= maxDevices, "devices %d: expected from 1 to %d", s.Devices, maxDevices)
	need(s.Pad == "" || s.Pad == "eos", "pad %q: expected eos", s.Pad)
	need(s.Rename >= 0 && s.Rename <= 1, "rename %v: expected from 0 to 1", s.Rename)
	need(s.PromptLoss >= 0 && s.PromptLoss <= 1, "prompt_loss %v: expected from 0 to 1", s.PromptLoss)
	train := s.TrainConfig
	if s.Epochs > 0 {
		train.Steps = 1 // follows from the records
	}
	for _, err := range train.Complaints() {
		wrong = append(wrong, fmt.Errorf("%s.%w", field, err))
	}
	if l := s.LoRA; l != nil {
		wrong = append(wrong, named(field+".lora.targets", l.Targets, nil)...)
	}
	return wrong
}
