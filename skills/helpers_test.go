package skills_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

var source = artifacts.Of([]byte("episode"))

// at is a vector in the plane whose cosine with (1, 0) is rel.
func at(rel float64) []float32 {
	return []float32{float32(rel), float32(math.Sqrt(1 - rel*rel))}
}

var east = []float32{1, 0}

// entry is a skill of a bank with the figures given; its id follows from name.
func entry(name string, rel, utility float64, count int) skills.Entry {
	s := skills.Skill{
		Task: "task of " + name, Head: "when " + name, Strategy: "do " + name, Episode: "episode/" + name, Source: source,
		Outcome: skills.Success, Utility: utility, Count: count,
	}
	return skills.Entry{Skill: named(s), Vector: at(rel)}
}

func named(s skills.Skill) skills.Skill {
	s.ID = skills.NewID(s.Episode, s.Source, s.Head, s.Strategy)
	return s
}

func idOf(name string) skills.ID {
	return skills.NewID("episode/"+name, source, "when "+name, "do "+name)
}

// birth is a skill that enters as entry(name, rel, 0.5, 1) would stand there.
func birth(name string, rel float64) skills.Birth {
	return skills.Birth{
		Task: "task of " + name, Head: "when " + name, Strategy: "do " + name, Episode: "episode/" + name, Source: source,
		Outcome: skills.Success, Vector: at(rel),
	}
}

func library(t testing.TB, rules skills.Rules, bank ...skills.Entry) *skills.Library {
	t.Helper()
	l, err := skills.New(rules, 2, bank...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// take is the library after a step of these episodes, each at its own place unless it has one.
func take(t testing.TB, l *skills.Library, episodes ...skills.Episode) (*skills.Library, skills.Changes) {
	t.Helper()
	for i := range episodes {
		if episodes[i].Place == (skills.Place{}) {
			episodes[i].Task = i
		}
	}
	c, err := l.Next(episodes)
	if err != nil {
		t.Fatal(err)
	}
	next, err := l.Apply(c)
	if err != nil {
		t.Fatal(err)
	}
	return next, c
}

// names are the skills of a library by the name that their texts hold.
func names(l *skills.Library) string { return namesOf(l.Skills()...) }

func namesOf(all ...skills.Skill) string {
	text := ""
	for _, s := range all {
		var name string
		_, _ = fmt.Sscanf(s.Episode, "episode/%s", &name)
		text += name
	}
	return text
}

func picked(picks []skills.Pick) string {
	var all []skills.Skill
	for _, p := range picks {
		all = append(all, p.Skill)
	}
	return namesOf(all...)
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-7 }
