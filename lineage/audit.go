package lineage

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/lineage/retention"
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
	Records   int       `json:"records"`          // through the leak audit again
	Played    int       `json:"played"`           // games whose records were played again
	Replays   int       `json:"replays"`          // trajectories played again
	Reports   int       `json:"reports"`          // counted again from their trajectories
	Signed    int       `json:"signed,omitempty"` // manifests whose signature by the public key holds
	Orphans   []string  `json:"orphans"`          // blobs that no name leads to; only looked for in a whole store
	Findings  []Finding `json:"findings"`         // empty if all is well
}

// ErrUnknown is in the error of an audit of a run of which the store has nothing, unless it has retention.ErrRemoved.
var ErrUnknown = errors.New("no such run in this store: hone list shows the runs")

// Auditor checks what is stored: every object against its digest, every name against its form and against the
// records that speak of it, hints for leaks, records, trajectories and episodes by replay, reports, figures and skill libraries by
// counting again. It runs one audit at a time.
type Auditor struct {
	Store    artifacts.Store
	OpenGame func(ctx context.Context, id string, data []byte) (env.Game, error)
	Tick     func(what string) // told of each thing looked at; may be nil
	// Bytes leaves out what kinds promise beyond their bytes: nothing is played or counted again, OpenGame is not asked.
	Bytes bool

	// PublicKey is one that every manifest has to be signed with; nil for none.
	PublicKey ed25519.PublicKey

	manifestsOnly bool // neither files nor what kinds promise

	result    Result
	manifests map[artifacts.Digest]artifacts.Kind // looked at; "" for one that could not be read
	sizes     map[artifacts.Digest]int64          // of blobs looked at; -1 for one that could not be read
	named     map[string]artifacts.Digest         // names looked at; "" for a broken one
	records   []activities.Finished
	damaged   int // findings about bytes

	speeches map[string]activities.Speech            // of policies
	heard    map[artifacts.Digest]heard              // of updates: how their episodes were played
	told     map[artifacts.Digest][]toldEpisode      // the episodes of updates and panels
	trained  map[artifacts.Digest][]artifacts.Digest // an outcome's updates, the first first
	signed   map[artifacts.Digest]bool               // with the public key
}

// Run audits all that belongs to a run: its names and records, everything that these lead to, and the names that are
// not the run's alone: of its stages, of their checkpoints, of imported games and models.
func (a *Auditor) Run(ctx context.Context, run string) (*Result, error) {
	a.begin()
	var names []string
	for _, prefix := range []string{activities.RunName(run, ""), activities.RecordPrefix(run)} {
		some, err := a.Store.Names(ctx, prefix)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	if len(names) == 0 {
		if err := retention.Gone(ctx, a.Store, run); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("run %q: %w", run, ErrUnknown)
	}
	for _, name := range names {
		a.name(ctx, name)
	}
	if err := a.shared(ctx); err != nil {
		return nil, err
	}
	a.agree(ctx)
	if !a.manifestsOnly {
		if err := a.signatures(ctx); err != nil {
			return nil, err
		}
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
	a.agree(ctx)
	if err := a.signatures(ctx); err != nil {
		return nil, err
	}
	err = a.Store.Blobs(ctx, func(d artifacts.Digest, size int64) error {
		_, manifest := a.manifests[d]
		if _, blob := a.sizes[d]; !blob && !manifest {
			a.result.Orphans = append(a.result.Orphans, string(d))
			a.blob(ctx, artifacts.Descriptor{Digest: d, Size: size}, "orphan")
		}
		return ctx.Err()
	})
	return &a.result, err
}

func (a *Auditor) begin() {
	a.result, a.records = Result{Findings: []Finding{}, Orphans: []string{}}, nil
	a.manifests, a.sizes = map[artifacts.Digest]artifacts.Kind{}, map[artifacts.Digest]int64{}
	a.named, a.damaged = map[string]artifacts.Digest{}, 0
	a.speeches, a.heard = map[string]activities.Speech{}, map[artifacts.Digest]heard{}
	a.told, a.trained = map[artifacts.Digest][]toldEpisode{}, map[artifacts.Digest][]artifacts.Digest{}
	a.signed = map[artifacts.Digest]bool{}
	if a.Tick == nil {
		a.Tick = func(string) {}
	}
}

// found notes a finding once, however many ways lead to it.
func (a *Auditor) found(where string, err error) {
	if slices.Contains(a.result.Findings, Finding{Where: where, Problem: err.Error()}) {
		return
	}
	a.result.Findings = append(a.result.Findings, Finding{Where: where, Problem: err.Error()})
}

// artifact checks a manifest, its outputs, its inputs, and what its kind promises.
func (a *Auditor) artifact(ctx context.Context, d artifacts.Digest, from string) {
	if _, seen := a.manifests[d]; seen || ctx.Err() != nil {
		return
	}
	a.manifests[d] = ""
	a.Tick("manifest " + d.Short())
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		a.damaged++
		a.found(fmt.Sprintf("manifest %s (%s)", d, from), err)
		return
	}
	a.manifests[d] = m.Kind
	a.result.Manifests++
	before := a.damaged
	for _, out := range m.Outputs {
		if a.manifestsOnly {
			break
		}
		a.blob(ctx, out.Descriptor, fmt.Sprintf("%s of %s %s", out.Name, m.Kind, d.Short()))
	}
	for _, in := range m.Inputs {
		a.artifact(ctx, in.Digest, fmt.Sprintf("%s of %s %s", in.Role, m.Kind, d.Short()))
	}
	if a.damaged == before && !a.Bytes && !a.manifestsOnly { // else its content cannot be judged
		if err := a.promise(ctx, d, m); err != nil && ctx.Err() == nil {
			a.found(fmt.Sprintf("%s %s (%s)", m.Kind, d, from), err)
		}
	}
}

// blob reads a blob to its end, which compares it with its digest.
func (a *Auditor) blob(ctx context.Context, d artifacts.Descriptor, from string) {
	if ctx.Err() != nil {
		return
	}
	n, seen := a.sizes[d.Digest]
	var err error
	if !seen {
		a.Tick(from)
		if n, err = a.read(ctx, d.Digest); err != nil {
			n = -1
		}
		a.sizes[d.Digest] = n
	}
	switch {
	case err != nil:
	case n < 0:
		return // found before
	case d.Size >= 0 && n != d.Size:
		err = fmt.Errorf("%d bytes, expected %d", n, d.Size)
	case !seen:
		a.result.Blobs++
		a.result.Bytes += n
	}
	if err != nil && ctx.Err() == nil {
		a.damaged++
		a.found(fmt.Sprintf("blob %s (%s)", d.Digest, from), err)
	}
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

// promise checks what the artifact's kind promises beyond its bytes. What panics over it is a finding like another.
func (a *Auditor) promise(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be checked: %v", p)
		}
	}()
	switch m.Kind {
	case artifacts.KindDataset:
		return a.dataset(ctx, m)
	case artifacts.KindTrajectories:
		return a.trajectories(ctx, m)
	case artifacts.KindReport:
		return a.report(ctx, m)
	case artifacts.KindGames:
		return a.games(ctx, d, m)
	case artifacts.KindBank:
		return a.bank(ctx, d, m)
	case artifacts.KindSkills:
		return a.library(ctx, d, m)
	case artifacts.KindRollouts:
		return a.rollouts(ctx, d, m)
	case artifacts.KindUpdate:
		return a.update(ctx, d, m)
	case artifacts.KindPolicy:
		return a.outcome(ctx, d, m)
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
