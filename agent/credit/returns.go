package credit

// reward is the episode's whole reward: what the environment gave in all, and the win's.
func (c Config) reward(e Episode) float64 {
	sum := c.Win * indicator(e.Won)
	for _, s := range e.Samples {
		if s.Phase == Act {
			sum += s.Reward
		}
	}
	return sum
}

// returns are the discounted returns of those samples of the episode that phase says, without penalties; 0 for others.
func (c Config) returns(e Episode, in func(Phase) bool) []float64 {
	all := make([]float64, len(e.Samples))
	won, next := e.Won, 0.0
	for i := len(e.Samples) - 1; i >= 0; i-- {
		s := e.Samples[i]
		r := c.Own[s.Phase] * s.Reward
		if s.Phase == Act {
			r = s.Reward
			if won { // the last turn
				r, won = r+c.Win, false
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
