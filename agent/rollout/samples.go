package rollout

import "github.com/hone-rl/hone/gpu"

// Sample is answers of an episode as a trainer scores and learns them: tokens as they were sampled behind the prompts
// they were sampled from.
type Sample struct {
	gpu.Example
	Said []int // for each of the example's answers, which of Episode.Said it is
}

// Samples are all answers of the episode, in order. An answer whose prompt begins with all of the prompt and answer
// before it belongs to the same sample, so that a conversation is computed once; what is left out of a long one begins
// another.
func (e Episode) Samples() []Sample {
	var all []Sample
	for i, prompt := range e.Prompts() {
		said := e.Said[i]
		if n := len(all) - 1; n >= 0 && said.Same == len(all[n].Tokens) && len(said.Prompt) > 0 {
			all[n].Read = append(all[n].Read, gpu.Span{From: said.Same, To: len(prompt)})
			all[n].Tokens = append(append(all[n].Tokens, said.Prompt...), said.Tokens...)
			all[n].Said = append(all[n].Said, i)
			continue
		}
		all = append(all, Sample{
			Example: gpu.Example{Tokens: append(prompt[:len(prompt):len(prompt)], said.Tokens...), Answer: len(prompt)}, Said: []int{i},
		})
	}
	return all
}
