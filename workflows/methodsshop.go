package workflows

import (
	"maps"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/reply"
)

// shopping has a method train on WebShop with the numbers that are published for it: 15 steps and verl-agent's reading of
// answers for all, and what the methods' tables and launch scripts say of it apart from ALFWorld.
func (g *GRPOSpec) shopping() {
	g.World, g.MaxSteps = ask.Shop, 15
	g.Projection = ProjectionSpec(reply.Shop)
	c := &g.Learn.Credit
	switch g.Method {
	case "skill1-paper": // Skill1, tables 4 to 6
		g.Tasks = 32
		// The paper names no penalty. The script for WebShop has one, of a win of 10, by which advantages are the same as by
		// the paper's win of 1.
		c.Win, c.Penalty = 10, 0.5
	case "skill1-released", "skill-only": // Skill1, launch_scripts: it leaves λ at the code's 1
		c.Penalty = 0.5
		c.Own = maps.Clone(c.Own)
		for phase := range c.Own {
			c.Own[phase] = 1
		}
	case "gigpo": // verl-agent, examples/gigpo_trainer/run_webshop.sh: mean_norm
		c.Parts[0].Scale = credit.Unscaled
		g.Learn.MiniBatch = 64
	case "grpo", "skillrl": // verl-agent, examples/grpo_trainer; SkillRL, run_webshop_skills.sh
		g.Learn.MiniBatch = 64
	}
}
