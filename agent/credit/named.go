package credit

import (
	"fmt"
	"maps"
	"slices"
)

// named are the published ways, with the published numbers for ALFWorld. docs/credit.md gives the sources.
var named = map[string]func() Config{
	// Skill1's paper, eq. 8 to 11 and appendix B. It names no penalty.
	"skill1-paper": func() Config {
		return Config{Win: 1, Parts: []Part{
			{Name: "util", Phases: []Phase{Query, Act}, Signal: WholeEpisode, Baseline: OfRollouts, Scale: ByStd, Loss: Clipped, Weight: 1},
			{Name: "rank", Phases: []Phase{Rank}, Signal: OwnReward, Baseline: NoBaseline, Scale: Unscaled, Loss: Reinforce, Weight: 0.3},
			{Name: "distil", Phases: []Phase{Distil}, Signal: OwnReward, Baseline: OfRollouts, Scale: ByStd, Loss: Clipped, Weight: 0.3},
		}}
	},
	// Skill1's released loop: query and ranking are samples like the turns, with their rewards times λ; the distillation
	// is not among them and its reward is for the log.
	"skill1-released": func() Config {
		return chain(map[Phase]float64{Query: 0.3, Rank: 0.3}, Query, Rank, Act)
	},
	// The released loop with only selection in the gradient. The distillation's reward stands at the end of the returns.
	"skill-only": func() Config {
		c := chain(map[Phase]float64{Query: 0.3, Rank: 0.3, Distil: 0.3}, Phases...)
		c.Train = []Phase{Query, Rank}
		return c
	},
	"grpo":    episode,
	"skillrl": episode, // its bank and cold start lie elsewhere
	"gigpo": func() Config {
		c := episode()
		c.Parts[0].Signal, c.Gamma, c.StepWeight = Anchored, 0.95, 1
		return c
	},
	// RetroAgent with a trained reflection. Without: Train = act.
	"retroagent": func() Config {
		c := chain(nil, Act)
		c.Intrinsic = 1
		c.Parts = append(c.Parts, Part{
			Name: "reflect", Phases: []Phase{Distil}, Signal: OwnReward, Baseline: NoBaseline, Scale: Unscaled, Loss: Reinforce, Weight: 1,
		})
		return c
	},
}

// episode is GRPO as verl-agent has it.
func episode() Config {
	return Config{Win: 10, Penalty: 0.1, Parts: []Part{
		{Name: "util", Phases: []Phase{Act}, Signal: WholeEpisode, Baseline: OfSamples, Scale: ByStd, Loss: Clipped, Weight: 1},
	}}
}

// chain is GRPO on discounted returns.
func chain(own map[Phase]float64, phases ...Phase) Config {
	return Config{Win: 10, Penalty: 0.1, Gamma: 0.95, Own: own, Parts: []Part{
		{Name: "util", Phases: slices.Clone(phases), Signal: Discounted, Baseline: OfSamples, Scale: ByStd, Loss: Clipped, Weight: 1},
	}}
}

// Named is a published configuration: one of [Names].
func Named(name string) (Config, error) {
	config := named[name]
	if config == nil {
		return Config{}, fmt.Errorf("credit %q: expected of %v", name, Names())
	}
	return config(), nil
}

// Names are the names that Named knows, sorted.
func Names() []string { return slices.Sorted(maps.Keys(named)) }
