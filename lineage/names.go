package lineage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/signature"
	"github.com/hone-rl/hone/lineage/retention"
)

// name checks a name and what it leads to.
func (a *Auditor) name(ctx context.Context, name string) {
	if _, seen := a.named[name]; seen || ctx.Err() != nil {
		return
	}
	a.named[name] = ""
	a.Tick(name)
	a.result.Names++
	d, err := a.Store.Resolve(ctx, name)
	if err != nil {
		if ctx.Err() == nil {
			a.found("name "+name, err)
		}
		return
	}
	a.named[name] = d
	episode := strings.HasPrefix(name, "episodes/") // as it ended: what holds it for good is compared with it
	if retention.OfManifest(name) {
		a.artifact(ctx, d, name)
		return
	}
	if strings.HasPrefix(name, signature.Prefix) {
		a.signature(ctx, name, d)
		return
	}
	a.blob(ctx, artifacts.Descriptor{Digest: d, Size: -1}, name)
	if a.sizes[d] < 0 || episode || ctx.Err() != nil {
		return
	}
	switch {
	case strings.HasPrefix(name, activities.SourcesPrefix):
		a.source(ctx, name, d)
	case strings.HasPrefix(name, retention.NoticePrefix):
		if _, err := retention.ReadNotice(ctx, a.Store, name); err != nil && ctx.Err() == nil {
			a.found(fmt.Sprintf("record %s (%s)", d, name), err)
		}
	default:
		a.record(ctx, name, d)
	}
}

// record checks a record and keeps what it says.
func (a *Auditor) record(ctx context.Context, name string, d artifacts.Digest) {
	r, err := activities.ReadRecord(ctx, a.Store, d)
	if want := activities.RecordPrefix(r.Run) + r.RunID + "/" + named(r); err == nil && want != name {
		err = fmt.Errorf("it is the record of %s", want)
	}
	if err != nil {
		a.found(fmt.Sprintf("record %s (%s)", d, name), err)
		return
	}
	a.records = append(a.records, r)
}

// named is what a record's stage is called in its run.
func named(r activities.Finished) string {
	if r.Stopped > 0 {
		return activities.StoppedName(r.Name, r.Stopped)
	}
	return r.Name
}

// source checks the record of a model's source, and the name by which it was pulled.
func (a *Auditor) source(ctx context.Context, name string, d artifacts.Digest) {
	s, err := activities.ReadSource(ctx, a.Store, name)
	if err != nil {
		if ctx.Err() == nil {
			a.found(fmt.Sprintf("record %s (%s)", d, name), err)
		}
		return
	}
	a.expect(ctx, activities.ModelName(s.Model), s.Model, "the record "+name)
	if s.Kind == activities.SourcePull {
		a.expect(ctx, activities.PullName(s.Endpoint, s.Repository, s.Commit), s.Model, "the record "+name)
	}
}

// shared looks at the names of what a run leads to that other runs may share: of stages, which its records know, of
// their checkpoints, and of imported games, banks of skills, and models with their sources.
func (a *Auditor) shared(ctx context.Context) error {
	var prefixes []string
	for _, r := range a.records {
		if r.Key != "" {
			prefixes = append(prefixes, activities.StageName(r.Key), activities.CheckpointPrefix(r.Key), UpdatePrefix(r.Key))
		}
	}
	for _, d := range slices.Sorted(maps.Keys(a.manifests)) {
		switch a.manifests[d] {
		case artifacts.KindGames:
			prefixes = append(prefixes, activities.ListName(d))
		case artifacts.KindCatalogue:
			prefixes = append(prefixes, activities.CatalogueName(d))
		case artifacts.KindBank:
			prefixes = append(prefixes, activities.BankName(d))
		case artifacts.KindUpdate:
			prefixes = append(prefixes, activities.WeightsName(d), activities.StateName(d))
		case artifacts.KindModel:
			prefixes = append(prefixes, activities.ModelName(d), activities.SourcePrefix(d))
		}
	}
	for _, prefix := range prefixes {
		names, err := a.Store.Names(ctx, prefix)
		if err != nil {
			return err
		}
		for _, name := range names {
			a.name(ctx, name)
		}
	}
	return nil
}

// agree compares names with what is said of them elsewhere, which finds one that is gone or points at something else:
// records know their stage's names, a finished run's manifest its stages, and a training its updates and episodes.
func (a *Auditor) agree(ctx context.Context) {
	recorded := map[string]bool{}
	for _, r := range a.records {
		where := fmt.Sprintf("the record of %s in run %s", named(r), r.Run)
		a.expect(ctx, activities.RunName(r.Run, named(r)), r.Digest, where)
		if r.Key != "" && r.Stopped == 0 {
			a.expect(ctx, activities.StageName(r.Key), r.Digest, where)
		}
		recorded[activities.RunName(r.Run, named(r))] = true
		if _, ok := a.trained[r.Digest]; !ok || r.Key == "" {
			continue
		}
		if err := a.endings(ctx, r.Key, r.Digest); err != nil && ctx.Err() == nil {
			a.found(where, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.named)) {
		d, kind := a.named[name], a.manifests[a.named[name]]
		switch {
		case kind == artifacts.KindRun && strings.HasPrefix(name, "runs/") && strings.HasSuffix(name, "/run"):
			a.stages(ctx, strings.TrimSuffix(name, "run"), d, recorded)
		case kind == artifacts.KindGames && strings.HasPrefix(name, "games/") && name != activities.ListName(d),
			kind == artifacts.KindBank && strings.HasPrefix(name, "banks/") && name != activities.BankName(d),
			kind == artifacts.KindCatalogue && strings.HasPrefix(name, "catalogues/") && name != activities.CatalogueName(d),
			kind == artifacts.KindModel && strings.HasPrefix(name, "models/") && name != activities.ModelName(d):
			a.found("name "+name, fmt.Errorf("points at %s", d))
		}
	}
}

// stages compares the names and records of a finished run with its manifest.
func (a *Auditor) stages(ctx context.Context, prefix string, d artifacts.Digest, recorded map[string]bool) {
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		if ctx.Err() == nil {
			a.found(fmt.Sprintf("manifest %s (%srun)", d, prefix), err)
		}
		return
	}
	for _, in := range m.Inputs {
		a.expect(ctx, prefix+in.Role, in.Digest, fmt.Sprintf("run %s", d))
		if !recorded[prefix+in.Role] {
			a.found("records of "+prefix+in.Role, errors.New("there is none that can be read"))
		}
	}
}

// expect looks whether name points at d, as where says.
func (a *Auditor) expect(ctx context.Context, name string, d artifacts.Digest, where string) {
	got, seen := a.named[name]
	if seen && got == "" || ctx.Err() != nil {
		return // found before
	}
	if !seen {
		a.name(ctx, name)
		got = a.named[name]
	}
	if got != "" && got != d {
		a.found("name "+name, fmt.Errorf("points at %s, %s says %s", got, where, d))
	}
}
