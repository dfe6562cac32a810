package webshop_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// TestEpisodes: every page of the recorded episodes, in plain and rich text, with URL, reward and actions.
func TestEpisodes(t *testing.T) {
	shops := newShops(t)
	for _, e := range lines[episode](t, "episodes.jsonl") {
		t.Run(e.ID+"-"+e.Policy, func(t *testing.T) {
			shop := shops.shop(t, webshop.Config{Seed: e.Seed, Human: e.Human, ShowAttributes: e.Attrs})
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
				got, err := b.Step(want.Action)
				if err != nil {
					t.Fatal(err)
				}
				comparePage(t, got.Page, want)
				if got.Reward.Total != want.Reward || got.Done != want.Done {
					t.Errorf("%q: reward %v, done %v, want %v, %v", want.Action, got.Reward.Total, got.Done, want.Reward, want.Done)
				}
				if want.After != nil {
					compareActions(t, b.Page(), want.After)
				}
				if want.Done {
					compareParts(t, &got.Reward, want.Parts)
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

// compareParts holds a reward against the parts that were reported, by their names there.
func compareParts(t *testing.T, r *reward.Reward, want json.RawMessage) {
	t.Helper()
	got := map[string]any{
		"r_type": r.Kind.Share, "query_match": r.Kind.QueryMatch, "category_match": r.Kind.CategoryMatch, "title_score": r.Kind.TitleScore,
		"r_att": r.Attributes.Share(), "w_att": r.Attributes.Weight, "r_price": r.Price.Hits == 1, "w_price": r.Price.Weight,
	}
	if r.Options.Of > 0 {
		got["r_option"], got["w_option"] = r.Options.Share(), r.Options.Weight
	}
	var w map[string]any
	if err := json.Unmarshal(want, &w); err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("reward %v, want %v (%v)", got, w, err)
	}
}
