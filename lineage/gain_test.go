package lineage_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/lineage"
)

// Differences of 0, 0.5, 0.5 and 1 over ten games (1, 4, 4 and 1 of them): the mean is 0.5, the deviation sqrt(0.5/9) =
// 0.235702, its tenth's root 0.0745356, and the 97.5 % point of nine degrees of freedom 2.262157.
func TestBetween(t *testing.T) {
	before, after := lineage.Shares{}, lineage.Shares{}
	for i, d := range []float64{0, .5, .5, .5, .5, .5, .5, .5, .5, 1} {
		game := string(rune('a' + i))
		before[game] = 0
		after[game] = d
	}
	got, err := lineage.Between(before, after)
	if err != nil {
		t.Fatal(err)
	}
	half := 2.262157 * math.Sqrt(0.5/9/10)
	if got.Games != 10 || math.Abs(got.Mean-0.5) > 1e-12 || math.Abs(got.High-0.5-half) > 1e-4 || math.Abs(0.5-got.Low-half) > 1e-4 {
		t.Errorf("got %+v, want 0.5 ± %v", got, half)
	}
	// Differences of 0 and 1: the error of their mean is 0.5, the point of one degree of freedom 12.706205.
	few, err := lineage.Between(lineage.Shares{"a": 0, "b": 0}, lineage.Shares{"a": 0, "b": 1})
	if err != nil || math.Abs(few.High-0.5-0.5*12.706205) > 1e-4 {
		t.Errorf("two games: %+v, %v", few, err)
	}
	delete(after, "a")
	if _, err := lineage.Between(before, after); err == nil || !strings.Contains(err.Error(), "10 games and 9") {
		t.Errorf("other games: %v", err)
	}
	after["z"] = 1
	if _, err := lineage.Between(before, after); err == nil || !strings.Contains(err.Error(), "game z is in one of them only") {
		t.Errorf("other games: %v", err)
	}
	if _, err := lineage.Between(lineage.Shares{"a": 1}, lineage.Shares{"a": 1}); err == nil || !strings.Contains(err.Error(), "expected two at least") {
		t.Errorf("one game: %v", err)
	}
}

func TestTogether(t *testing.T) {
	got, err := lineage.Together(lineage.Shares{"a": 1, "b": 0}, lineage.Shares{"a": 0.5, "b": 0})
	if err != nil || got["a"] != 0.75 || got["b"] != 0 || got.Mean() != 0.375 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCommon(t *testing.T) {
	one, two := lineage.Shares{"a": 1, "b": 0, "d": 1}, lineage.Shares{"a": 0.5, "c": 0, "d": 0}
	left := lineage.Common(one, two)
	if !slices.Equal(left, []string{"b", "c"}) || !maps.Equal(one, lineage.Shares{"a": 1, "d": 1}) || !maps.Equal(two, lineage.Shares{"a": 0.5, "d": 0}) {
		t.Errorf("left %v, then %v and %v", left, one, two)
	}
	if left := lineage.Common(one, two); left != nil {
		t.Errorf("left %v of the same games", left)
	}
}
