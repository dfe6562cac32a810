package retention

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Removed is what has been removed.
type Removed struct {
	Names  int `json:"names"`
	Blobs  int `json:"blobs"`
	Spared int `json:"spared"` // blobs that were to go and have come to be used meanwhile
}

// Settle is how long running work has, between the removal of names and that of content, to name what it found by a name
// that was about to go: a worker that finds a stage done names it in its run at once.
const Settle = time.Minute

// Do removes what is planned: names first, then, after settle, manifests, files at last. Of each run that goes it leaves a
// notice. What running work has named meanwhile is spared. It tells tick, which may be nil, of each. It may be stopped at any
// point: what is left is a store without fault, and the next Make has the rest.
func (p *Plan) Do(ctx context.Context, settle time.Duration, tick func(string)) (*Removed, error) {
	res := &Removed{}
	if tick == nil {
		tick = func(string) {}
	}
	for _, run := range p.Runs {
		if run.State != Goes {
			continue
		}
		if err := p.notice(ctx, run); err != nil {
			return res, err
		}
	}
	for _, name := range p.Names {
		if err := p.store.RemoveName(ctx, name); err != nil {
			return res, err
		}
		res.Names++
		tick(name)
	}
	if len(p.blobs) == 0 {
		return res, nil
	}
	if len(p.Names) > 0 {
		if err := wait(ctx, settle); err != nil {
			return res, err
		}
	}
	used, err := p.again(ctx)
	if err != nil {
		return res, fmt.Errorf("look what is named now: %w", err)
	}
	for _, d := range p.blobs {
		gone := false
		if !used.blobs[d] {
			if gone, err = p.store.RemoveBlob(ctx, d, p.Since); err != nil {
				return res, err
			}
		}
		if gone {
			res.Blobs++
		} else {
			res.Spared++
		}
		tick("blob " + d.Short())
	}
	return res, nil
}

// again follows all names that there are now. A stage that a run has come to by its name, before that went, gets its names
// back.
func (p *Plan) again(ctx context.Context) (*reach, error) {
	s, err := look(ctx, p.store)
	if err != nil {
		return nil, err
	}
	r := newReach(p.store)
	for _, o := range s.names {
		if err := s.follow(ctx, r, o.Name); err != nil {
			return nil, err
		}
	}
	for _, name := range p.Names {
		d := p.given[name]
		first, rest, _ := strings.Cut(name, "/")
		key, _, _ := strings.Cut(rest, "/")
		of, _, is := about(name)
		back := is && r.blobs[of]
		for _, of := range staged {
			back = back || of == first && s.keys[key] != nil
		}
		if !back || d == "" || s.followed[name] {
			continue
		}
		if err := p.store.Name(ctx, name, d); err != nil {
			return nil, err
		}
		if err := r.name(ctx, name, d); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
