// Package lineagetest stores what a run of GRPO leaves, small and by hand, for tests of what is told of it.
package lineagetest

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// Producer is that of all that is stored here.
var Producer = artifacts.Producer{Name: "hone", Version: "test"}

// Source is what all episodes are said to stand in.
var Source = artifacts.Of([]byte("episodes"))

// ID is the skill that the episode of that name gives birth to.
func ID(name string) skills.ID {
	return skills.NewID("episode/"+name, Source, "when "+name, "do "+name)
}

// Birth is that skill; rel is the cosine of its key with (1, 0).
func Birth(name string, rel float64) skills.Birth {
	return skills.Birth{
		Task: "task of " + name, Head: "when " + name, Strategy: "do " + name, Episode: "episode/" + name, Source: Source,
		Outcome: skills.Success, Vector: []float32{float32(rel), float32(math.Sqrt(1 - rel*rel))},
	}
}

// Twin is the skill that merges into D.
const Twin = "T"

// TwinID is its id, had it not merged.
var TwinID = skills.NewID("episode/T", Source, "when T", "do D")

// Libraries stores a library of at most two skills and what five steps make of it: D is born; D is retrieved twice; F is
// born; a twin of D's merges into it; E is born and D, the oldest, retires. It returns the snapshots from step 0 on.
func Libraries(t testing.TB, store artifacts.Store) []artifacts.Digest {
	t.Helper()
	twin := Birth(Twin, .95)
	twin.Strategy = "do D"
	d := ID("D")
	l, err := skills.New(skills.Rules{Capacity: 2, Rate: .5, Retire: skills.RetireOldest}, 2)
	if err != nil {
		t.Fatal(err)
	}
	all := []artifacts.Digest{StoreLibrary(t, store, l, nil, "")}
	for _, episodes := range [][]skills.Episode{
		{{Place: skills.Place{Task: 1, Rollout: 2}, Births: []skills.Birth{Birth("D", .9)}}},
		{{Retrieved: []skills.ID{d}, Selected: d, Target: 1}, {Place: skills.Place{Rollout: 1}, Retrieved: []skills.ID{d}}},
		{{Births: []skills.Birth{Birth("F", -.5)}}},
		{{Births: []skills.Birth{twin}}},
		{{Births: []skills.Birth{Birth("E", .1)}}},
	} {
		c, err := l.Next(episodes)
		if err != nil {
			t.Fatal(err)
		}
		if l, err = l.Apply(c); err != nil {
			t.Fatal(err)
		}
		all = append(all, StoreLibrary(t, store, l, &c, all[len(all)-1]))
	}
	return all
}

// StoreLibrary stores a snapshot as the activity does that learns skills; c and before are nil and "" of one that begins.
func StoreLibrary(t testing.TB, store artifacts.Store, l *skills.Library, c *skills.Changes, before artifacts.Digest) artifacts.Digest {
	t.Helper()
	snapshot, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{skills.SkillsName: snapshot.Skills, skills.VectorsName: snapshot.Vectors}
	inputs := []artifacts.Input{}
	if c != nil {
		changed, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		files[skills.ChangesName], files[skills.BornName] = changed.Changes, changed.Born
		inputs = append(inputs, artifacts.Input{Role: "library", Digest: before})
	}
	return Store(t, store, artifacts.KindSkills, inputs, files)
}

// Store stores an artifact of these files.
func Store(t testing.TB, store artifacts.Store, kind artifacts.Kind, inputs []artifacts.Input, files map[string][]byte) artifacts.Digest {
	t.Helper()
	return StoreSummed(t, store, kind, nil, inputs, files)
}

// StoreSummed stores one with a summary.
func StoreSummed(t testing.TB, store artifacts.Store, kind artifacts.Kind, summary json.RawMessage, inputs []artifacts.Input, files map[string][]byte) artifacts.Digest {
	t.Helper()
	m := artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: kind, Producer: Producer, Inputs: inputs,
		Parameters: json.RawMessage("{}"), Summary: summary,
	}
	for name, data := range files {
		d, err := artifacts.PutBytes(t.Context(), store, artifacts.MediaTypeOf(name), data)
		if err != nil {
			t.Fatal(err)
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: name, Descriptor: d})
	}
	d, err := artifacts.PutManifest(t.Context(), store, m)
	if err != nil {
		t.Fatal(err)
	}
	return d.Digest
}
