package retention

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// survey is what a store has by its names.
type survey struct {
	store artifacts.Remover
	now   time.Time
	runs  map[string]*Run
	keys  map[string]*stage  // of stages, in hexadecimal
	names []artifacts.Object // all
	blobs []artifacts.Object
	given map[string]artifacts.Digest // what names point at, of those that were asked for

	noticed []string // names of notices
	busy    bool     // something goes on that may have come to no name yet

	followed map[string]bool // names
}

// stage is all that stands below one stage's key.
type stage struct {
	names []artifacts.Object
	runs  map[string]bool // those whose records have the key
}

// staged are the first components of names that go on with a stage's key.
var staged = []string{"checkpoints", "episodes", "stages", "updates"}

// look reads the names of a store, and the records among them.
func look(ctx context.Context, store artifacts.Remover) (*survey, error) {
	now, err := store.Clock(ctx)
	if err != nil {
		return nil, err
	}
	s := &survey{
		store: store, now: now, runs: map[string]*Run{}, keys: map[string]*stage{}, given: map[string]artifacts.Digest{},
		followed: map[string]bool{},
	}
	err = store.Objects(ctx, func(o artifacts.Object) error {
		if o.Name == "" {
			s.blobs = append(s.blobs, o)
		} else {
			s.names = append(s.names, o)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, o := range s.names {
		s.sort(o)
	}
	for _, run := range s.runs {
		s.settle(run)
	}
	return s, s.records(ctx)
}

// sort puts a name to its run or stage. Others, of imports and of policies, belong to none.
func (s *survey) sort(o artifacts.Object) {
	first, rest, _ := strings.Cut(o.Name, "/")
	second, _, more := strings.Cut(rest, "/")
	switch {
	case strings.HasPrefix(o.Name, activities.SourcesPrefix):
	case first == strings.TrimSuffix(NoticePrefix, "/"):
		s.noticed = append(s.noticed, o.Name)
	case (first == "runs" || first == "records") && more:
		run := s.runs[second]
		if run == nil {
			run = &Run{ID: second, Name: second}
			if i := strings.LastIndexByte(second, '-'); i > 0 {
				run.Name = second[:i]
			}
			s.runs[second] = run
		}
		run.names = append(run.names, o)
	case slices.Contains(staged, first):
		s.stage(second).names = append(s.stage(second).names, o)
	}
}

func (s *survey) stage(key string) *stage {
	if s.keys[key] == nil {
		s.keys[key] = &stage{runs: map[string]bool{}}
	}
	return s.keys[key]
}

// settle tells from a run's names how far it has come. Its spec is named first when it begins and removed first when it
// goes, behind its notice: without a notice a run that has lost its spec is not taken for one that is going.
func (s *survey) settle(run *Run) {
	run.partial = slices.Contains(s.noticed, NoticeName(run.ID))
	for _, o := range run.names {
		if run.began.IsZero() || o.Used.Before(run.began) {
			run.began = o.Used
		}
		if o.Used.After(run.Ended) {
			run.Ended = o.Used
		}
		switch o.Name {
		case activities.RunName(run.ID, "spec"):
			run.partial = false
		case activities.RunName(run.ID, "run"):
			run.finished = true
		}
	}
}

// records reads which stages runs have come to.
func (s *survey) records(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(s.runs)) {
		for _, o := range s.runs[id].names {
			if !strings.HasPrefix(o.Name, activities.RecordPrefix(id)) {
				continue
			}
			d, err := s.resolve(ctx, o.Name)
			if errors.Is(err, artifacts.ErrNotFound) {
				continue // removed since
			}
			if err != nil {
				return err
			}
			r, err := activities.ReadRecord(ctx, s.store, d)
			if err != nil {
				return fmt.Errorf("record %s: %w", o.Name, err)
			}
			if r.Key != "" {
				s.stage(r.Key.Hex()).runs[id] = true
			}
		}
	}
	return nil
}

func (s *survey) resolve(ctx context.Context, name string) (artifacts.Digest, error) {
	if d := s.given[name]; d != "" {
		return d, nil
	}
	d, err := s.store.Resolve(ctx, name)
	if err == nil {
		s.given[name] = d
	}
	return d, err
}
