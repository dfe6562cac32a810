package lineage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// LibraryRole is the role of the skill library among an artifact's inputs: of the one before a snapshot, of the one that a
// step's episodes saw, of a run's last.
const LibraryRole = "library"

// ErrBroken is in the error of a chain of skill libraries that does not lead back to one that begins.
var ErrBroken = errors.New("the chain of skill libraries is broken")

// Libraries are the snapshots of a skill library, from the one that it began with, step 0, to the one asked for. Of each
// no more is kept than where its files are: what is told of the chain is told with one step's changes in memory at a time.
type Libraries struct {
	store     artifacts.Store
	snapshots []snapshot // by step
}

// snapshot is a stored library.
type snapshot struct {
	digest  artifacts.Digest // of its manifest
	skills  artifacts.Digest // of skills.jsonl: what changes know a library by
	changes artifacts.Descriptor
	born    artifacts.Descriptor
}

// OpenLibraries walks from the snapshot d back to the first.
func OpenLibraries(ctx context.Context, store artifacts.Store, d artifacts.Digest) (*Libraries, error) {
	l := &Libraries{store: store}
	for from := ""; d != ""; {
		m, err := artifacts.GetManifest(ctx, store, d)
		switch {
		case err != nil && from != "":
			return nil, fmt.Errorf("%w: library %s, which %s names as the one before it: %w", ErrBroken, d, from, err)
		case err != nil:
			return nil, fmt.Errorf("skill library %s: %w", d, err)
		case m.Kind != artifacts.KindSkills && from != "":
			return nil, fmt.Errorf("%w: %s, which %s names as the one before it, is of kind %s", ErrBroken, d, from, m.Kind)
		case m.Kind != artifacts.KindSkills:
			return nil, fmt.Errorf("artifact %s is of kind %s, expected a skill library", d, m.Kind)
		}
		one, before, err := snapshotOf(d, m)
		if err != nil {
			return nil, fmt.Errorf("%w: library %s: %w", ErrBroken, d, err)
		}
		l.snapshots = append(l.snapshots, one)
		from, d = string(d), before
	}
	slices.Reverse(l.snapshots)
	return l, nil
}

// snapshotOf is what a manifest says of its library, and the one before it, "" of one that begins.
func snapshotOf(d artifacts.Digest, m *artifacts.Manifest) (s snapshot, before artifacts.Digest, err error) {
	s.digest = d
	for _, in := range m.Inputs {
		if in.Role == LibraryRole && before != "" {
			return s, "", errors.New("it names two libraries before it")
		}
		if in.Role == LibraryRole {
			before = in.Digest
		}
	}
	for _, out := range m.Outputs {
		switch out.Name {
		case skills.SkillsName:
			s.skills = out.Digest
		case skills.ChangesName:
			s.changes = out.Descriptor
		case skills.BornName:
			s.born = out.Descriptor
		}
	}
	switch {
	case s.skills == "":
		err = fmt.Errorf("it has no %s", skills.SkillsName)
	case before == "" && s.changes.Digest != "":
		err = fmt.Errorf("it has %s and names no library before it", skills.ChangesName)
	case before != "" && (s.changes.Digest == "" || s.born.Digest == ""):
		err = fmt.Errorf("it names a library before it and lacks %s or %s", skills.ChangesName, skills.BornName)
	}
	return s, before, err
}

// Step is that of the last snapshot.
func (l *Libraries) Step() int { return len(l.snapshots) - 1 }

// Digest is the last snapshot's.
func (l *Libraries) Digest() artifacts.Digest { return l.snapshots[l.Step()].digest }

// At is the chain up to an earlier step.
func (l *Libraries) At(step int) (*Libraries, error) {
	if step < 0 || step > l.Step() {
		return nil, fmt.Errorf("step %d: expected 0 to %d, the step of library %s", step, l.Step(), l.Digest())
	}
	return &Libraries{store: l.store, snapshots: l.snapshots[:step+1]}, nil
}

// Last reads the last snapshot.
func (l *Libraries) Last(ctx context.Context) (*skills.Library, error) { return l.read(ctx, l.Step()) }

// read reads the snapshot of a step.
func (l *Libraries) read(ctx context.Context, step int) (*skills.Library, error) {
	d := l.snapshots[step].digest
	library, err := activities.ReadLibrary(ctx, l.store, d)
	if err == nil && library.Step() != step {
		err = fmt.Errorf("%w: library %s is of step %d, and %d libraries stand before it", ErrBroken, d, library.Step(), step)
	}
	return library, err
}

// changes reads the changes of a step, and holds them against the snapshots on both sides of it.
func (l *Libraries) changes(ctx context.Context, step int) (c skills.Changes, err error) {
	before, after := l.snapshots[step-1], l.snapshots[step]
	var files skills.ChangeFiles
	for _, f := range []struct {
		to *[]byte
		of artifacts.Descriptor
	}{{&files.Changes, after.changes}, {&files.Born, after.born}} {
		if *f.to, err = artifacts.ReadAll(ctx, l.store, f.of.Digest, min(f.of.Size, skills.MaxFile)); err != nil {
			return c, fmt.Errorf("changes of library %s: %w", after.digest, err)
		}
	}
	if c, err = skills.DecodeChanges(files); err != nil {
		return c, fmt.Errorf("changes of library %s: %w", after.digest, err)
	}
	if c.Step != step || c.Before != before.skills || c.After != after.skills {
		return c, fmt.Errorf("%w: the changes of library %s make %s of %s in step %d, and it is %s behind %s in step %d",
			ErrBroken, after.digest, c.After.Short(), c.Before.Short(), c.Step, after.skills.Short(), before.skills.Short(), step)
	}
	return c, nil
}

// Rebuild makes the last snapshot anew from the first and the changes of every step, each held against the library that it
// is for, and compares the outcome with what is stored.
func (l *Libraries) Rebuild(ctx context.Context) (*skills.Library, error) {
	library, err := l.read(ctx, 0)
	for step := 1; step <= l.Step() && err == nil; step++ {
		var c skills.Changes
		if c, err = l.changes(ctx, step); err == nil {
			library, err = skills.Rebuild(library, c)
		}
	}
	if err != nil {
		return nil, err
	}
	got, err := library.Digest()
	if err != nil {
		return nil, err
	}
	if want := l.snapshots[l.Step()].skills; got != want {
		return nil, fmt.Errorf("library %s: rebuilt it is %s, stored is %s", l.Digest(), got, want)
	}
	return library, nil
}
