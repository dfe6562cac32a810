package workflows

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/skills"
)

// chain says what is wrong with the steps of a run and with those that not every run has.
func (s *Spec) chain() []error {
	wrong := named("stages", s.Stages, Optional)
	need, _ := under("", &wrong)
	cold, learns := s.Does("cold_start"), s.Does("grpo")
	if s.Does("distilled") {
		need(s.Distilled != nil, "distilled: expected it, since stages has it")
		need(s.Does("teacher"), "distilled: expected teacher among stages, whom it learns from")
		if s.Distilled != nil {
			wrong = append(wrong, s.Distilled.complaints(s)...)
		}
	}
	need(!cold || s.ColdStart != nil, "cold_start: expected it, since stages has it")
	need(!learns || s.GRPO != nil, "grpo: expected it, since stages has it")
	need(learns || !cold || s.GRPO != nil, "grpo: expected it beside cold_start, which teaches its forms")
	need(!s.Does("evaluation") || s.Does("teacher") || s.Does("student") || !cold && !learns,
		"stages: expected no evaluation without teacher or student: it plays commands chosen of a list, and what cold_start and grpo train "+
			"answers freely. grpo.validate plays those")
	if c := s.ColdStart; c != nil && cold {
		need(c.Skilled >= 0 && c.Skilled <= 1, "cold_start.skilled %v: expected 0 to 1", c.Skilled)
		need(c.Beside >= 0 && c.Beside <= 1, "cold_start.beside %v: expected 0 to 1", c.Beside)
		forms := []rollout.Phase{rollout.Query, rollout.Rank, rollout.Distil}
		for i, form := range c.Forms {
			need(slices.Contains(forms, form) && !slices.Contains(c.Forms[:i], form), "cold_start.forms[%d] %q: expected one of %q, each once", i, form, forms)
		}
		need(c.Games >= 0, "cold_start.games %d: expected 0 or more", c.Games)
	}
	if s.GRPO == nil || !cold && !learns {
		return wrong
	}
	wrong = append(wrong, s.GRPO.complaints()...)
	if !learns {
		return wrong
	}
	g := s.GRPO
	need(g.Start == "model" || slices.Contains([]string{"teacher", "student", "cold_start"}, g.Start),
		"grpo.start %q: expected model, teacher, student or cold_start", g.Start)
	need(g.Start == "model" || s.Does(g.Start), "grpo.start %s: expected it among stages", g.Start)
	for _, t := range s.trainings() {
		need(g.Start != t.Step || t.SFT.LoRA == nil, "grpo.start %s: expected it without lora: training on top of an adapter is not offered", t.Step)
	}
	need(slices.ContainsFunc(s.Evaluation.Panels, func(p activities.Panel) bool { return p.Name == g.Validate.Panel }),
		"grpo.validate.panel %q: expected the name of one of evaluation.panels", g.Validate.Panel)
	for i, p := range s.Evaluation.Panels {
		need(p.Name != trainPanel, "evaluation.panels[%d].name %s: expected another: it is that of the games that grpo learns from", i, p.Name)
	}
	if q := s.Model.Qwen2; q != nil {
		need(g.Chat == nil, "grpo.chat: expected none with model.qwen2, since a new tokenizer has no chat template")
		for _, n := range []struct {
			phase  string
			tokens int
		}{{"query", g.Answer.Query}, {"rank", g.Answer.Rank}, {"act", g.Answer.Act}, {"distil", g.Answer.Distil}} {
			need(n.tokens < q.Positions, "grpo.answer.%s %d: expected below model.qwen2.positions, %d", n.phase, n.tokens, q.Positions)
		}
	}
	if s.Games.Household != nil {
		need(g.World != ask.Shop, "grpo.world %s: expected household, as the games are", g.World)
	}
	return wrong
}

func (s *Spec) bank() artifacts.Digest {
	if s.GRPO == nil {
		return ""
	}
	return s.GRPO.Bank
}

