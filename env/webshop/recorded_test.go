package webshop_test

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/check/checktest"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/internal/outside"
)

// TestRecorded: every page of the recorded episodes, in plain and rich text, with URL, reward and actions; all goals in
// order with their bounds and weights, all drawn prices and the first random sessions, of three seeds and both kinds.
func TestRecorded(t *testing.T) {
	checktest.Golden(t, check.Config{Kinds: []check.Kind{check.Episodes, check.Goals}}, checktest.Want{
		check.Episodes: 40, check.Pages: 365, check.Goals: 3 * (6910 + 13), check.Prices: 6 * 93, check.Sessions: 6 * 12,
	})
}

// TestRecordedOnDisk: a catalogue on disk is the same shop, with the same searches, rewards and pages.
func TestRecordedOnDisk(t *testing.T) {
	checktest.Golden(t, check.Config{Open: check.OnDisk(t.TempDir())}, checktest.Want{
		check.Episodes: 40, check.Pages: 365, check.Goals: 3 * (6910 + 13), check.Prices: 6 * 93, check.Sessions: 6 * 12,
		check.Purchases: 200, check.Searches: 1108, check.Tables: 2, check.Scores: 600, check.Texts: 200, check.Draws: 9,
	})
}

// shops are shops of the 1,000 products.
type shops struct{ base webshop.Config }

func newShops(t testing.TB) shops {
	t.Helper()
	c := thousand(t)
	index, err := webshop.NewIndex(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	table, err := nouns.Load(outside.Shared(t, "webshop-golden", "data", "title_nouns.json"))
	if err != nil {
		t.Fatal(err)
	}
	return shops{webshop.Config{Catalogue: c, Searcher: index, Judge: webshop.NewJudge(table)}}
}

// shop is one of them with the seed, kind and looks of cfg.
func (s shops) shop(t testing.TB, cfg webshop.Config) *webshop.Shop {
	t.Helper()
	cfg.Catalogue, cfg.Searcher, cfg.Judge = s.base.Catalogue, s.base.Searcher, s.base.Judge
	shop, err := webshop.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return shop
}
