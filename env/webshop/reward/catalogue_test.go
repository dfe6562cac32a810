package reward_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/env/webshop/reward"
	"github.com/hone-rl/hone/internal/outside"
)

// catalogue reads the 1,000 products, as far as rewards need them, and their nouns.
func catalogue(t testing.TB) (map[string]reward.Purchase, *nouns.Table) {
	t.Helper()
	var items []struct {
		ASIN        string          `json:"asin"`
		Name        string          `json:"name"`
		Description string          `json:"full_description"`
		Bullets     json.RawMessage `json:"small_description"`
		Query       string          `json:"query"`
		Path        string          `json:"product_category"`
	}
	var attributes map[string]struct {
		Attributes []string `json:"attributes"`
	}
	read(t, &items, "data", "items_shuffle_1000.json")
	read(t, &attributes, "data", "items_ins_v2_1000.json")
	products := map[string]reward.Purchase{}
	for _, i := range items {
		p := reward.Purchase{
			ASIN: i.ASIN, Title: i.Name, Description: i.Description, Query: strings.TrimSpace(strings.ToLower(i.Query)),
			CategoryPath: i.Path, Attributes: attributes[i.ASIN].Attributes,
		}
		if p.Attributes == nil {
			p.Attributes = []string{"DUMMY_ATTR"}
		}
		if bytes.HasPrefix(i.Bullets, []byte("[")) {
			parse(t, i.Bullets, &p.Bullets)
		} else {
			p.Bullets = make([]string, 1)
			parse(t, i.Bullets, &p.Bullets[0])
		}
		products[i.ASIN] = p
	}
	if len(products) != 1000 {
		t.Fatalf("%d products, want 1000", len(products))
	}
	table, err := nouns.Load(outside.Shared(t, "webshop-golden", "data", "title_nouns.json"))
	if err != nil {
		t.Fatal(err)
	}
	return products, table
}

// read reads a file of WebShop's reference data.
func read(t testing.TB, out any, path ...string) {
	t.Helper()
	data, err := os.ReadFile(outside.Shared(t, append([]string{"webshop-golden"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	parse(t, data, out)
}

func parse(t testing.TB, data []byte, out any) {
	t.Helper()
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
}