// complaints are all that is wrong with g by itself.
func (g GRPOSpec) complaints() (wrong []error) {
	need, also := under("grpo.", &wrong)
	need(slices.Contains(Methods, g.Method), "method %q: expected one of %v", g.Method, Methods)
	need(g.Ablation == "" || slices.Contains(Ablations, g.Ablation), "ablation %q: expected one of %v", g.Ablation, Ablations)
	need(g.Ablation == "" || DefaultGRPO(g.Method, "", g.World).Library != nil, "ablation %s: expected a method with a library, not %s", g.Ablation, g.Method)
	for _, n := range []struct {
		field              string
		value, least, most int
	}{
		{"steps", g.Steps, 0, maxSteps},
		{"tasks", g.Tasks, 1, maxTasks},
		{"group", g.Group, 1, maxGroup},
		{"history", g.History, 1, maxCount}, // play takes 0 for 2
		{"max_steps", g.MaxSteps, 1, maxCount},
		{"projection.tail", g.Projection.Tail, 0, maxCount},
		{"answer.query", g.Answer.Query, 1, maxCount},
		{"answer.rank", g.Answer.Rank, 1, maxCount},
		{"answer.act", g.Answer.Act, 1, maxCount},
		{"answer.distil", g.Answer.Distil, 1, maxCount},
		{"show", g.Show, 0, skills.MaxSkills},
		{"validation_show", g.ValidationShow, 0, skills.MaxSkills},
		{"checkpoint", g.Checkpoint, 1, maxCount},
		{"shard", g.Shard, 1, maxTasks},
		{"chain", g.Chain, 1, maxChain},
		{"validate.every", g.Validate.Every, 1, maxCount},
		{"validate.samples", g.Validate.Samples, 1, maxGroup},
		{"learn.mini_batch", g.Learn.MiniBatch, 0, maxCount},
		{"learn.micro_tokens", g.Learn.Micro, 0, maxCount},
	} {
		need(n.value >= n.least && n.value <= n.most, "%s %d: expected %d to %d", n.field, n.value, n.least, n.most)
	}
	also("", g.Prompts.Validate())
	need(slices.Contains([]ask.World{ask.Household, ask.Shop}, g.World), "world %q: expected %s or %s", g.World, ask.Household, ask.Shop)
	wrong = append(wrong, g.drawing()...)
	wrong = append(wrong, g.finding()...)
	also("learn.credit.", g.Learn.Credit.Check())
	need(g.Learn.Credit.Intrinsic == 0 || g.Distil, "learn.credit.intrinsic %v: expected distil beside it, whose lessons tell which subtasks are done", g.Learn.Credit.Intrinsic)
	loss := g.Learn.Loss
	need(len(loss.Parts) == 0, "learn.loss.parts: expected none, they follow from learn.credit.parts")
	need(g.Learn.KL >= 0 && g.Learn.KL <= maxCoefficient, "learn.kl %v: expected 0 to %v", g.Learn.KL, maxCoefficient)
	need(g.Learn.Entropy >= 0 && g.Learn.Entropy <= maxCoefficient, "learn.entropy %v: expected 0 to %v", g.Learn.Entropy, maxCoefficient)
	loss.Parts = []grpo.Part{{Name: "any", Loss: "clipped", Aggregate: grpo.TokenMean}}
	also("learn.loss.", loss.Check())
	loss.Parts[0].Aggregate = g.Learn.Aggregate
	need(loss.Check() == nil || grpo.Config{Parts: loss.Parts}.Check() == nil, "learn.aggregate %q: expected token-mean, sequence-mean, sequence-sum, episode-sum or micro-mean", g.Learn.Aggregate)
	need(slices.Contains([]string{"", "max", "mean"}, string(g.Learn.Expect)), "learn.expect %q: expected max or mean", g.Learn.Expect)
	for _, err := range optimiserComplaints(g.Optimiser) {
		also("optimiser.", err)
	}
	return wrong
}

