package retention

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Share is what goes, or stays, of one kind.
type Share struct {
	Kind  artifacts.Kind `json:"kind"` // Unnamed for what no name leads to
	Count int            `json:"count"`
	Bytes int64          `json:"bytes"`
}

func (s *Share) add(size int64) {
	s.Count++
	s.Bytes += size
}

// Unnamed is the kind of blobs that no name led to: left by uploads that were killed, or handed from one activity to
// another.
const Unnamed artifacts.Kind = "unnamed"

// Signatures is the kind of signatures of artifacts that go.
const Signatures artifacts.Kind = "signature"

// Plan is what would go, and what would stay.
type Plan struct {
	Runs  []Run    `json:"runs"`
	Names []string `json:"names"` // that go, in the order of their removal
	Kinds []Share  `json:"kinds"` // of blobs that go, with manifests and records
	Blobs int      `json:"blobs"` // that go
	Bytes int64    `json:"bytes"`
	Stays []Share  `json:"stays"` // of the other blobs
	Young Share    `json:"young"` // of those, what no name that stays leads to: it was used at Since or later

	// Since is the time from which on no blob goes: a grace period before now, and before the beginning of each run that is
	// not finished, whose activities may know of blobs that nothing names yet.
	Since time.Time `json:"since"`

	store artifacts.Remover
	now   time.Time
	given map[string]artifacts.Digest // what the names pointed at
	blobs []artifacts.Digest          // manifests first
}

// Make looks what goes by the rules. It changes nothing.
func Make(ctx context.Context, store artifacts.Remover, rules Rules) (*Plan, error) {
	s, err := look(ctx, store)
	if err != nil {
		return nil, err
	}
	rules.Grace = cmp.Or(rules.Grace, DefaultGrace)
	if err := rules.check(s); err != nil {
		return nil, err
	}
	rules.judge(s.runs, s.now)
	p := &Plan{
		Names: []string{}, Since: s.now.Add(-rules.Grace), Young: Share{Kind: Unnamed},
		store: store, now: s.now, given: map[string]artifacts.Digest{},
	}
	for _, id := range slices.Sorted(maps.Keys(s.runs)) {
		run := s.runs[id]
		if before := run.began.Add(-rules.Grace); run.State == Unfinished && before.Before(p.Since) {
			p.Since = before
		}
		if run.State == Unfinished && rules.Grace <= artifacts.Freshness {
			return nil, fmt.Errorf("%w: grace %s: expected more than %s while run %s is not finished", ErrRules, rules.Grace, artifacts.Freshness, id)
		}
		p.Runs = append(p.Runs, *run)
	}
	s.busy = len(rules.Going) > 0
	kept, err := p.divide(ctx, s, s.now.Add(-rules.Grace))
	if err != nil {
		return nil, err
	}
	return p, p.count(ctx, s, kept)
}

