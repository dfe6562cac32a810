package workflows

import (
	"slices"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/skills"
)

// ColdStartSpec is the fine-tuning that teaches the forms of GRPO's episodes: prompts, phases, world and history are
// those of the spec's grpo.
type ColdStartSpec struct {
	SFTSpec `yaml:",inline" json:",inline"`
	Skilled float64 `yaml:"skilled" json:"skilled"`         // share of the games that are played with a skill shown
	Beside  float64 `yaml:"beside" json:"beside,omitempty"` // share of the games whose queries, orders and lessons are taught beside commands; 0: all
	Games   int     `yaml:"games" json:"games,omitempty"`   // learn from so many of the games to train on, drawn by order; 0: all
	// Forms are what is taught beside commands, of query, rank and distil; nil: what grpo asks for.
	Forms []rollout.Phase `yaml:"forms" json:"forms,omitempty"`
}

// GRPOSpec is reinforcement learning from episodes with skills. What is left out is the method's: Methods has all of
// them.
type GRPOSpec struct {
	Method   string `yaml:"method" json:"method"`                   // one of Methods
	Ablation string `yaml:"ablation" json:"ablation,omitempty"`     // of the method: one of Ablations
	Start    string `yaml:"start" json:"start"`                     // model, teacher, student or cold_start
	Steps    int    `yaml:"steps" json:"steps"`                     // updates
	Tasks    int    `yaml:"tasks" json:"tasks"`                     // games a step
	Group    int    `yaml:"group" json:"group"`                     // episodes of each
	Half     bool   `yaml:"half_group" json:"half_group,omitempty"` // half of each group plays without the library (RetroAgent)

	Prompts    ask.Set                    `yaml:"prompts" json:"prompts"`
	World      ask.World                  `yaml:"world" json:"world"`
	Chat       *activities.ChatParameters `yaml:"chat" json:"chat,omitempty"` // prompts in the model's chat template; nil: plain
	Projection ProjectionSpec             `yaml:"projection" json:"projection"`
	History    int                        `yaml:"history" json:"history"` // turns shown; of no account where prompts grow
	MaxSteps   int                        `yaml:"max_steps" json:"max_steps"`
	Answer     AnswerSpec                 `yaml:"answer" json:"answer"`
	Draw       rollout.Draw               `yaml:"draw" json:"draw"`

	Query  bool `yaml:"query" json:"query,omitempty"`   // the policy says what skills it looks for
	Rank   bool `yaml:"rank" json:"rank,omitempty"`     // and puts them in order
	Distil bool `yaml:"distil" json:"distil,omitempty"` // and draws a lesson
	// Trajectories has won episodes' commands enter the library as they are, in place of lessons.
	Trajectories        bool              `yaml:"trajectories" json:"trajectories,omitempty"`
	Library             *skills.Rules     `yaml:"library" json:"library,omitempty"` // nil: there is none
	Bank                artifacts.Digest  `yaml:"bank" json:"bank,omitempty"`       // a stored bank or library to begin with; "": an empty one
	Retrieval           *skills.Retrieval `yaml:"retrieval" json:"retrieval,omitempty"`
	ValidationRetrieval *skills.Retrieval `yaml:"validation_retrieval" json:"validation_retrieval,omitempty"`
	Show                int               `yaml:"show" json:"show,omitempty"` // skills shown, at most
	ValidationShow      int               `yaml:"validation_show" json:"validation_show,omitempty"`

	Learn      learn.Config    `yaml:"learn" json:"learn"` // its temperature is that of draw
	Optimiser  gpu.TrainConfig `yaml:"optimiser" json:"optimiser"`
	Checkpoint int             `yaml:"checkpoint" json:"checkpoint"` // steps between checkpoints; the last step has one in any case
	Shard      int             `yaml:"shard" json:"shard"`           // games an activity
	Chain      int             `yaml:"chain" json:"chain"`           // steps a workflow run, for short histories
	Seed       uint64          `yaml:"seed" json:"seed"`             // of tasks and of all that is drawn in them
	Validate   ValidateSpec    `yaml:"validate" json:"validate"`
}

// ProjectionSpec is how an answer becomes a command.
type ProjectionSpec struct {
	Tail int  `yaml:"tail" json:"tail"`           // characters sent of an answer without an action
	Bare bool `yaml:"bare" json:"bare,omitempty"` // thoughts are not required
	// Literal takes reversed tags as verl-agent's code does: an empty command, in form.
	Literal bool `yaml:"literal" json:"literal,omitempty"`
}

// AnswerSpec is the most tokens of an answer in each phase.
type AnswerSpec struct {
	Query  int `yaml:"query" json:"query"`
	Rank   int `yaml:"rank" json:"rank"`
	Act    int `yaml:"act" json:"act"`
	Distil int `yaml:"distil" json:"distil"`
}

