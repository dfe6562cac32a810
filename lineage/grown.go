package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// library compares a skill library with what it came of: the bank that it began with, or the library before it and the
// episodes of its step.
func (a *Auditor) library(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	l, err := activities.ReadLibrary(ctx, a.Store, d)
	if err != nil {
		return err
	}
	var said struct {
		Step    int     `json:"step"`
		Skills  int     `json:"skills"`
		Utility float64 `json:"utility"`
	}
	if len(m.Summary) > 0 {
		if err := json.Unmarshal(m.Summary, &said); err != nil {
			return fmt.Errorf("its summary: %w", err)
		}
		has := said
		has.Step, has.Skills, has.Utility = l.Step(), l.Len(), l.MeanUtility()
		if err := differs("its summary", said, has); err != nil {
			return err
		}
	}
	if from := inputOf(m, LibraryRole); from != "" {
		return a.grown(ctx, from, d, l, m)
	}
	return a.begun(ctx, d, m)
}

// grown makes the changes of a step again from its episodes, and the library from them. Vectors of those born are the
// encoder's, and taken as they are stored.
func (a *Auditor) grown(ctx context.Context, from, d artifacts.Digest, after *skills.Library, m *artifacts.Manifest) error {
	var params activities.LibraryParameters
	if err := json.Unmarshal(m.Parameters, &params); err != nil {
		return fmt.Errorf("its parameters: %w", err)
	}
	before, err := activities.ReadLibrary(ctx, a.Store, from)
	if err != nil {
		return err
	}
	if err := differs("its parameters", params.Rules, before.Rules()); err != nil {
		return err
	}
	var files skills.ChangeFiles
	if files.Changes, err = a.output(ctx, m, skills.ChangesName); err != nil {
		return err
	}
	if files.Born, err = a.output(ctx, m, skills.BornName); err != nil {
		return err
	}
	said, err := skills.DecodeChanges(files)
	if err != nil {
		return err
	}
	lived, err := a.lived(ctx, m, activities.Lived{Purpose: purposeTrain, Step: before.Step() + 1, Trajectories: params.Trajectories}, said)
	if err != nil {
		return err
	}
	changes, err := before.Next(lived)
	if err != nil {
		if id := unborn(lived); id != "" {
			err = fmt.Errorf("%s has no birth of the skill that episode %s gives: %w", skills.ChangesName, id, err)
		}
		return fmt.Errorf("its episodes: %w", err)
	}
	again, err := changes.Encode()
	if err != nil {
		return err
	}
	if err := otherLine(files.Changes, again.Changes); err != nil {
		return err
	}
	next, err := before.Apply(said)
	if err != nil {
		return err
	}
	got, err := next.Digest()
	if err != nil {
		return err
	}
	want, err := after.Digest()
	if err == nil && got != want {
		err = fmt.Errorf("its changes make the library %s of the one before it, it is %s", got, want)
	}
	return err
}

// otherLine is the first line in which two files of changes differ.
func otherLine(said, again []byte) error {
	if bytes.Equal(said, again) {
		return nil
	}
	a, b := bytes.Split(said, []byte("\n")), bytes.Split(again, []byte("\n"))
	at := func(lines [][]byte, i int) []byte {
		if i < len(lines) {
			return lines[i]
		}
		return nil
	}
	for i := 1; i < max(len(a), len(b)); i++ { // behind the header, which counts them
		if x, y := at(a, i), at(b, i); !bytes.Equal(x, y) {
			return fmt.Errorf("%s line %d: it says %.300s, its episodes come to %.300s", skills.ChangesName, i+1, x, y)
		}
	}
	return fmt.Errorf("%s line 1: it says %.300s, its episodes come to %.300s", skills.ChangesName, a[0], b[0])
}

// lived is what a step's episodes did with their library, with the vectors that changes have.
func (a *Auditor) lived(ctx context.Context, m *artifacts.Manifest, from activities.Lived, said skills.Changes) ([]skills.Episode, error) {
	for _, out := range m.Outputs {
		if out.Name == activities.EpisodesFile {
			from.Source = out.Digest
		}
	}
	vectors := map[skills.ID][]float32{}
	for _, c := range said.List {
		switch c := c.(type) {
		case *skills.Born:
			vectors[c.Skill.ID] = c.Vector
		case *skills.Merged:
			vectors[c.Skill.ID] = c.Vector
		}
	}
	var all []skills.Episode
	task, last := -1, rollout.Episode{}
	err := a.episodes(ctx, m, func(e episode) error {
		if task < 0 || last.Game != e.Game || e.Rollout <= last.Rollout {
			task++
		}
		last.Game, last.Rollout = e.Game, e.Rollout
		one := from.Episode(task, e.Episode)
		for i, b := range one.Births {
			one.Births[i].Vector = vectors[skills.NewID(b.Episode, b.Source, b.Head, b.Strategy)]
		}
		all = append(all, one)
		return nil
	})
	return all, err
}

// unborn is the first episode that gives a skill of which the changes say nothing, "" for none.
func unborn(lived []skills.Episode) string {
	for _, e := range lived {
		for _, b := range e.Births {
			if b.Vector == nil {
				return b.Episode
			}
		}
	}
	return ""
}
