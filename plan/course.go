package plan

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/checkpoint/memory"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/workflows"
)

// Course is a training by steps in numbers: of rewards, or of a teacher. What depends on how long games and answers turn
// out is told as the most that there can be.
type Course struct {
	Trainable   int64 `json:"trainable"`
	Steps       int   `json:"steps"`
	Tasks       int   `json:"tasks"` // games a step
	Group       int   `json:"group"` // episodes of each
	Episodes    int   `json:"episodes"`
	Updates     int   `json:"updates"`           // optimiser steps, at most
	Generated   int64 `json:"generated"`         // tokens of answers to learn from, at most
	Panels      int   `json:"panels,omitempty"`  // plays of the validation's panel
	Validated   int   `json:"validated"`         // episodes of them
	Checkpoints int   `json:"checkpoints"`       // states and models that are kept
	Library     int   `json:"library,omitempty"` // skills that there can be
	reference   bool  // the model that training began from stays on the device
}

// String says what a step is.
func (c *Course) String() string {
	text := humanize.Comma(c.Trainable) + " trainable parameters, "
	if c.Group > 1 {
		return text + fmt.Sprintf("%d games × %d episodes a step", c.Tasks, c.Group)
	}
	return text + fmt.Sprintf("%d games a step", c.Tasks)
}

// Bytes of an episode: its states and, for each token of an answer, number and log-probability.
const tokenBytes = 20

// grpoCourse is GRPO's.
func (p *planner) grpoCourse(g workflows.GRPOSpec) *Course {
	games := p.games["train"]
	c := &Course{
		Steps: g.Steps, Tasks: g.Tasks, Group: g.Group, Checkpoints: (g.Steps + g.Checkpoint - 1) / g.Checkpoint,
		reference: g.Learn.KL != 0 && g.Optimiser.LoRA == nil,
	}
	if games > 0 {
		c.Tasks = min(c.Tasks, games)
	}
	each, answers := int64(g.MaxSteps)*int64(g.Answer.Act), g.MaxSteps
	for _, one := range []struct {
		asked  bool
		tokens int
	}{{g.Query, g.Answer.Query}, {g.Rank, g.Answer.Rank}, {g.Distil, g.Answer.Distil}} {
		if one.asked {
			each += int64(one.tokens)
			answers++
		}
	}
	c.Episodes = c.Steps * c.Tasks * c.Group
	c.Generated = int64(c.Episodes) * each
	c.Updates = c.Steps * batches(c.Tasks*c.Group*answers, g.Learn.MiniBatch)
	c.Panels = 1 + g.Steps/g.Validate.Every // the first before the first step
	if g.Steps%g.Validate.Every != 0 {
		c.Panels++ // after the last
	}
	if g.Library != nil {
		c.Panels *= 2 // with skills and without
		c.Library = g.Library.WithDefaults().Capacity
	}
	c.Validated = c.Panels * p.games[g.Validate.Panel] * g.Validate.Samples
	return c
}

// distilledCourse is that of a distillation.
func (p *planner) distilledCourse(d workflows.DistilledSpec) *Course {
	c := &Course{Steps: d.Steps, Tasks: d.Tasks, Group: 1, Checkpoints: (d.Steps + d.Checkpoint - 1) / d.Checkpoint, reference: true}
	if games := p.games["train"]; games > 0 {
		c.Tasks = min(c.Tasks, games)
	}
	c.Episodes = c.Steps * c.Tasks
	c.Updates = c.Steps * batches(c.Tasks*p.Spec.Evaluation.MaxSteps, d.Learn.MiniBatch)
	return c
}

// batches is how many optimiser steps so many answers make, at most: each takes at least mini of them.
func batches(answers, mini int) int {
	if mini == 0 {
		return 1
	}
	return (answers + mini - 1) / mini
}

