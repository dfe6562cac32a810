package workflows

import (
	"slices"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/skills"
)

// Methods are the published ways to train, by name; the first is the default. DefaultGRPO has what they mean.
var Methods = []string{"skill1-paper", "skill1-released", "skill-only", "grpo", "gigpo", "skillrl", "retroagent"}

// Ablations are what can be taken from a method with a library.
var Ablations = []string{"no-library", "no-selection", "no-distillation", "lambda1-zero", "lambda2-zero"}

// DefaultGRPO is a method with the published numbers for a world, less an ablation (""): for ALFWorld, or with ask.Shop for
// WebShop. It is the only place where a default of grpo lives. A name that stands for nothing counts as left out: complaints
// tell of it.
func DefaultGRPO(method, ablation string, world ask.World) GRPOSpec {
	if !slices.Contains(Methods, method) {
		method = Methods[0]
	}
	g := verl(method)
	switch method {
	case "skill1-paper": // Skill1, tables 4 to 6, and appendix B
		g.Group, g.Validate.Every, g.Checkpoint = 16, 20, 50
		g.answers(2048)
		g.skilled(skills.Retrieval{Mode: skills.ModeUCB, Weight: new(0.6), TopK: 5}, 5, 1, 1)
		g.Library = &skills.Rules{Rate: 0.05, Admit: skills.AdmitWon, Merge: skills.MergeNone, Capacity: 5000, Retire: skills.RetireSelectedLog}
		g.Learn.Aggregate, g.Learn.Entropy = grpo.SequenceMean, 0
	case "skill1-released", "skill-only": // Skill1, launch_scripts
		g.Validate.Every, g.Checkpoint = 20, 50
		g.answers(2048)
		g.skilled(skills.Retrieval{Mode: skills.ModeUCB, Weight: new(1.0), TopK: 3}, 3, 1, 3)
		g.Library = &skills.Rules{Rate: 0.05, Admit: skills.AdmitWon, Merge: skills.MergeStrategy, Capacity: 5000, Retire: skills.RetireUtilityLog}
		if method == "skill-only" {
			g.Steps, g.Checkpoint, g.Validate.Every = 40, 10, 10
		}
	case "skillrl": // SkillRL, table 4; run_alfworld_skills.sh
		g.Start, g.Checkpoint, g.Learn.MiniBatch = "cold_start", 10, 128
		g.answers(1024)
		g.Library = &skills.Rules{Admit: skills.AdmitNone, Merge: skills.MergeNone}
		g.Retrieval, g.ValidationRetrieval = &skills.Retrieval{Mode: skills.ModeType}, &skills.Retrieval{Mode: skills.ModeType}
		g.Show, g.ValidationShow = allByType, allByType
	case "retroagent": // RetroAgent, section 3; run_alfworld_*_self_reflection.sh
		g.answers(2048)
		g.Distil, g.Half = true, true
		g.Library = &skills.Rules{Rate: 0.05, Admit: skills.AdmitPredicted, Merge: skills.MergeNone, Capacity: skills.MaxSkills}
		g.Retrieval = &skills.Retrieval{Mode: skills.ModeSimUtil, Weight: new(0.7), TopK: 1}
		g.ValidationRetrieval = &skills.Retrieval{Mode: skills.ModeGreedy, Weight: new(0.7), TopK: 3}
		g.Show, g.ValidationShow = 1, 3
	}
	if world == ask.Shop {
		g.shopping()
	}
	g.without(ablation)
	return g
}

// allByType is more skills than the rule by type gives.
const allByType = 1000

// verl is what the methods have in common: verl-agent's settings, which all of them train with.
func verl(method string) GRPOSpec {
	how, err := credit.Named(method)
	if err != nil {
		panic(err) // Methods has a name that credit has not
	}
	g := GRPOSpec{
		Method: method, Start: "model", Steps: 150, Tasks: 16, Group: 8, Prompts: ask.Full, World: ask.Household,
		Projection: ProjectionSpec{Tail: 30}, History: 2, MaxSteps: 50, Draw: rollout.Draw{Temperature: 1},
		Learn: learn.Config{Credit: how, Expect: credit.ByMax, Aggregate: grpo.TokenMean, KL: 0.01, Entropy: 0.001, MiniBatch: 256},
		Optimiser: gpu.TrainConfig{
			Rate: 1e-6, Flat: 1, Floor: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01, Clip: 1, Seed: 1,
		},
		Checkpoint: 50, Shard: 4, Chain: 10, Seed: 1,
		Validate: ValidateSpec{Every: 5, Samples: 1, Temperature: 0.4},
	}
	g.answers(512)
	return g
}

// answers lets every phase answer in so many tokens, as the published systems do.
func (g *GRPOSpec) answers(tokens int) { g.Answer = AnswerSpec{tokens, tokens, tokens, tokens} }

// skilled has the policy select and distil skills. Validation takes the best by utility, without a bonus.
func (g *GRPOSpec) skilled(how skills.Retrieval, topK, show, validation int) {
	greedy := how
	greedy.Mode, greedy.TopK = skills.ModeGreedy, topK
	g.Query, g.Rank, g.Distil = true, true, true
	g.Retrieval, g.ValidationRetrieval, g.Show, g.ValidationShow = &how, &greedy, show, validation
}

// without takes from a method what an ablation is named for.
func (g *GRPOSpec) without(ablation string) {
	switch ablation {
	case "no-library":
		g.Library, g.Retrieval, g.ValidationRetrieval, g.Show, g.ValidationShow = nil, nil, nil, 0, 0
		g.Query, g.Rank, g.Distil, g.Half = false, false, false, false
		g.Learn.Credit.Intrinsic = 0 // it goes by lessons
	case "no-selection": // what the task's text finds is shown
		g.Query, g.Rank = false, false
	case "no-distillation": // what was done is kept in place of what was learnt
		g.Distil, g.Trajectories = false, true
		g.Learn.Credit.Intrinsic = 0
	case "lambda1-zero":
		g.weigh("rank", 0, credit.Query, credit.Rank)
	case "lambda2-zero":
		g.weigh("distil", 0, credit.Distil)
	default:
		return
	}
	g.Ablation = ablation
}

// weigh sets the weight of a part of the objective, or of phases' own rewards where these go into one return.
func (g *GRPOSpec) weigh(part string, weight float64, phases ...credit.Phase) {
	c := &g.Learn.Credit
	for i := range c.Parts {
		if c.Parts[i].Name == part {
			c.Parts[i].Weight = weight
		}
	}
	for _, phase := range phases {
		if _, counts := c.Own[phase]; counts {
			c.Own[phase] = weight
		}
	}
}
