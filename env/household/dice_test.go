package household

import (
	"slices"
	"testing"
)

// The numbers are SplitMix64's for the seed 1234567, as published with its reference code.
func TestDiceIsSplitMix64(t *testing.T) {
	d := &dice{state: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := d.next(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestDiceDraws(t *testing.T) {
	d := newDice("test", 1)
	var hits [3]int
	for range 6000 {
		hits[d.weighted([]int{1, 0, 2})]++
	}
	if hits[1] != 0 || hits[0] < 1800 || hits[0] > 2200 {
		t.Errorf("6000 draws with weights 1, 0, 2 fell %v", hits)
	}
	order := d.order(50)
	if slices.IsSorted(order) {
		t.Errorf("50 shuffled numbers are sorted")
	}
	slices.Sort(order)
	for i, n := range order {
		if i != n {
			t.Fatalf("shuffled 0..49 has no %d", i)
		}
	}
	if newDice("a", "b c").next() == newDice("a b", "c").next() {
		t.Errorf("two names give the same dice")
	}
}

func TestCurve(t *testing.T) {
	c := curve{10, 20, 20, 20, 20, 30, 40, 40, 40, 40, 90}
	for _, test := range []struct {
		u    float64
		want int
	}{{0, 10}, {0.05, 15}, {0.5, 30}, {0.55, 35}, {0.95, 65}, {1, 90}, {2, 90}, {-1, 10}} {
		if got := c.at(test.u); got != test.want {
			t.Errorf("at(%v) is %d, want %d", test.u, got, test.want)
		}
	}
}