// course fills in a training by steps.
func (p *planner) course(c *Course, train gpu.TrainConfig, out *Stage) error {
	var err error
	if c.Trainable, err = p.trainable(train.LoRA); err != nil {
		return fmt.Errorf("optimiser.lora.targets: %w", err)
	}
	episodes := float64(c.Episodes+c.Validated)*trajectoryBytes + float64(c.Generated)*tokenBytes
	each := int64(16) // the parameters and two moments in fp32, and once more the parameters as a model
	if train.Save == "bfloat16" {
		each = 14
	}
	stored := float64(c.Checkpoints) * float64(each) * float64(c.Trainable)
	if episodes+stored > mostCounted {
		return fmt.Errorf("%d steps of %d episodes, %d checkpoints: expected at most %.1e bytes in all", c.Steps, c.Tasks*c.Group, c.Checkpoints, float64(mostCounted))
	}
	out.Course = c
	out.Tokens = c.Generated
	out.Stored = int64(stored) + int64(episodes)
	return nil
}

// courseMemory is what a device holds in training by steps: what is trained, the reference, and in play the policy and its
// cache besides.
func (p *planner) courseMemory() error {
	for _, one := range p.courseSizes() {
		stage := p.first(one.step)
		if stage == nil || stage.Course == nil {
			continue
		}
		t, err := p.pass(one.train)
		if err != nil {
			return err
		}
		t.Batch = memory.Sequences{Tokens: []int64{int64(one.micro)}, Wanted: []int64{int64(one.micro)}}
		if err := p.countable(one.step, 1, float64(one.micro), t.Eager); err != nil {
			return err
		}
		update, err := t.Use()
		if err != nil {
			return err
		}
		size := int64(4)
		if t.BFloat16 {
			size = 2
		}
		reference := int64(0)
		if stage.Course.reference {
			reference = p.Model.Parameters * size
		}
		update.Weights, update.Peak = update.Weights+reference, update.Peak+reference
		p.Memory = append(p.Memory, Memory{Name: one.step + ", update", Batch: fmt.Sprintf("%s tokens", humanize.Comma(int64(one.micro))), Use: update})
		d := memory.Decoding{
			Model: p.model, BFloat16: p.Spec.Evaluation.DType == "bfloat16", CUDA: p.CUDA, Prompt: int64(one.prompt), Lanes: int64(2 * one.lanes),
		}
		play, err := d.Use()
		if err != nil {
			return err
		}
		held := update.Weights + update.Trained + update.Gradients + update.Moments
		play.Weights += update.Weights
		play.Trained, play.Gradients, play.Moments = update.Trained, update.Gradients, update.Moments
		play.Peak += held
		p.Memory = append(p.Memory, Memory{Name: one.step + ", play", Batch: fmt.Sprintf("%d episodes, prompts of %s tokens", one.lanes, humanize.Comma(int64(one.prompt))), Use: play})
	}
	return nil
}

// courseSizes are what a training by steps holds at once.
type courseSizes struct {
	step   string
	train  gpu.TrainConfig
	micro  int // tokens of an update's pass
	lanes  int // episodes in play
	prompt int
}

// microTokens is what learn.micro_tokens is where it is not said.
const microTokens = 4096

func (p *planner) courseSizes() (all []courseSizes) {
	_, positions := p.model.Limits()
	add := func(step string, train gpu.TrainConfig, micro, lanes, prompt int) {
		s := courseSizes{step: step, train: train, micro: min(cmp.Or(micro, microTokens), positions), lanes: min(lanes, agent.DefaultBatch)}
		s.prompt = min(cmp.Or(prompt, s.micro), positions)
		all = append(all, s)
	}
	if g := p.Spec.GRPO; g != nil {
		add("grpo", g.Optimiser, g.Learn.Micro, g.Shard*g.Group, 0)
	}
	if d := p.Spec.Distilled; d != nil {
		add("distilled", d.Optimiser, d.Learn.Micro, d.Shard, d.MaxTokens)
	}
	return all
}
