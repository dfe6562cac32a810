package webshop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/internal/outside"
)

// episode is a recorded one.
type episode struct {
	ID      string `json:"id"`
	Policy  string `json:"policy"`
	Seed    int64  `json:"seed"`
	Human   bool   `json:"human_goals"`
	Attrs   bool   `json:"show_attrs"`
	Session int    `json:"session"`
	Goal    struct {
		ASIN string `json:"asin"`
		Text string `json:"instruction_text"`
	} `json:"goal"`
	Reset step    `json:"reset"`
	Steps []step  `json:"steps"`
	Total float64 `json:"return"`
}

type step struct {
	Action  string          `json:"action"`
	Text    string          `json:"observation"`
	Rich    string          `json:"observation_rich"`
	URL     string          `json:"url"`
	Reward  float64         `json:"reward"`
	Done    bool            `json:"done"`
	Actions *available      `json:"available_actions"`
	After   *available      `json:"available_actions_after_auto_reset"`
	Parts   json.RawMessage `json:"reward_info"`
}

type available struct {
	SearchBar  bool     `json:"has_search_bar"`
	Clickables []string `json:"clickables"`
}

// lines reads a recorded file, one value a line.
func lines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(outside.Shared(t, "webshop-golden", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // only read
	var list []T
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		var v T
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			t.Fatalf("%s: line %d: %v", name, len(list)+1, err)
		}
		list = append(list, v)
	}
	if err := scanner.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(list), err)
	}
	return list
}

// shops are shops of the 1,000 products.
type shops struct{ base webshop.Config }

func newShops(t testing.TB) shops {
	t.Helper()
	c := golden(t)
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