// divide puts each name to those that stay, which are followed, or to those that go.
func (p *Plan) divide(ctx context.Context, s *survey, old time.Time) (*reach, error) {
	goes := map[string]bool{}
	for _, run := range p.Runs {
		if run.State == Goes {
			p.Names = append(p.Names, ordered(run)...)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		if stage := s.keys[key]; !s.keeps(stage, old) {
			for _, o := range stage.names {
				p.Names = append(p.Names, o.Name)
			}
		}
	}
	for _, name := range p.Names {
		goes[name] = true
	}
	kept := newReach(p.store)
	var by []artifacts.Object
	for _, o := range s.names {
		if _, signed, is := about(o.Name); is && (signed || o.Used.Before(old)) {
			by = append(by, o)
		} else if !goes[o.Name] {
			if err := s.follow(ctx, kept, o.Name); err != nil {
				return nil, err
			}
		}
	}
	return kept, p.by(ctx, s, kept, by)
}

// by keeps, of names that are by an artifact, those of what is kept: weights and states of policies, which may lead to
// others, and signatures. A signature goes with what it is of, and stays with what is too young to go.
func (p *Plan) by(ctx context.Context, s *survey, kept *reach, names []artifacts.Object) error {
	young := map[artifacts.Digest]bool{}
	for _, o := range s.blobs {
		if !o.Used.Before(p.Since) {
			young[o.Digest] = true
		}
	}
	for more := true; more; {
		more = false
		var left []artifacts.Object
		for _, o := range names {
			if of, signed, _ := about(o.Name); !kept.blobs[of] && (!signed || !young[of]) {
				left = append(left, o)
				continue
			}
			if err := s.follow(ctx, kept, o.Name); err != nil {
				return err
			}
			more = true
		}
		names = left
	}
	for _, o := range names {
		p.Names = append(p.Names, o.Name)
	}
	return nil
}

// keeps says whether a stage's names stay: a run that stays has come to it, one that is not finished may be about to, or
// they are young.
func (s *survey) keeps(at *stage, old time.Time) bool {
	for id := range at.runs {
		if s.runs[id].State != Goes {
			return true
		}
	}
	if len(at.runs) == 0 {
		if s.busy {
			return true
		}
		for _, run := range s.runs {
			if run.State == Unfinished {
				return true
			}
		}
	}
	return slices.ContainsFunc(at.names, func(o artifacts.Object) bool { return !o.Used.Before(old) })
}

// ordered are a run's names in the order of removal, so that at each moment nothing that is still there asks for what is
// gone: its spec, so that it is seen to be going, its manifest, which asks for records and stages, its records, which
// ask for stages, and its stages.
func ordered(run Run) []string {
	rank := func(name string) int {
		switch {
		case name == activities.RunName(run.ID, "spec"):
			return 0
		case name == activities.RunName(run.ID, "run"):
			return 1
		case strings.HasPrefix(name, "records/"):
			return 2
		}
		return 3
	}
	names := make([]string, len(run.names))
	for i, o := range run.names {
		names[i] = o.Name
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return names
}

// follow follows a name that is kept.
func (s *survey) follow(ctx context.Context, r *reach, name string) error {
	s.followed[name] = true
	d, err := s.resolve(ctx, name)
	if err == nil {
		err = r.name(ctx, name, d)
	} else {
		err = fmt.Errorf("%w (hone audit --all tells more; nothing is removed)", err)
	}
	return err
}

// count finds the blobs that go, and of what kind they are.
func (p *Plan) count(ctx context.Context, s *survey, kept *reach) error {
	gone := newReach(p.store)
	gone.lax = true
	for _, name := range p.Names {
		d, err := s.resolve(ctx, name)
		if err != nil {
			continue // what is broken can go as well
		}
		p.given[name] = d
		if err := gone.name(ctx, name, d); err != nil {
			return err
		}
	}
	goes, stays := shares{}, shares{}
	var files []artifacts.Digest
	for _, o := range s.blobs {
		if kept.blobs[o.Digest] {
			stays.of(cmp.Or(kept.kinds[o.Digest], kept.roles[o.Digest])).add(o.Size)
			continue
		}
		kind, manifest := gone.kinds[o.Digest]
		kind = cmp.Or(kind, gone.roles[o.Digest], Unnamed)
		if !o.Used.Before(p.Since) {
			stays.of(kind).add(o.Size)
			p.Young.add(o.Size)
			continue
		}
		if manifest {
			p.blobs = append(p.blobs, o.Digest)
		} else {
			files = append(files, o.Digest)
		}
		goes.of(kind).add(o.Size)
		p.Bytes += o.Size
	}
	p.blobs = append(p.blobs, files...)
	p.Blobs, p.Kinds, p.Stays = len(p.blobs), goes.sorted(), stays.sorted()
	return nil
}

// shares are by kind.
type shares map[artifacts.Kind]*Share

func (s shares) of(kind artifacts.Kind) *Share {
	if s[kind] == nil {
		s[kind] = &Share{Kind: kind}
	}
	return s[kind]
}

func (s shares) sorted() []Share {
	all := []Share{}
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		all = append(all, *s[kind])
	}
	return all
}
