package credit

// reward is the episode's whole reward: what the environment gave in all, the win's, and its bonus.
func (c Config) reward(e Episode) float64 {
	sum, turns := c.Win*indicator(e.Won), 0
	for _, s := range e.Samples {
		if s.Phase == Act {
			sum += s.Reward
			turns++
		}
	}
	if turns > 0 {
		sum += c.Intrinsic * e.Bonus
	}
	return sum
}

// returns are the discounted returns of those samples of the episode that phase says, without penalties; 0 for others.
func (c Config) returns(e Episode, in func(Phase) bool) []float64 {
	all := make([]float64, len(e.Samples))
	last, next := true, 0.0
	for i := len(e.Samples) - 1; i >= 0; i-- {
		s := e.Samples[i]
		r := c.Own[s.Phase] * s.Reward
		if s.Phase == Act {
			r = s.Reward
			if last { // where the episode is judged
				r += c.Win*indicator(e.Won) + c.Intrinsic*e.Bonus
				last = false
			}
		}
		if in(s.Phase) {
			next = r + c.Gamma*next
			all[i] = next
		}
	}
	return all
}

// penalty is what is taken off a sample's value for its own answer.
func (c Config) penalty(s Sample) float64 { return c.Penalty * indicator(s.Invalid) }
