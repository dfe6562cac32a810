package workflows

import (
	"cmp"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/gpu"
)

// DistilledSpec is privileged distillation of the teacher into a student on the student's own play.
type DistilledSpec struct {
	Start       string  `yaml:"start" json:"start"` // model or student
	Steps       int     `yaml:"steps" json:"steps"` // updates
	Tasks       int     `yaml:"tasks" json:"tasks"` // games a step
	Temperature float32 `yaml:"temperature" json:"temperature"`
	MaxTokens   int     `yaml:"max_tokens" json:"max_tokens"` // of the teacher's prompt and an answer; longer ones are left out and counted

	Learn      learn.DistilConfig `yaml:"learn" json:"learn"`
	Optimiser  gpu.TrainConfig    `yaml:"optimiser" json:"optimiser"`
	Checkpoint int                `yaml:"checkpoint" json:"checkpoint"` // steps between checkpoints; the last step has one in any case
	Shard      int                `yaml:"shard" json:"shard"`           // games an activity
	Chain      int                `yaml:"chain" json:"chain"`           // steps a workflow run, for short histories
	Seed       uint64             `yaml:"seed" json:"seed"`             // of the games and of what is drawn in them
}

// DefaultDistilled is privileged distillation with β as SDAR (arXiv 2605.15155) found it best. There the loss is added to
// that of rewards with a coefficient of 0.01; here it stands alone, so that the coefficient is 1.
func DefaultDistilled() DistilledSpec {
	return DistilledSpec{
		Start: "student", Steps: 50, Tasks: 16, Temperature: 1, MaxTokens: 2048,
		Learn: learn.DistilConfig{DistilConfig: grpo.DistilConfig{Coefficient: 1, Beta: 5, Aggregate: grpo.TokenMean}},
		Optimiser: gpu.TrainConfig{
			Rate: 1e-6, Flat: 1, Floor: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01, Clip: 1, Seed: 1,
		},
		Checkpoint: 10, Shard: 4, Chain: 10, Seed: 1,
	}
}

// under is the training under a seed.
func (d DistilledSpec) under(seed uint64) DistilledSpec {
	if seed != 0 {
		d.Seed, d.Optimiser.Seed = seed, seed
	}
	return d
}

// plays are how the student plays in a step: what it draws in one game is another in another step.
func (d DistilledSpec) plays(e EvaluationSpec, h HintsSpec, step int) activities.PlayParameters {
	p := e.parameters(h, false)
	p.Oracle, p.StopCycles, p.Decoding, p.Temperature = "", false, agent.Drawn, d.Temperature
	p.Seed = mix(mix(d.Seed)+uint64(step)) >> 11 // JSON keeps 53 bits
	return p
}

// updates are how the student is updated.
func (d DistilledSpec) updates(e EvaluationSpec, h HintsSpec) activities.UpdateParameters {
	p := activities.UpdateParameters{Steps: d.Steps, Checkpoint: d.Checkpoint}
	p.Train = d.Optimiser
	p.Train.Steps = cmp.Or(p.Train.Steps, d.Steps) // of no account where the rate stays
	p.Distil = &activities.DistilRule{
		DistilConfig: d.Learn, Prompt: h.Prompt, History: h.History, MaxTokens: d.MaxTokens, Plans: h.plans(), Limits: e.Limits,
	}
	return p
}

// distilledParameters are what a training's outcome depends on beside its inputs.
type distilledParameters struct {
	Play   activities.PlayParameters   `json:"play"` // but for the seed, which follows from the step
	Update activities.UpdateParameters `json:"update"`
	Tasks  int                         `json:"tasks"`
	Seed   uint64                      `json:"seed"`
}

func (in DistilledInput) draft() draft {
	d := in.Distilled
	play := d.plays(in.Eval, in.Hints, 0)
	play.Seed = 0
	return draft{
		"distilled",
		distilledParameters{Play: play, Update: d.updates(in.Eval, in.Hints), Tasks: d.Tasks, Seed: d.Seed},
		inputs("model", in.Start, "teacher", in.Teacher, "games", in.Games.Games),
	}
}

// complaints are all that is wrong with d.
func (d DistilledSpec) complaints(s *Spec) (wrong []error) {
	need, also := under("distilled.", &wrong)
	need(slices.Contains([]string{"model", "student"}, d.Start), "start %q: expected model or student", d.Start)
	need(d.Start != "student" || s.Does("student"), "start student: expected it among stages")
	need(d.Start != "student" || s.Student.LoRA == nil, "start student: expected it without lora: training on top of an adapter is not offered")
	for _, n := range []struct {
		field              string
		value, least, most int
	}{
		{"steps", d.Steps, 1, maxSteps},
		{"tasks", d.Tasks, 1, maxTasks},
		{"max_tokens", d.MaxTokens, 1, maxCount},
		{"checkpoint", d.Checkpoint, 1, maxCount},
		{"shard", d.Shard, 1, maxTasks},
		{"chain", d.Chain, 1, maxChain},
	} {
		need(n.value >= n.least && n.value <= n.most, "%s %d: expected %d to %d", n.field, n.value, n.least, n.most)
	}
	need(d.Temperature > 0 && gpu.CheckTemperature(d.Temperature) == nil, "temperature %v: expected %v to %v", d.Temperature, gpu.MinTemperature, gpu.MaxTemperature)
	also("learn: ", d.Learn.Validate())
	for _, err := range optimiserComplaints(d.Optimiser) {
		also("optimiser.", err)
	}
	return wrong
}
