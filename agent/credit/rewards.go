package credit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// leastIdeal is the ideal gain below which a ranking is worth nothing, as in Skill1's released code: utilities of 0
// tell no order from another.
const leastIdeal = 1e-8

// NDCG is the reward of a ranking (Skill1, eq. 6): the discounted cumulative gain of the candidates' utilities in the
// order given, over that of the best order. The gain is linear, as in the released code. order has the candidates' places,
// from 0, the first choice first; nil is an answer that could not be read. 0 for that, for fewer than two candidates,
// and where the best order gains less than 1e-8. Utilities that are close to each other give close to 1 for every order.
func NDCG(utilities []float64, order []int) (float64, error) {
	if order == nil || len(utilities) < 2 {
		return 0, nil
	}
	if err := permutation(order, len(utilities)); err != nil {
		return 0, fmt.Errorf("ranking: %w", err)
	}
	chosen := make([]float64, len(order))
	for i, j := range order {
		if chosen[i] = utilities[j]; !finite(chosen[i]) {
			return 0, fmt.Errorf("ranking: utility %v of candidate %d", chosen[i], j)
		}
	}
	best := slices.Clone(chosen)
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	if ideal := gain(best); ideal >= leastIdeal {
		return gain(chosen) / ideal, nil
	}
	return 0, nil
}

func gain(utilities []float64) (sum float64) {
	for i, u := range utilities {
		sum += u / math.Log2(float64(i+2))
	}
	return sum
}

func permutation(order []int, n int) error {
	seen := make([]bool, n)
	for _, j := range order {
		if j < 0 || j >= n || seen[j] {
			return fmt.Errorf("order %v of %d candidates: expected each of 0 to %d once", order, n, n-1)
		}
		seen[j] = true
	}
	if len(order) != n {
		return fmt.Errorf("order %v of %d candidates: expected all of them", order, n)
	}
	return nil
}

// Expect is how the utilities of the retrieved skills make one expectation Û.
type Expect string

// The ways: Skill1's paper and scripts take the largest.
const (
	ByMax  Expect = "max"
	ByMean Expect = "mean"
)

// Expected is Û (Skill1, before eq. 6): what the retrieved skills promise. utilities are those at retrieval, before this
// step's update. 0 where nothing was retrieved, as in the released code.
func Expected(utilities []float64, by Expect) (float64, error) {
	for i, u := range utilities {
		if !finite(u) {
			return 0, fmt.Errorf("expected success: utility %v of skill %d", u, i)
		}
	}
	switch {
	case by != ByMax && by != ByMean:
		return 0, fmt.Errorf("expected success by %q: expected max or mean", by)
	case len(utilities) == 0:
		return 0, nil
	case by == ByMax:
		return slices.Max(utilities), nil
	}
	return mean(utilities), nil
}

// DistilReward is r - Û (Skill1, eq. 7; first_order_diff in the released code): a lesson is worth what its episode did
// beyond what the library promised. r is 1 or 0. Where nothing was retrieved Û is 0, so it is r.
func DistilReward(won bool, utilities []float64, by Expect) (float64, error) {
	expected, err := Expected(utilities, by)
	return indicator(won) - expected, err
}

// Reflection rewards a lesson whose own verdict on the episode was right (RetroAgent's R_reflect; self_assess in
// Skill1's released code). reward is 10 in both codes; RetroAgent's paper has the episode's own reward, so that a lost
// episode gives none either way. An answer that could not be read is no verdict.
func Reflection(reward float64, read, predicted, won bool) float64 {
	if read && predicted == won {
		return reward
	}
	return 0
}

// Intrinsic is RetroAgent's bonus for a group: max(0, φ - Φ) for each episode, by the share φ of subtasks that it
// reports done, and Φ after them: the running maximum of the group's success rate. A won episode's φ is 1, as in the
// code. The bonus is taken against Φ from before the group. Config.Intrinsic has it join the win.
func Intrinsic(shares []float64, won []bool, before float64) (bonus []float64, after float64, err error) {
	if len(shares) != len(won) {
		return nil, 0, fmt.Errorf("intrinsic reward: %d shares of %d episodes", len(shares), len(won))
	}
	bonus = make([]float64, len(shares))
	wins := 0
	for i, share := range shares {
		if won[i] {
			share, wins = 1, wins+1
		}
		if !(share >= 0 && share <= 1) {
			return nil, 0, fmt.Errorf("intrinsic reward: share %v of episode %d: expected 0 to 1", share, i)
		}
		bonus[i] = max(0, share-before)
	}
	if len(won) > 0 {
		after = float64(wins) / float64(len(won))
	}
	return bonus, max(before, after), nil
}

// Contrastive is the query's reward in a group of which a part played without the library: the win rate with it less
// the win rate without. A part that is empty counts 0, so where all play with the library it is the group's success.
func Contrastive(won, library []bool) (float64, error) {
	if len(won) != len(library) {
		return 0, fmt.Errorf("contrastive reward: %d outcomes of %d episodes", len(won), len(library))
	}
	var wins, plays [2]float64
	for i := range won {
		side := int(indicator(library[i]))
		plays[side]++
		wins[side] += indicator(won[i])
	}
	for side := range wins {
		if plays[side] > 0 {
			wins[side] /= plays[side]
		}
	}
	return wins[1] - wins[0], nil
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
