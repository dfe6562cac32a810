package skills_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/skills"
)

// large is a full library of all-MiniLM-L6-v2's dimension. Keys lie around a common direction, as texts about one kind
// of game do: about half of them are above the floor.
func large(b *testing.B, n int) (*skills.Library, []float32) {
	const dimension = 384
	rng := rand.New(rand.NewPCG(1, 1))
	vector := func() []float32 {
		v := make([]float32, dimension)
		square := 0.0
		for i := range v {
			x := rng.NormFloat64() + .8*float64(i%2)
			v[i] = float32(x)
			square += x * x
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(square))
		}
		return v
	}
	bank := make([]skills.Entry, n)
	for i := range bank {
		bank[i] = entry(fmt.Sprint(i), 0, rng.Float64(), 1+rng.IntN(50))
		bank[i].Vector = vector()
	}
	l, err := skills.New(skills.Rules{}, dimension, bank...)
	if err != nil {
		b.Fatal(err)
	}
	return l, vector()
}

// BenchmarkRetrieve is one query on one core: below 1 ms. cpu-ns/op is the process's processor time, the figure to read
// on a machine that has other work.
func BenchmarkRetrieve(b *testing.B) {
	for _, n := range []int{500, 5000} {
		l, query := large(b, n)
		for _, mode := range []skills.Mode{skills.ModeUCB, skills.ModeGreedy, skills.ModeRelevance, skills.ModeSoftmax} {
			b.Run(fmt.Sprintf("%s/%d", mode, n), func(b *testing.B) {
				floor := .2
				begun := cpu()
				for b.Loop() {
					picks, err := l.Retrieve(skills.Query{Vector: query, Seed: 1}, skills.Retrieval{Mode: mode, Floor: &floor})
					if err != nil || len(picks) != 5 {
						b.Fatalf("%d picks, %v", len(picks), err)
					}
				}
				b.ReportMetric(float64(cpu()-begun)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// BenchmarkNext is a step of 128 episodes on a full library: the changes, and the library after them.
func BenchmarkNext(b *testing.B) {
	l, query := large(b, 5000)
	picks, err := l.Retrieve(skills.Query{Vector: query}, skills.Retrieval{})
	if err != nil {
		b.Fatal(err)
	}
	var episodes []skills.Episode
	for i := range 128 {
		e := skills.Episode{Place: skills.Place{Task: i / 8, Rollout: i % 8}, Target: float64(i % 2)}
		for _, p := range picks {
			e.Retrieved = append(e.Retrieved, p.Skill.ID)
		}
		born := birth(fmt.Sprint("new", i), 0)
		born.Vector = query
		e.Births = []skills.Birth{born}
		episodes = append(episodes, e)
	}
	begun := cpu()
	for b.Loop() {
		c, err := l.Next(episodes)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Apply(c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu()-begun)/float64(b.N), "cpu-ns/op")
}

func cpu() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
