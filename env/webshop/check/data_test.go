package check_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

// TestEveryDataField changes one value of each field of the catalogue's files that a shop reads, of a product that was
// played with: the recordings tell. What no shop reads is told by none.
func TestEveryDataField(t *testing.T) {
	const (
		products, attributes = "data/items_shuffle_1000.json", "data/items_ins_v2_1000.json"
		instructions, nouns  = "data/items_human_ins.json", "data/title_nouns.json"
		wanted, byPeople     = `"B07HRFSNL4"`, `"B07FYPSNH8"` // of episodes' goals
	)
	dir := small(t)
	for _, name := range []string{golden.EpisodesFile, golden.PurchasesFile} {
		write(t, filepath.Join(dir, name), unpacked(t, outside.Shared(t, "webshop-golden", name)))
	}
	for name, c := range map[string]struct {
		file, of, from, to string
		kind               check.Kind
		says               string // "" for nothing
	}{
		"title":                  {products, wanted, `"name": "`, `"name": "x`, check.Episodes, "name"},
		"description":            {products, wanted, `"full_description": "`, `"full_description": "xyz `, check.Tables, "terms with repeats"},
		"first bullet":           {products, wanted, `"small_description": ["`, `"small_description": ["xyz `, check.Tables, "terms with repeats"},
		"price":                  {products, wanted, `"pricing": "$`, `"pricing": "$1`, check.Episodes, "instruction_text"},
		"option":                 {products, wanted, `"customization_options": {"`, `"customization_options": {"x`, check.Episodes, "instruction_text"},
		"value":                  {products, wanted, `"value": "`, `"value": "x`, check.Pages, "text"},
		"category":               {products, wanted, `"category": "`, `"category": "x`, check.Episodes, "category"},
		"query":                  {products, wanted, `"query": "`, `"query": "x`, check.Episodes, "query"},
		"path":                   {products, wanted, `"product_category": "`, `"product_category": "x`, check.Episodes, "product_category"},
		"pictures":               {products, wanted, `"images": [`, `"images": ["x", `, "", ""},
		"instruction":            {attributes, wanted, `"instruction": "`, `"instruction": "x`, check.Episodes, "instruction_text"},
		"wanted attributes":      {attributes, wanted, `"instruction_attributes": ["`, `"instruction_attributes": ["x`, check.Episodes, "attributes"},
		"attributes":             {attributes, `"B097TTFZ43"`, `"fine lines"`, `"fine line"`, check.Purchases, "rs-001"},
		"instruction by people":  {instructions, byPeople, `"instruction": "`, `"instruction": "x`, check.Goals, "text"},
		"attributes by people":   {instructions, byPeople, `"gluten free"` + "\n   ],\n   \"instruction_options", `"gluten"` + "\n   ],\n   \"instruction_options", check.Episodes, "attributes"},
		"options by people":      {instructions, byPeople, `"instruction_options": []`, `"instruction_options": ["x"]`, check.Goals, "options"},
		"nouns of a title":       {nouns, `"B08NB29KXH"`, `["`, `["x`, check.Purchases, "nouns of the wanted title"},
		"product of the nouns":   {nouns, "", `"B08NB29KXH"`, `"B08NB29KXX"`, check.Purchases, ""},
		"asin":                   {products, wanted, wanted + `, "category"`, `"B07HRFSNLX", "category"`, check.Episodes, ""},
		"asin of attributes":     {attributes, "", wanted, `"B07HRFSNLX"`, check.Episodes, ""},
		"asin of an instruction": {instructions, "", byPeople + ": [", `"B07FYPSNHX": [`, check.Goals, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, c.file)
			before := unpacked(t, path)
			defer write(t, path, before)
			at := strings.Index(before, c.of)
			if c.file == products { // each stands on a line, with its own number behind the others
				at = strings.LastIndex(before[:strings.Index(before, `"asin": `+c.of+`, "category"`)], "\n")
			}
			place := strings.Index(before[max(at, 0):], c.from)
			if at < 0 || place < 0 {
				t.Fatalf("%s has no %s with %s", c.file, c.of, c.from)
			}
			write(t, path, before[:at+place]+c.to+before[at+place+len(c.from):])
			r, err := check.Run(t.Context(), check.Config{
				Folder: golden.Folder(dir), Kinds: []check.Kind{check.Tables, check.Purchases, check.Goals, check.Episodes},
			})
			told := func(d check.Difference) bool { return d.Kind == c.kind && strings.Contains(d.Case, c.says) }
			switch {
			case c.kind == "" && (err != nil || r.Differ() > 0):
				t.Errorf("%s, %v, want no difference", r.String(), err)
			case c.kind != "" && c.says == "" && err == nil && r.Of(c.kind).Differ == 0:
				t.Errorf("%s, want a difference of %s", r.String(), c.kind)
			case c.says != "" && (err != nil || !slices.ContainsFunc(r.First, told)):
				t.Errorf("%s, %v, told %v, want %q of %s", r.String(), err, r.First, c.says, c.kind)
			}
		})
	}
}
