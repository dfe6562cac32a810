package webshop_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/reward"
	"github.com/hone-rl/hone/env/webshop/search"
)

// faulty is a searcher and a judge that fail.
type faulty struct {
	inTitle
	search, judge error
}

func (f faulty) Search(words string, most int) ([]string, error) {
	if f.search != nil {
		return nil, f.search
	}
	return f.inTitle.Search(words, most)
}

func (f faulty) Judge(*webshop.Goal, *webshop.Product, []webshop.Choice, float64) (reward.Reward, error) {
	return reward.Reward{Total: 1}, f.judge
}

// TestFaults: an error of what a shop is made of ends an episode and is no page; words that the original's search
// refuses do nothing.
func TestFaults(t *testing.T) {
	c := small(t).Catalogue()
	broken := errors.New("broken")
	for name, f := range map[string]struct {
		faulty
		action string // that fails, nil for none
	}{
		"search": {faulty{inTitle{c}, broken, nil}, "search[odd]"},
		"judge":  {faulty{inTitle{c}, nil, broken}, "click[buy now]"},
		"words":  {faulty{inTitle{c}, fmt.Errorf("search: %w", search.ErrTooManyTerms), nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			shop, err := webshop.New(webshop.Config{Catalogue: c, Searcher: f.faulty, Judge: f.faulty})
			if err != nil {
				t.Fatal(err)
			}
			ep, b := start(t, shop, 0), browse(t, shop)
			for _, action := range []string{"search[odd]", "click[b02]", "click[buy now]"} {
				before := b.Page()
				obs, err := ep.Step(t.Context(), action)
				_, other := b.Step(action)
				if action != f.action {
					if err != nil || other != nil || obs.Text != ep.Page().Text() {
						t.Fatalf("%q: %v, %v", action, err, other)
					}
					continue
				}
				if !errors.Is(err, broken) || !errors.Is(other, broken) || !strings.Contains(err.Error(), action) || b.Page() != before {
					t.Errorf("%q: %v and %v, want %v and the same page", action, err, other, broken)
				}
				if _, err := ep.Step(t.Context(), "search[lamp]"); !errors.Is(err, broken) {
					t.Errorf("after the fault: %v, want it again", err)
				}
				return
			}
			if f.action != "" || ep.Now().Moves != 0 || ep.Page().URL() != "/0" {
				t.Errorf("after all actions at %s with %d moves, want nothing done", ep.Page().URL(), ep.Now().Moves)
			}
			if _, err := ep.Demonstrate(t.Context(), env.Straight); !errors.Is(err, env.ErrNoPlan) {
				t.Errorf("a plan without a search: %v", err)
			}
		})
	}
}
