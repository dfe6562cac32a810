package lineagetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/grpo"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// Training is a training of five steps over Libraries' library: of step k, of eight episodes, k are won; its policy moves
// by 0.001·k of KL, in two optimiser steps of 30 and 10 tokens, the first 0.0004 below the mean and the second above.
type Training struct {
	Start     artifacts.Digest
	Libraries []artifacts.Digest // by step, from 0
	Updates   []artifacts.Digest // by step, from 1
}

// StoreTraining stores one of so many steps.
func StoreTraining(t testing.TB, store artifacts.Store, steps int) *Training {
	t.Helper()
	all := &Training{Libraries: Libraries(t, store)[:steps+1]}
	all.Start = Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}")})
	before := all.Start
	for k := 1; k <= steps; k++ {
		kl := .001 * float64(k)
		report := &learn.Report{Steps: []learn.StepReport{
			{Numbers: grpo.Numbers{Tokens: 30, KL: kl - .0004, Entropy: 1.5}}, {Numbers: grpo.Numbers{Tokens: 10, KL: kl + .0012, Entropy: 1.1}},
		}}
		l, err := activities.ReadLibrary(t.Context(), store, all.Libraries[k])
		if err != nil {
			t.Fatal(err)
		}
		figures := &learn.Figures{Episodes: 8, Won: k, After: &learn.LibraryFigures{Skills: l.Len(), Utility: l.MeanUtility()}}
		before = StoreSummed(t, store, artifacts.KindUpdate, encode(t, map[string]int{"step": k}), []artifacts.Input{
			{Role: "policy", Digest: before},
			{Role: "start", Digest: all.Start},
			{Role: "library", Digest: all.Libraries[k-1]},
			{Role: "learned", Digest: all.Libraries[k]},
		}, map[string][]byte{
			activities.EpisodesFile: Episodes(t, k, 8),
			activities.UpdateFile:   encode(t, activities.UpdateFigures{Step: k, Figures: figures, Report: report}),
		})
		all.Updates = append(all.Updates, before)
	}
	return all
}

// Episodes are so many, of which the first won.
func Episodes(t testing.TB, won, count int) []byte {
	t.Helper()
	var lines []byte
	for i := range count {
		e := rollout.Episode{Rollout: i, Said: []rollout.Said{}, Trajectory: agent.Trajectory{Free: true, Game: "g", Steps: []agent.Step{}}}
		e.Outcome.Won = i < won
		lines = append(append(lines, encode(t, e)...), '\n')
	}
	return lines
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Name gives the updates their names below a stage's key.
func (a *Training) Name(t testing.TB, store artifacts.Store, key artifacts.Digest) {
	t.Helper()
	for i, d := range a.Updates {
		Name(t, store, activities.UpdateName(key, i+1), d)
	}
}

// Spec is the spec of OpenRun's runs.
const Spec = `{"name":"skill1","games":{"household":{"seed":3,"train":12,"valid_unseen":6}}}`

// OpenRun names the spec of a run, as it is when it has been opened.
func OpenRun(t testing.TB, store artifacts.Store, run string) {
	t.Helper()
	d, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindRun, Producer: Producer, Parameters: json.RawMessage(Spec),
	})
	if err != nil {
		t.Fatal(err)
	}
	Name(t, store, activities.RunName(run, "spec"), d.Digest)
}

// Name gives an artifact a name.
func Name(t testing.TB, store artifacts.Store, name string, d artifacts.Digest) {
	t.Helper()
	if err := store.Name(t.Context(), name, d); err != nil {
		t.Fatal(err)
	}
}

// Play stores the episodes of a panel as they end, the first of them won.
func Play(t testing.TB, store artifacts.Store, key artifacts.Digest, purpose string, step, won, count int) {
	t.Helper()
	i := 0
	for line := range strings.Lines(string(Episodes(t, won, count))) {
		d, err := artifacts.PutBytes(t.Context(), store, "", []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		Name(t, store, fmt.Sprintf("%s%06d-%04d", activities.EpisodePrefix(key, purpose, step), i, 0), d.Digest)
		i++
	}
}

// Outcome stores what the training came to, with these validations, each with as many episodes as it says.
func (a *Training) Outcome(t testing.TB, store artifacts.Store, plays ...activities.Validation) artifacts.Digest {
	t.Helper()
	var steps, validations []byte
	for i, d := range a.Updates {
		m, err := artifacts.GetManifest(t.Context(), store, d)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(m.Outputs, func(out artifacts.Output) bool { return out.Name == activities.UpdateFile })
		raw, err := artifacts.ReadAll(t.Context(), store, m.Outputs[at].Digest, m.Outputs[at].Size)
		if err != nil {
			t.Fatal(err)
		}
		line := activities.StepLine{Policy: d, Library: a.Libraries[i]}
		if err := json.Unmarshal(raw, &line.UpdateFigures); err != nil {
			t.Fatal(err)
		}
		steps = append(append(steps, encode(t, line)...), '\n')
	}
	for _, v := range plays {
		line := activities.ValidationLine{Validation: v, Digest: Store(t, store, artifacts.KindRollouts,
			[]artifacts.Input{{Role: "games", Digest: Source}}, map[string][]byte{activities.EpisodesFile: Episodes(t, v.Won, v.Count)})}
		validations = append(append(validations, encode(t, line)...), '\n')
	}
	last := len(a.Updates)
	return Store(t, store, artifacts.KindPolicy, []artifacts.Input{
		{Role: "policy", Digest: a.Updates[last-1]}, {Role: "start", Digest: a.Start}, {Role: "library", Digest: a.Libraries[last]},
	}, map[string][]byte{activities.StepsFile: steps, activities.ValidationsFile: validations})
}
