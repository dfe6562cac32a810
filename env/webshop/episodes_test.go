package webshop_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
)

// table searches what has been recorded.
type table struct {
	testing.TB
	found map[string][]string
}

func (s table) Search(words string, n int) []string {
	list, ok := s.found[words]
	if !ok {
		s.Fatalf("no record of a search for %q", words)
	}
	return list[:min(n, len(list))]
}

func recorded(t testing.TB) table {
	s := table{t, map[string][]string{}}
	for _, l := range lines[struct {
		Query string   `json:"query"`
		ASINs []string `json:"asins"`
	}](t, "search.jsonl") {
		s.found[strings.ToLower(l.Query)] = l.ASINs
	}
	s.fromPages()
	return s
}

// told gives the recorded rewards of an episode.
type told struct {
	testing.TB
	*episode
}

func (r told) Reward(*webshop.Goal, *webshop.Product, []webshop.Choice, float64) webshop.Parts {
	last := r.Steps[len(r.Steps)-1]
	var p webshop.Parts
	if err := json.Unmarshal(last.Parts, &p); err != nil {
		r.Fatal(err)
	}
	p.Total = last.Reward
	return p
}

// TestEpisodes: every page of the recorded episodes, in plain and rich text, with URL, reward and actions.
func TestEpisodes(t *testing.T) {
	c, s := golden(t), recorded(t)
	for _, e := range lines[episode](t, "episodes.jsonl") {
		t.Run(e.ID+"-"+e.Policy, func(t *testing.T) {
			shop, err := webshop.New(webshop.Config{
				Catalogue: c, Search: s, Reward: told{t, &e}, Seed: e.Seed, Human: e.Human, ShowAttributes: e.Attrs,
			})
			if err != nil {
				t.Fatal(err)
			}
			if g := shop.Goal(e.Session); g.ASIN != e.Goal.ASIN || g.Text != e.Goal.Text {
				t.Fatalf("goal %q of %s, want %q of %s", g.Text, g.ASIN, e.Goal.Text, e.Goal.ASIN)
			}
			b := shop.Browser()
			page, err := b.Reset(e.Session)
			if err != nil {
				t.Fatal(err)
			}
			comparePage(t, page, &e.Reset)
			for i := range e.Steps {
				want := &e.Steps[i]
				got := b.Step(want.Action)
				comparePage(t, got.Page, want)
				if got.Reward != want.Reward || got.Done != want.Done {
					t.Errorf("%q: reward %v, done %v, want %v, %v", want.Action, got.Reward, got.Done, want.Reward, want.Done)
				}
				if want.After != nil {
					compareActions(t, b.Page(), want.After)
				}
				if want.Done {
					compareParts(t, got.Parts, want.Parts)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

func comparePage(t *testing.T, page *webshop.Page, want *step) {
	t.Helper()
	if got := page.Text(); got != want.Text {
		t.Errorf("%q: text\n%q, want\n%q", want.Action, got, want.Text)
	}
	if got := page.Rich(); got != want.Rich {
		t.Errorf("%q: rich text\n%q, want\n%q", want.Action, got, want.Rich)
	}
	if got := page.URL(); got != want.URL {
		t.Errorf("%q: at %s, want %s", want.Action, got, want.URL)
	}
	if want.Actions != nil {
		compareActions(t, page, want.Actions)
	}
}

func compareActions(t *testing.T, page *webshop.Page, want *available) {
	t.Helper()
	if got := page.Available(); !reflect.DeepEqual(got, webshop.Available(*want)) {
		t.Errorf("actions %+v, want %+v", got, *want)
	}
}

func compareParts(t *testing.T, got webshop.Parts, want json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g, w any
	if json.Unmarshal(text, &g) != nil || json.Unmarshal(want, &w) != nil || !reflect.DeepEqual(g, w) {
		t.Errorf("reward %s, want %s", text, want)
	}
}
