package lineage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Repeated is a stage of a run beside what another run came to that repeats it.
type Repeated struct {
	Stage  string           `json:"stage"`
	Before artifacts.Digest `json:"before"`
	Again  artifacts.Digest `json:"again"`
	Same   bool             `json:"same"`
	// Reused says that the repetition did not do it: it found the digest.
	Reused bool `json:"reused,omitempty"`
	// Classes are those of the devices that did it, "" where the record does not say: equal digests are promised where both
	// are the same.
	Classes [2]string `json:"classes"`
	Parted  []Parted  `json:"parted,omitempty"` // how far what differs is from each other
}

// Promised says whether the digests have to be equal: the same inputs on the same class of device.
func (r Repeated) Promised() bool {
	return r.Classes[0] == r.Classes[1] && !slices.ContainsFunc(r.Parted, func(p Parted) bool { return p.Part == partInputs })
}

// Repetition holds the stages of a run against those of another that repeats it, in the order of their names. Stages that
// only one of them has are left out; none in common is an error.
func Repetition(ctx context.Context, store artifacts.Store, before, again string) ([]Repeated, error) {
	were, err := comeTo(ctx, store, before)
	if err != nil {
		return nil, err
	}
	are, err := comeTo(ctx, store, again)
	if err != nil {
		return nil, err
	}
	var all []Repeated
	for _, name := range are.names {
		is := are.at[name]
		was, there := were.at[name]
		if !there {
			continue
		}
		r := Repeated{
			Stage: name, Before: was.digest, Again: is.digest, Same: was.digest == is.digest, Reused: is.reused,
			Classes: [2]string{was.class, is.class},
		}
		if !r.Same {
			if r.Parted, err = Apart(ctx, store, was.digest, is.digest); err != nil {
				return nil, fmt.Errorf("stage %s: %w", name, err)
			}
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("runs %s and %s have no stage in common", before, again)
	}
	return all, nil
}

// doneStages are a run's stages as its names and records have them.
type doneStages struct {
	names []string
	at    map[string]doneStage
}

type doneStage struct {
	digest artifacts.Digest
	class  string
	reused bool
}

func comeTo(ctx context.Context, store artifacts.Store, run string) (doneStages, error) {
	s := doneStages{at: map[string]doneStage{}}
	prefix := activities.RunName(run, "")
	names, err := store.Names(ctx, prefix)
	if err != nil {
		return s, err
	}
	if len(names) == 0 {
		return s, fmt.Errorf("run %s: %w", run, ErrUnknown)
	}
	for _, name := range names {
		stage := strings.TrimPrefix(name, prefix)
		if stage == "spec" {
			continue
		}
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return s, err
		}
		s.names = append(s.names, stage)
		s.at[stage] = doneStage{digest: d}
	}
	return s, s.records(ctx, store, run)
}

// records tells from a run's records on what its stages were done. One that was done counts before those that found it.
func (s *doneStages) records(ctx context.Context, store artifacts.Store, run string) error {
	names, err := store.Names(ctx, activities.RecordPrefix(run))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, name := range names {
		d, err := store.Resolve(ctx, name)
		if err != nil {
			return err
		}
		r, err := activities.ReadRecord(ctx, store, d)
		if err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
		one, there := s.at[r.Name]
		if !there || r.Digest != one.digest || seen[r.Name] && r.Reused {
			continue
		}
		seen[r.Name] = true
		one.reused, one.class = r.Reused, classOf(r.Work)
		s.at[r.Name] = one
	}
	return nil
}

// classOf is the class of the devices that did some work, several with commas between them.
func classOf(work []activities.Work) string {
	var all []string
	for _, w := range work {
		if w.Class != "" && !slices.Contains(all, w.Class) {
			all = append(all, w.Class)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
