package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/runs"
	"github.com/hone-rl/hone/workflows"
)

// run is what the page shows of a run.
type run struct {
	ID       string // begins the ids of the run's elements
	Name     string
	Finished bool
	Spec     string // JSON
	Stages   table

	Panels    []panel
	Losses    []losses
	Trainings []*training
	Episodes  *episodes // nil where there are none
	Libraries []library
	Excluded  excluded
	Lineage   *graph // nil where nothing has been made yet
	Cost      *cost  // nil where nothing is recorded

	spec  json.RawMessage
	made  []stage
	store artifacts.Store
	shows map[artifacts.Digest]bool // artifacts that Lineage has an entry for
	cells []played                  // of the evaluation

	known   map[string]*lineage.Lived // skills, by id
	listed  map[string]bool           // those that Libraries shows
	origins map[string]string         // ids of shown episodes, by their keys
}

// stage is an artifact that the run calls its own.
type stage struct {
	name     string
	digest   artifacts.Digest
	manifest *artifacts.Manifest
}

// gatherRun reads a run, finished or under way.
func gatherRun(ctx context.Context, store artifacts.Store, id, name string, b *budget) (*run, error) {
	r := &run{
		ID: id, Name: name, store: store, shows: map[artifacts.Digest]bool{},
		known: map[string]*lineage.Lived{}, listed: map[string]bool{}, origins: map[string]string{},
	}
	var err error
	if r.spec, err = runs.RawSpec(ctx, store, name); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, r.spec, "", "  "); err != nil {
		return nil, fmt.Errorf("spec of run %s: %w", name, err)
	}
	r.Spec = text.String()
	if err := r.stages(ctx); err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	for _, part := range []func(context.Context) error{
		r.evaluation, r.curves, r.trainings, r.skills,
		func(ctx context.Context) error { return r.play(ctx, b) },
		r.exclusions, r.lineage, r.costs,
	} {
		if err := part(ctx); err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
	}
	r.tabulate()
	r.link()
	return r, nil
}

// stages reads the manifests that the run's names lead to.
func (r *run) stages(ctx context.Context) error {
	prefix := activities.RunName(r.Name, "")
	names, err := r.store.Names(ctx, prefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		s := stage{name: strings.TrimPrefix(name, prefix)}
		if s.name == "spec" {
			continue
		}
		if s.digest, err = r.store.Resolve(ctx, name); err != nil {
			return fmt.Errorf("stage %s: %w", s.name, err)
		}
		if s.manifest, err = artifacts.GetManifest(ctx, r.store, s.digest); err != nil {
			return fmt.Errorf("stage %s: %w", s.name, err)
		}
		if s.name == "run" {
			r.Finished = true
		}
		r.made = append(r.made, s)
	}
	slices.SortStableFunc(r.made, func(a, b stage) int { return cmp.Compare(a.rank(), b.rank()) })
	return nil
}

// rank is the stage's place in the order of a run: evaluations stand before their report.
func (s stage) rank() int {
	top, _, _ := strings.Cut(s.name, "/")
	top, _, _ = strings.Cut(top, "-") // hints-2
	if i := slices.Index(workflows.Steps, top); i >= 0 {
		return 2 * i
	}
	return 2*len(workflows.Steps) - 3
}

// tabulate lists the stages.
func (r *run) tabulate() {
	r.Stages = table{Caption: "Stages", Heads: []string{"stage", "artifact", "kind", "what"}}
	for _, s := range r.made {
		if s.name == "run" {
			continue
		}
		node := &lineage.Node{Digest: s.digest, Kind: s.manifest.Kind, Summary: s.manifest.Summary, Inputs: s.manifest.Inputs}
		row := cells(s.name, s.digest.Short(), string(s.manifest.Kind), or(node.Note()))
		if r.shows[s.digest] {
			row[1].Href = "#" + r.place(s.digest)
		}
		r.Stages.Rows = append(r.Stages.Rows, row)
	}
}

// anchor begins the ids of artifacts' entries.
func (r *run) anchor() string { return r.ID + "-a-" }

// file reads a file of an artifact. False where it has none.
func (r *run) file(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest, name string) ([]byte, bool, error) {
	out, ok := output(m, name)
	if !ok {
		return nil, false, nil
	}
	raw, err := artifacts.ReadAll(ctx, r.store, out.Digest, out.Size)
	if err != nil {
		return nil, false, fmt.Errorf("%s of %s %s: %w", name, m.Kind, d.Short(), err)
	}
	return raw, true, nil
}

func output(m *artifacts.Manifest, name string) (artifacts.Output, bool) {
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	if i < 0 {
		return artifacts.Output{}, false
	}
	return m.Outputs[i], true
}

// absent says whether an error is that of a name or a training that is not there yet, and not of a store at fault.
func absent(err error) bool {
	asked := (*runs.AskedError)(nil)
	return errors.As(err, &asked)
}

// seeded is a stage's name for people: "teacher, seed 2" of "teacher/seed-2".
func seeded(stage string) string {
	name, seed, of := strings.Cut(stage, "/seed-")
	if !of {
		return stage
	}
	return cmp.Or(name, stage) + ", seed " + seed
}