// ValidateSpec is the play of a fixed panel before the first step, every so many, and after the last.
type ValidateSpec struct {
	Panel       string  `yaml:"panel" json:"panel"` // one of evaluation.panels
	Every       int     `yaml:"every" json:"every"`
	Samples     int     `yaml:"samples" json:"samples"` // episodes of each game
	Temperature float32 `yaml:"temperature" json:"temperature"`
}

// answered are the most tokens of the answers that are asked for, by their fields of answer.
func (g GRPOSpec) answered() map[string]int {
	all := map[string]int{"act": g.Answer.Act}
	if g.Query {
		all["query"] = g.Answer.Query
	}
	if g.Rank {
		all["rank"] = g.Answer.Rank
	}
	if g.Distil {
		all["distil"] = g.Answer.Distil
	}
	return all
}

// coldStart is in what forms a cold start teaches.
func (g GRPOSpec) coldStart(c *ColdStartSpec, seed uint64) *activities.ColdStartParameters {
	p := &activities.ColdStartParameters{
		Prompts: g.Prompts, World: g.World, Chat: g.Chat, Query: g.Query, Rank: g.Rank, Distil: g.Distil, Beside: c.Beside, Skilled: c.Skilled, History: g.History,
		Games: c.Games, Seed: seed,
	}
	if c.Forms != nil {
		teaches := func(form rollout.Phase) bool { return slices.Contains(c.Forms, form) }
		p.Query, p.Rank, p.Distil = teaches(rollout.Query), teaches(rollout.Rank), teaches(rollout.Distil)
	}
	return p
}

// under is a training under a seed.
func (g GRPOSpec) under(seed uint64) GRPOSpec {
	if seed != 0 {
		g.Seed, g.Optimiser.Seed = seed, seed
	}
	return g
}

// rollouts are what episodes to learn from depend on. Bounds of games and the type of the weights are those of the
// evaluation.
func (g GRPOSpec) rollouts(e EvaluationSpec) activities.RolloutParameters {
	p := activities.RolloutParameters{
		Prompts: g.Prompts, World: g.World, Chat: g.Chat, Projection: reply.Projection(g.Projection),
		Query: g.Query, Rank: g.Rank, Distil: g.Distil, Show: g.Show, Retrieval: g.Retrieval, History: g.History, MaxSteps: g.MaxSteps,
		Answer: map[rollout.Phase]int{
			rollout.Query: g.Answer.Query, rollout.Rank: g.Answer.Rank, rollout.Act: g.Answer.Act, rollout.Distil: g.Answer.Distil,
		},
		Draw: g.Draw, Limits: e.Limits, Deadline: time.Duration(e.Deadline), DType: e.DType, Seed: g.Seed,
	}
	if g.Half {
		p.Bare = g.Group / 2
	}
	return p
}

// validation is what a panel's episodes depend on. Nothing is learnt from them, so that no lesson is asked for.
func (g GRPOSpec) validation(e EvaluationSpec, with bool) activities.RolloutParameters {
	p := g.rollouts(e)
	p.Distil, p.Bare, p.Draw.Temperature = false, 0, g.Validate.Temperature
	p.Retrieval, p.Show = g.ValidationRetrieval, g.ValidationShow
	if !with {
		p.Query, p.Rank, p.Retrieval, p.Show = false, false, nil, 0
	}
	return p
}

// updates are how the policy is updated.
func (g GRPOSpec) updates() activities.UpdateParameters {
	p := activities.UpdateParameters{Steps: g.Steps, Checkpoint: g.Checkpoint}
	p.Learn, p.Train, p.Group = g.Learn, g.Optimiser, g.Group
	p.Learn.Temperature = float64(g.Draw.Temperature)
	if p.Train.Steps == 0 {
		p.Train.Steps = g.Steps // of no account, since the rate stays
	}
	return p
}

// grpoParameters are what a training's outcome depends on beside its inputs: not how it is divided among activities.
type grpoParameters struct {
	Train        activities.RolloutParameters `json:"train"`
	Validate     activities.RolloutParameters `json:"validate"`
	Update       activities.UpdateParameters  `json:"update"`
	Library      *skills.Rules                `json:"library,omitempty"`
	Trajectories bool                         `json:"trajectories,omitempty"`
	Tasks        int                          `json:"tasks"`
	Every        int                          `json:"every"`
	Samples      int                          `json:"samples"`
}

func (g GRPOSpec) draft(e EvaluationSpec, start, games, panel artifacts.Digest) draft {
	return draft{"grpo", grpoParameters{
		Train: g.rollouts(e), Validate: g.validation(e, g.Library != nil), Update: g.updates(), Library: g.Library,
		Trajectories: g.Trajectories, Tasks: g.Tasks, Every: g.Validate.Every, Samples: g.Validate.Samples,
	}, inputs("model", start, "games", games, "panel", panel, "bank", g.Bank)}
}
