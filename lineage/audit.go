package lineage

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
)

// Finding is something that is not as it should be.
type Finding struct {
	Where   string `json:"where"` // the object, by name or digest
	Problem string `json:"problem"`
}

// Result is what an audit looked at and found.
type Result struct {
	Names     int       `json:"names"`
	Manifests int       `json:"manifests"`
	Blobs     int       `json:"blobs"`
	Bytes     int64     `json:"bytes"`
	Records   int       `json:"records"`  // through the leak audit again
	Replays   int       `json:"replays"`  // trajectories played again
	Reports   int       `json:"reports"`  // counted again from their trajectories
	Orphans   []string  `json:"orphans"`  // blobs that no name leads to; only looked for in a whole store
	Findings  []Finding `json:"findings"` // empty if all is well
}

// Auditor checks what is stored: every object against its digest, every name against its form, hints for leaks,
// trajectories by replay, reports by counting again.
type Auditor struct {
	Store    artifacts.Store
	OpenGame func(id string, data []byte) (env.Game, error)
	Tick     func(what string) // told of each thing looked at; may be nil

	result Result
	seen   map[artifacts.Digest]bool // blobs and manifests that have been looked at
}

// Run audits all that belongs to a run: its names and records, everything that these lead to, and the checkpoints
// of its training stages.
func (a *Auditor) Run(ctx context.Context, run string) (*Result, error) {
	a.begin()
	var names []string
	for _, prefix := range []string{activities.RunName(run, ""), "records/" + run + "/"} {
		some, err := a.Store.Names(ctx, prefix)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no run %q in this store: hone list shows the runs", run)
	}
	for _, name := range names {
		a.name(ctx, name)
	}
	if err := a.stages(ctx); err != nil {
		return nil, err
	}
	return &a.result, ctx.Err()
}

// All audits every name and every blob in the store, and lists blobs that no name leads to.
func (a *Auditor) All(ctx context.Context) (*Result, error) {
	a.begin()
	names, err := a.Store.Names(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		a.name(ctx, name)
	}
	err = a.Store.Blobs(ctx, func(d artifacts.Digest, size int64) error {
		if !a.seen[d] {
			a.result.Orphans = append(a.result.Orphans, string(d))
			a.blob(ctx, artifacts.Descriptor{Digest: d, Size: size}, "orphan")
		}
		return ctx.Err()
	})
	return &a.result, err
}

func (a *Auditor) begin() {
	a.result, a.seen = Result{Findings: []Finding{}, Orphans: []string{}}, map[artifacts.Digest]bool{}
	if a.Tick == nil {
		a.Tick = func(string) {}
	}
}

func (a *Auditor) found(where string, err error) {
	a.result.Findings = append(a.result.Findings, Finding{Where: where, Problem: err.Error()})
}

// name checks a name and what it leads to.
func (a *Auditor) name(ctx context.Context, name string) {
	if ctx.Err() != nil {
		return
	}
	a.Tick(name)
	a.result.Names++
	d, err := a.Store.Resolve(ctx, name)
	if err != nil {
		a.found("name "+name, err)
		return
	}
	if strings.HasPrefix(name, "records/") {
		a.blob(ctx, artifacts.Descriptor{Digest: d, Size: -1}, name)
		return
	}
	a.artifact(ctx, d, name)
}

// stages looks at the names by which stages and checkpoints of what has been seen are found again.
func (a *Auditor) stages(ctx context.Context) error {
	names, err := a.Store.Names(ctx, "stages/")
	if err != nil {
		return err
	}
	for _, name := range names {
		d, err := a.Store.Resolve(ctx, name)
		if err != nil { // a broken name may be this run's: which one it was, its content no longer says
			a.found("name "+name, err)
			continue
		}
		if !a.seen[d] {
			continue
		}
		a.result.Names++
		checkpoints, err := a.Store.Names(ctx, "checkpoints/"+strings.TrimPrefix(name, "stages/")+"/")
		if err != nil {
			return err
		}
		for _, c := range checkpoints {
			a.name(ctx, c)
		}
	}
	return nil
}

// artifact checks a manifest, its outputs, its inputs, and what its kind promises.
func (a *Auditor) artifact(ctx context.Context, d artifacts.Digest, from string) {
	if a.seen[d] || ctx.Err() != nil {
		return
	}
	a.seen[d] = true
	a.Tick("manifest " + d.Short())
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		a.found(fmt.Sprintf("manifest %s (%s)", d, from), err)
		return
	}
	a.result.Manifests++
	before := len(a.result.Findings)
	for _, out := range m.Outputs {
		a.blob(ctx, out.Descriptor, fmt.Sprintf("%s of %s %s", out.Name, m.Kind, d.Short()))
	}
	for _, in := range m.Inputs {
		a.artifact(ctx, in.Digest, fmt.Sprintf("%s of %s %s", in.Role, m.Kind, d.Short()))
	}
	if len(a.result.Findings) == before { // else its content cannot be judged
		if err := a.promise(ctx, d, m); err != nil && ctx.Err() == nil {
			a.found(fmt.Sprintf("%s %s (%s)", m.Kind, d, from), err)
		}
	}
}

// blob reads a blob to its end, which compares it with its digest.
func (a *Auditor) blob(ctx context.Context, d artifacts.Descriptor, from string) {
	if a.seen[d.Digest] || ctx.Err() != nil {
		return
	}
	a.seen[d.Digest] = true
	a.Tick(from)
	n, err := a.read(ctx, d.Digest)
	if err == nil && d.Size >= 0 && n != d.Size {
		err = fmt.Errorf("%d bytes, expected %d", n, d.Size)
	}
	if err != nil {
		a.found(fmt.Sprintf("blob %s (%s)", d.Digest, from), err)
		return
	}
	a.result.Blobs++
	a.result.Bytes += n
}

func (a *Auditor) read(ctx context.Context, d artifacts.Digest) (int64, error) {
	r, err := a.Store.Open(ctx, d)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, r)
	_ = r.Close() // everything has been read and compared
	return n, err
}

// promise checks what the artifact's kind promises beyond its bytes.
func (a *Auditor) promise(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	switch m.Kind {
	case artifacts.KindDataset:
		return a.dataset(ctx, m)
	case artifacts.KindTrajectories:
		return a.trajectories(ctx, m)
	case artifacts.KindReport:
		return a.report(ctx, m)
	case artifacts.KindGames:
		return a.games(ctx, d, m)
	default:
		return nil
	}
}

// output reads one of m's outputs.
func (a *Auditor) output(ctx context.Context, m *artifacts.Manifest, name string) ([]byte, error) {
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("it has no %s", name)
	}
	return artifacts.ReadAll(ctx, a.Store, m.Outputs[i].Digest, m.Outputs[i].Size)
}
