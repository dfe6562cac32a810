package rollout

import (
	"context"
	"fmt"
	"sync"

	"github.com/hone-rl/hone/skills"
)

// Library finds skills of a library by what a frozen sentence encoder makes of a query. Its methods may be called from
// many goroutines.
type Library struct {
	skills *skills.Library
	how    skills.Retrieval
	embed  func(ctx context.Context, text string) ([]float32, error)

	mu    sync.Mutex
	known map[string][]float32 // vectors of queries: a group asks the same again and again
}

// NewLibrary finds in l as how says. Embed is a vector of length 1 for a text.
func NewLibrary(l *skills.Library, how skills.Retrieval, embed func(ctx context.Context, text string) ([]float32, error)) (*Library, error) {
	how = how.WithDefaults()
	if err := how.Validate(); err != nil {
		return nil, err
	}
	return &Library{skills: l, how: how, embed: embed, known: map[string][]float32{}}, nil
}

// Find implements Finder.
func (l *Library) Find(ctx context.Context, query string, seed uint64) ([]Found, error) {
	if l.skills.Len() == 0 {
		return nil, nil
	}
	q := skills.Query{Seed: seed}
	if l.how.Mode == skills.ModeType {
		q.Type = skills.QueryType(query)
	} else {
		var err error
		if q.Vector, err = l.vector(ctx, query); err != nil {
			return nil, fmt.Errorf("query %.80q: %w", query, err)
		}
	}
	picks, err := l.skills.Retrieve(q, l.how)
	if err != nil {
		return nil, err
	}
	found := make([]Found, len(picks))
	for i, p := range picks {
		found[i] = Found{
			ID: string(p.Skill.ID), Utility: p.Skill.Utility, Relevance: float64(p.Relevance), Head: p.Skill.Key(), Strategy: p.Skill.Strategy,
		}
	}
	return found, nil
}

func (l *Library) vector(ctx context.Context, query string) ([]float32, error) {
	l.mu.Lock()
	v, ok := l.known[query]
	l.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := l.embed(ctx, query) // two at once compute the same
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[query] = v
	return v, nil
}