// optimiserComplaints are what is wrong with the optimiser of a training by steps.
func optimiserComplaints(train gpu.TrainConfig) (wrong []error) {
	if train.Steps == 0 {
		if train.Schedule != "" || train.Flat != 1 || train.Floor != 1 {
			wrong = append(wrong, errors.New("steps 0: expected the optimiser's steps in all, since the rate changes"))
		}
		train.Steps = 1
	}
	return append(wrong, train.Complaints()...)
}

// drawing says what is wrong with how answers are drawn.
func (g GRPOSpec) drawing() (wrong []error) {
	need, _ := under("grpo.", &wrong)
	t := g.Draw.Temperature
	need(t > 0 && gpu.CheckTemperature(t) == nil, "draw.temperature %v: expected %v to %v, since from one answer nothing is learnt", t, gpu.MinTemperature, gpu.MaxTemperature)
	need(g.Learn.Temperature == 0 || g.Learn.Temperature == float64(t), "learn.temperature %v: expected none, it is that of draw", g.Learn.Temperature)
	need(g.Draw.TopK >= 0 && g.Draw.TopK <= maxCount, "draw.top_k %d: expected 0, for all, to %d", g.Draw.TopK, maxCount)
	need(g.Draw.TopP >= 0 && g.Draw.TopP <= 1, "draw.top_p %v: expected 0, for all, to 1", g.Draw.TopP)
	if err := gpu.CheckTemperature(g.Validate.Temperature); err != nil {
		wrong = append(wrong, fmt.Errorf("grpo.validate.%w", err))
	}
	return wrong
}

// finding says what is wrong with the library and with how skills are found.
func (g GRPOSpec) finding() (wrong []error) {
	need, also := under("grpo.", &wrong)
	for _, r := range []struct {
		field string
		how   *skills.Retrieval
	}{{"retrieval", g.Retrieval}, {"validation_retrieval", g.ValidationRetrieval}} {
		need((r.how == nil) == (g.Library == nil), "%s: expected it with a library, and none without", r.field)
		if r.how != nil {
			also(r.field+".", r.how.Validate())
		}
	}
	if g.Library != nil {
		also("library.", g.Library.Validate())
		need(g.Show > 0 && g.ValidationShow > 0, "show %d, validation_show %d: expected above 0 with a library", g.Show, g.ValidationShow)
		need(!g.Half || g.Group > 1, "half_group: expected a group above 1")
		need(!g.Distil || !g.Trajectories, "trajectories: expected no distil beside it")
		need(!g.Trajectories || g.Library.Admit != skills.AdmitPredicted,
			"library.admit %s: expected another rule beside trajectories, such as %s: commands predict nothing, so that none would enter", g.Library.Admit, skills.AdmitWon)
		return wrong
	}
	for _, b := range []struct {
		field string
		said  bool
	}{{"query", g.Query}, {"rank", g.Rank}, {"distil", g.Distil}, {"half_group", g.Half}, {"trajectories", g.Trajectories}, {"bank", g.Bank != ""}} {
		need(!b.said, "%s: expected a library", b.field)
	}
	return wrong
}

// Bounds well above any use.
const (
	maxSteps       = 100_000
	maxTasks       = 4096
	maxGroup       = 4096
	maxChain       = 100 // a workflow's history has room for so many steps
	maxCoefficient = 1e6
)

// under gathers complaints of fields below prefix: need where something does not hold, also what the owner of a field says
// of it.
func under(prefix string, wrong *[]error) (need func(ok bool, format string, args ...any), also func(field string, err error)) {
	need = func(ok bool, format string, args ...any) {
		if !ok {
			*wrong = append(*wrong, fmt.Errorf(prefix+format, args...))
		}
	}
	also = func(field string, err error) {
		for _, e := range leaves(err) {
			*wrong = append(*wrong, fmt.Errorf("%s%s%w", prefix, field, e))
		}
	}
	return need, also
}

// leaves are the errors that err joins itself, not those that something in it wraps.
func leaves(err error) (all []error) {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		all = append(all, leaves(e)...)
	}
	return all
}
