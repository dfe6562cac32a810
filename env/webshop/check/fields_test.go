package check_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/golden"
)

// leaf is a value in a document that is no list and no object.
type leaf struct {
	path string // "pages[3].url"
	set  func(any)
	old  any
}

func leaves(path string, v any, set func(any), found func(leaf)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			leaves(path+"."+k, v[k], func(to any) { v[k] = to }, found)
		}
	case []any:
		for i := range v {
			leaves(fmt.Sprintf("%s[%d]", path, i), v[i], func(to any) { v[i] = to }, found)
		}
	default:
		found(leaf{path, set, v})
	}
}

func changed(v any) any {
	switch v := v.(type) {
	case string:
		return v + "x"
	case bool:
		return !v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n + 1
		}
		f, _ := v.Float64()
		return f + 0.25
	}
	return "x"
}

var (
	places = regexp.MustCompile(`\[\d+\]`)
	asins  = regexp.MustCompile(`\.B0\w{8}`)
)

// given are fields, a file each, of what the original was asked, not of what it answered, and those that nothing follows from.
var given = map[string]string{
	golden.EpisodesFile: ".id .policy .steps[].action",
	golden.PurchasesFile: ".id .goal.name .goal.price_upper .goal.product_category .goal.query .price .purchased_options.size " +
		".option_scores[].score_levenshtein",
	golden.ScoresFile: ".score_levenshtein", golden.SearchesFile: ".query", golden.RepliesFile: "[].text",
	golden.NumPyFile: "[].calls[].replace [].calls[].size",
}

// TestFields: of each field of each kind of file, one changed value is found, but for those that are given.
func TestFields(t *testing.T) {
	dir, open := small(t), opener(t)
	replies := unpacked(t, filepath.Join(dir, golden.RepliesFile))
	write(t, filepath.Join(dir, golden.RepliesFile), replies[:strings.Index(replies, " },")]+" }]")
	for name, c := range map[string]struct {
		kind   check.Kind
		fields int
	}{
		golden.EpisodesFile: {check.Episodes, 44}, golden.PurchasesFile: {check.Purchases, 35}, golden.ScoresFile: {check.Scores, 4},
		golden.SearchesFile: {check.Searches, 3}, golden.TextsFile: {check.Texts, 2}, golden.RepliesFile: {check.Replies, 3},
		golden.PythonFile: {check.Draws, 11}, golden.NumPyFile: {check.Draws, 6}, golden.ColoursFile: {check.Tables, 1},
		golden.StatsFile: {check.Tables, 3}, humanGoals: {check.Goals, 8},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			before := unpacked(t, path)
			defer write(t, path, before)
			lines := []string{before}
			if strings.HasSuffix(name, ".jsonl") {
				lines = slices.Collect(strings.Lines(before))
			}
			seen, missed := map[string]bool{}, map[string]bool{}
			for i, line := range lines {
				in := json.NewDecoder(strings.NewReader(line))
				in.UseNumber()
				var doc any
				if err := in.Decode(&doc); err != nil {
					t.Fatal(err)
				}
				leaves("", doc, func(to any) { doc = to }, func(l leaf) {
					field := asins.ReplaceAllString(places.ReplaceAllString(l.path, "[]"), ".ASIN")
					if seen[field] {
						return
					}
					seen[field] = true
					l.set(changed(l.old))
					raw, err := json.Marshal(doc)
					l.set(l.old)
					if err != nil {
						t.Fatal(err)
					}
					all := slices.Clone(lines)
					all[i] = string(raw) + "\n"
					write(t, path, strings.Join(all, ""))
					r, err := check.Run(t.Context(), check.Config{Folder: golden.Folder(dir), Open: open, Project: project, Kinds: []check.Kind{c.kind}})
					missed[field] = err == nil && r.Differ() == 0
				})
			}
			if len(seen) != c.fields {
				t.Errorf("%d fields, want %d", len(seen), c.fields)
			}
			for _, field := range slices.Sorted(maps.Keys(seen)) {
				if want := slices.Contains(strings.Fields(given[name]), field); missed[field] != want {
					t.Errorf("%s: passed over: %v, want %v", field, missed[field], want)
				}
			}
		})
	}
}
