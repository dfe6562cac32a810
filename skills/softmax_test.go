package skills_test

import (
	"math"
	"testing"

	"github.com/hone-rl/hone/skills"
)

// Utilities 0.9, 0.5, 0.1 at temperature 0.5: e^1.8, e^1, e^0.2 of 9.989332. Draws without replacement: the second is
// drawn from the two that are left.
func TestSoftmax(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .9, 1), entry("B", .8, .5, 1), entry("C", .8, .1, 1))
	p := map[string]float64{"A": .605611, "B": .272118, "C": .122271}
	for _, c := range []struct {
		name string
		k    int
		want map[string]float64
	}{
		{"one", 1, p},
		{"two", 2, map[string]float64{
			"AB": p["A"] * p["B"] / (1 - p["A"]), "AC": p["A"] * p["C"] / (1 - p["A"]), "BA": p["B"] * p["A"] / (1 - p["B"]),
			"BC": p["B"] * p["C"] / (1 - p["B"]), "CA": p["C"] * p["A"] / (1 - p["C"]), "CB": p["C"] * p["B"] / (1 - p["C"]),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 20000
			counts := map[string]int{}
			for seed := range uint64(n) {
				picks, err := l.Retrieve(skills.Query{Vector: east, Seed: seed}, skills.Retrieval{Mode: skills.ModeSoftmax, Weight: new(0.0), TopK: c.k})
				if err != nil {
					t.Fatal(err)
				}
				counts[picked(picks)]++
			}
			if len(counts) != len(c.want) {
				t.Errorf("drawn %v, want %d kinds", counts, len(c.want))
			}
			for kind, p := range c.want {
				if got, sd := float64(counts[kind])/n, math.Sqrt(p*(1-p)/n); math.Abs(got-p) > 3.5*sd {
					t.Errorf("%s: share %.4f, want %.4f ± %.4f", kind, got, p, sd)
				}
			}
		})
	}
}

func TestSoftmaxTemperature(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .8, .9, 1), entry("B", .8, .5, 1))
	for _, c := range []struct {
		temperature, want float64 // of A: 1/(1 + e^(−0.4/T))
	}{{.01, 1}, {1, .598688}, {100, .501}} {
		const n = 10000
		first := 0.0
		for seed := range uint64(n) {
			picks, err := l.Retrieve(skills.Query{Vector: east, Seed: seed}, skills.Retrieval{Mode: skills.ModeSoftmax, Weight: new(0.0), TopK: 1, Temperature: c.temperature})
			if err != nil {
				t.Fatal(err)
			}
			if picked(picks) == "A" {
				first++
			}
		}
		if math.Abs(first/n-c.want) > 3.5*math.Sqrt(c.want*(1-c.want)/n) {
			t.Errorf("temperature %v: A in %.4f, want %.4f", c.temperature, first/n, c.want)
		}
	}
}

// A retry draws the same. The draw is a frozen one: it may not change between machines or versions.
func TestSoftmaxRepeats(t *testing.T) {
	var bank []skills.Entry
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		bank = append(bank, entry(name, .8, .5, 1))
	}
	l := library(t, skills.Rules{}, bank...)
	for seed, want := range map[uint64]string{1: softmaxOf1, 2: softmaxOf2} {
		for range 2 {
			picks, err := l.Retrieve(skills.Query{Vector: east, Seed: seed}, skills.Retrieval{Mode: skills.ModeSoftmax, TopK: 4})
			if err != nil || picked(picks) != want {
				t.Errorf("seed %d: picked %s, %v, want %s", seed, picked(picks), err, want)
			}
		}
	}
}

const (
	softmaxOf1 = "GCEA"
	softmaxOf2 = "BFAH"
)
