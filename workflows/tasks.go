package workflows

import (
	"cmp"
	"slices"
)

// Tasks are the places of the games, of n in all, that a step plays, count of them or, of fewer, all: a function of the
// seed and the step, from 1. In each epoch every game is played once, in an order of its own. A step that an epoch ends in
// is filled up from the next one, with games that the step has not: those wait for the step after.
func Tasks(seed uint64, step, n, count int) []int {
	count = min(count, n)
	var line []int // from the step's first game on
	for epoch, at := 0, 1; ; at++ {
		for len(line) < count {
			line = behind(line, order(seed, epoch, n), count)
			epoch++
		}
		if at == step {
			return slices.Clone(line[:count])
		}
		line = line[count:]
	}
}

// behind puts an epoch's games behind what is left of the epoch before, so that the first count have none twice.
func behind(left, games []int, count int) []int {
	line := slices.Clone(left)
	var wait []int
	for i, game := range games {
		if len(line) == count {
			return slices.Concat(line, wait, games[i:])
		}
		if slices.Contains(left, game) {
			wait = append(wait, game)
		} else {
			line = append(line, game)
		}
	}
	return append(line, wait...)
}

// order is an epoch's order of n games: by a number that seed, epoch and place give.
func order(seed uint64, epoch, n int) []int {
	keys, games := make([]uint64, n), make([]int, n)
	base := mix(mix(seed) + uint64(epoch))
	for i := range n {
		keys[i], games[i] = mix(base+uint64(i)), i
	}
	slices.SortFunc(games, func(a, b int) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
	return games
}

// mix is SplitMix64's step (Steele, Lea and Flood 2014): numbers that follow each other come out far apart.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
