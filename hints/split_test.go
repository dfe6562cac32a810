package hints_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/hints"
)

func refs(family string, n int) []hints.Ref {
	all := make([]hints.Ref, n)
	for i := range all {
		all[i] = hints.Ref{Game: fmt.Sprintf("train/%s/%d", family, i), Family: family}
	}
	return all
}

// ALFWorld's training games: 5.5 % of each family, half up. 308 look games are 16.94, 533 cool ones 29.315.
func TestSplitSizes(t *testing.T) {
	for _, c := range []struct{ games, perMille, want int }{
		{790, 0, 43},
		{308, 0, 17},
		{650, 0, 36},
		{459, 0, 25},
		{533, 0, 29},
		{813, 0, 45},
		{100, 55, 6}, // 5.5
		{9, 55, 0},   // 0.495, and too few to insist on one
		{10, 55, 1},
		{10, 1, 1}, // ten have one
		{20, 500, 10},
		{1, 1000, 1},
		{0, 55, 0},
	} {
		got, err := hints.Split(hints.SplitConfig{Seed: 1, PerMille: c.perMille}, refs("f", c.games))
		if err != nil || len(got) != c.want {
			t.Errorf("%d games, %d per mille: %d drawn, %v, want %d", c.games, c.perMille, len(got), err, c.want)
		}
	}
}

// The draw is by family, a function of seed and ids whatever the order, and not the same for another seed.
func TestSplitDraw(t *testing.T) {
	games := append(refs("look", 40), refs("pick", 80)...)
	got, err := hints.Split(hints.SplitConfig{Seed: 7}, games)
	if err != nil {
		t.Fatal(err)
	}
	reversed := slices.Clone(games)
	slices.Reverse(reversed)
	if again, err := hints.Split(hints.SplitConfig{Seed: 7}, reversed); err != nil || !slices.Equal(got, again) {
		t.Errorf("in another order %q, %v, want %q", again, err, got)
	}
	if other, err := hints.Split(hints.SplitConfig{Seed: 8}, games); err != nil || slices.Equal(got, other) {
		t.Errorf("with another seed %q, %v", other, err)
	}
	// 40 games are 2.2, 80 are 4.4: the two and the four with the lowest sha256, found here by counting.
	var want []string
	for _, part := range [][]hints.Ref{games[:40], games[40:]} {
		for _, g := range part {
			lower := 0
			for _, h := range part {
				if key(7, h.Game) < key(7, g.Game) {
					lower++
				}
			}
			if lower < len(part)/20 {
				want = append(want, g.Game)
			}
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(slices.DeleteFunc(slices.Clone(got), func(id string) bool { return strings.Contains(id, "pick") })); n != 2 {
		t.Errorf("%d look games drawn, want 2", n)
	}
}

func key(seed int, id string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "hone split/1\x00%d\x00%s", seed, id))
	return string(sum[:])
}

func TestSplitRefuses(t *testing.T) {
	twice := append(refs("f", 3), refs("f", 1)...)
	if _, err := hints.Split(hints.SplitConfig{}, twice); err == nil || !strings.Contains(err.Error(), "train/f/0 is there twice") {
		t.Errorf("error %v", err)
	}
	for _, share := range []int{-1, 1001} {
		if _, err := hints.Split(hints.SplitConfig{PerMille: share}, nil); err == nil {
			t.Errorf("a share of %d is accepted", share)
		}
	}
}
