package skills

import (
	"cmp"
	"math"
	"slices"
)

// worth is what a skill is kept for.
func (r Retirement) worth(s Skill) float64 {
	switch r {
	case RetireUtilityLog:
		return float64(s.Utility * log2(float64(s.Count)+1))
	case RetireSelectedLog:
		if s.Selected == 0 {
			return math.Inf(-1) // log 0
		}
		return float64(s.Utility * ln(float64(s.Selected))) // any base: it changes no order
	case RetireUtility:
		return s.Utility
	case RetireLeastUsed:
		return float64(s.Count)
	}
	return 0 // RetireOldest: all equal, so age decides
}

// spares says that skills of the step itself stay while there are others: nobody can have used them yet, and a rule
// that counts uses would never let a skill into a full library.
func (r Retirement) spares() bool { return r == RetireSelectedLog || r == RetireLeastUsed }

// retiring are the places of the skills, in birth order, that go at the end of a step, those worth least first.
func (r Rules) retiring(all []Skill, step int) []int {
	excess := len(all) - r.Capacity
	if excess <= 0 {
		return nil
	}
	type candidate struct {
		at     int
		spared int
		worth  float64
	}
	candidates := make([]candidate, len(all))
	for i, s := range all {
		candidates[i] = candidate{at: i, worth: r.Retire.worth(s)}
		if r.Retire.spares() && s.Born == step {
			candidates[i].spared = 1
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.spared, b.spared), cmp.Compare(a.worth, b.worth), cmp.Compare(a.at, b.at))
	})
	places := make([]int, excess)
	for i := range places {
		places[i] = candidates[i].at
	}
	return places
}
