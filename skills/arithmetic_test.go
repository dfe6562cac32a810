package skills

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The logarithm is within two roundings of the correct one (math.Log's is within one), and exact where it can be.
func TestLogarithm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := math.Exp(rng.Float64()*200 - 100)
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 4.5e-16*max(math.Abs(want), 1e-3) {
			t.Fatalf("ln %v: %v, want %v", x, got, want)
		}
	}
	for n := range 1000 {
		if got, want := log2(float64(n+1)), math.Log2(float64(n+1)); math.Abs(got-want) > 1e-14 {
			t.Errorf("log2 %d: %v, want %v", n+1, got, want)
		}
	}
	for e := range 60 {
		if got := log2(math.Ldexp(1, e)); got != float64(e) {
			t.Errorf("log2 of 2^%d: %v", e, got)
		}
	}
	if ln(1) != 0 || ln(math.Exp2(-53)) >= 0 {
		t.Errorf("ln 1 is %v", ln(1))
	}
}

// The frozen bits: nothing, no compiler and no processor, may change them.
func TestFrozenBits(t *testing.T) {
	a, b := make([]float32, 387), make([]float32, 387)
	rng := rand.New(rand.NewPCG(3, 4))
	exact := 0.0
	for i := range a {
		a[i], b[i] = rng.Float32()-.5, rng.Float32()-.5
		exact += float64(a[i]) * float64(b[i])
	}
	got := dot(a, b)
	if math.Abs(float64(got)-exact) > 1e-5 || math.Float32bits(got) != 0x40392f53 {
		t.Errorf("dot %v (bits %#x), exactly %v", got, math.Float32bits(got), exact)
	}
	for x, want := range map[float64]uint64{20: 0x4007f7427b73e391, 3: 0x3ff193ea7aad030a, .3: 0xbff34378fcbda720} {
		if got := math.Float64bits(ln(x)); got != want {
			t.Errorf("ln %v: bits %#x, want %#x", x, got, want)
		}
	}
}

// A product is the sum of eight running sums in pairs, whatever the length.
func TestDotOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 70 {
		a, b := make([]float32, n), make([]float32, n)
		var s [8]float32
		for i := range a {
			a[i], b[i] = rng.Float32(), rng.Float32()
			s[i%8] += float32(a[i] * b[i])
		}
		want := ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
		if got := dot(a, b); got != want {
			t.Errorf("length %d: %v, want %v", n, got, want)
		}
	}
}

// Rule 2 of the published checks: 0.5 moved at 0.05 is 0.525 by a success, 0.475 by a failure, and 1 − 0.5·0.95^k by k
// successes.
func TestMoved(t *testing.T) {
	if got := moved(.5, 1, .05); math.Abs(got-.525) > 1e-16 {
		t.Errorf("one success: %v", got)
	}
	if got := moved(.5, 0, .05); got != .475 {
		t.Errorf("one failure: %v", got)
	}
	u := .5
	for k := 1; k <= 500; k++ {
		u = moved(u, 1, .05)
		if want := 1 - .5*math.Pow(.95, float64(k)); math.Abs(u-want) > 1e-14 || u > 1 {
			t.Fatalf("%d successes: %v, want %v", k, u, want)
		}
	}
	if got := moved(.7, .2, 1); got != .2 {
		t.Errorf("at rate 1: %v, want the target", got)
	}
}

func TestWorth(t *testing.T) {
	for _, c := range []struct {
		rule  Retirement
		skill Skill
		want  float64
	}{
		{RetireUtilityLog, Skill{Utility: .5, Count: 1}, .5},                       // .5·log2 2
		{RetireUtilityLog, Skill{Utility: .9, Count: 2}, 1.4264662506},             // .9·1.5849625
		{RetireUtilityLog, Skill{Utility: .2, Count: 3}, .4},                       // .2·log2 4
		{RetireUtilityLog, Skill{Utility: .25, Count: 3, Selected: 2}, .5},         // selected does not matter
		{RetireUtilityLog, Skill{Utility: 0, Count: 1023}, 0},                      //
		{RetireSelectedLog, Skill{Utility: .75, Count: 9, Selected: 5}, 1.2070784}, // .75·ln 5
		{RetireSelectedLog, Skill{Utility: .75, Count: 9, Selected: 1}, 0},
		{RetireSelectedLog, Skill{Utility: .75, Count: 9}, math.Inf(-1)},
		{RetireSelectedLog, Skill{Utility: 0, Count: 9}, math.Inf(-1)},
		{RetireUtility, Skill{Utility: .7, Count: 9}, .7},
		{RetireLeastUsed, Skill{Utility: .7, Count: 9}, 9},
		{RetireOldest, Skill{Utility: .7, Count: 9}, 0},
	} {
		if got := c.rule.worth(c.skill); got != c.want && !(math.Abs(got-c.want) < 1e-7) {
			t.Errorf("%s of utility %v, count %d, selected %d: %v, want %v", c.rule, c.skill.Utility, c.skill.Count, c.skill.Selected, got, c.want)
		}
	}
}
