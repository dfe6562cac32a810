package credit

import (
	"fmt"
	"math"
)

// Phase is what a sample was written for.
type Phase string

// The phases, in the order in which an episode goes through them.
const (
	Query  Phase = "query"  // what to look for in the library
	Rank   Phase = "rank"   // the order of what was found
	Act    Phase = "act"    // one turn of the game
	Distil Phase = "distil" // what was learnt; RetroAgent's reflection
)

// Phases are all of them, in order.
var Phases = []Phase{Query, Rank, Act, Distil}

// Sample is one answer of the model with its own prompt.
type Sample struct {
	Phase Phase
	// Reward is for this answer alone: of an Act what the environment gives beyond the win, 0 in ALFWorld; of the others
	// what [Contrastive], [NDCG], [DistilReward] and their like say.
	Reward float64
	// Invalid says that the answer could not be read as what was asked for.
	Invalid bool
	// Anchor is the state that the answer was given in, as the environment prints it and not as the prompt does. Answers
	// of one phase in the same state are compared by GiGPO.
	Anchor string
}

// Episode is one rollout: its samples in the order in which they were written.
type Episode struct {
	Samples []Sample
	Won     bool // by the episode's own last word, not the group's last loop step
	// Bonus is what it earns beside the win, at its last turn and times Config.Intrinsic: [Intrinsic]'s.
	Bonus float64
}

// Group is the episodes that were played on one task.
type Group struct {
	Task string
	// Size is how many episodes were asked for, 0 for as many as there are. Where some are missing (their game hung and
	// was excluded), the statistics are taken over those that are there, as if no more had been asked for; a group
	// without any is dropped. Neither is silent: see [Result].
	Size     int
	Episodes []Episode
}

// check says what is wrong with a group.
func (g Group) check() error {
	if g.Size != 0 && len(g.Episodes) > g.Size {
		return fmt.Errorf("group %q: %d episodes of %d", g.Task, len(g.Episodes), g.Size)
	}
	for i, e := range g.Episodes {
		rank, acts := 0, 0
		for j, s := range e.Samples {
			at := s.Phase.rank()
			if at < 0 {
				return fmt.Errorf("group %q: episode %d: sample %d: phase %q: expected one of %v", g.Task, i, j, s.Phase, Phases)
			}
			if at < rank {
				return fmt.Errorf("group %q: episode %d: sample %d: %s after %s: expected the order %v", g.Task, i, j, s.Phase, Phases[rank], Phases)
			}
			rank = at
			if s.Phase == Act {
				acts++
			}
			if math.IsNaN(s.Reward) || math.IsInf(s.Reward, 0) {
				return fmt.Errorf("group %q: episode %d: sample %d: reward %v", g.Task, i, j, s.Reward)
			}
		}
		if math.IsNaN(e.Bonus) || math.IsInf(e.Bonus, 0) {
			return fmt.Errorf("group %q: episode %d: bonus %v", g.Task, i, e.Bonus)
		}
		if e.Won && acts == 0 && len(e.Samples) > 0 { // without any its game was won before it was asked for one
			return fmt.Errorf("group %q: episode %d: won without a turn", g.Task, i)
		}
	}
	return nil
}

// rank is the phase's place in an episode, -1 if it has none.
func (p Phase) rank() int {
	for i, q := range Phases {
		if p == q {
			return i
		}
	}
	return -1
}
