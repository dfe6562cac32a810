package check_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

// What a field is, where it is not the name that a difference in it bears.
const (
	given   = "given"   // to the engine: another value has it do something else, though not in every case
	unasked = "unasked" // compared with nothing
)

// fields are all that are recorded, by file and path, with what is told of a difference in them.
var fields = map[string]struct {
	kind  check.Kind
	by    float64 // the smallest difference of numbers that are not whole; 0 for the smallest there is
	paths map[string]string
}{
	golden.EpisodesFile: {check.Episodes, 0, map[string]string{
		"id": unasked, "policy": unasked, "seed": given, "human_goals": given, "show_attrs": given, "session": given,
		"goal.asin": "asin", "goal.category": "category", "goal.query": "query", "goal.name": "name", "goal.product_category": "product_category",
		"goal.instruction_text": "instruction_text", "goal.attributes[]": "attributes", "goal.price_upper": "price_upper",
		"goal.goal_options.*": "goal_options", "goal.goal_options.*'s name": "goal_options", "goal.goal_options[]": "goal_options", "goal.weight": "weight",
		"reset.observation": "reset: text", "reset.observation_rich": "reset: rich text", "reset.url": "reset: URL",
		"reset.available_actions.has_search_bar": "reset: actions: a search bar", "reset.available_actions.clickables[]": "reset: actions",
		"steps[].action": given, "steps[].observation": "text", "steps[].observation_rich": "rich text", "steps[].url": "URL", "steps[].reward": "reward",
		"steps[].done": "done", "steps[].available_actions.has_search_bar": "actions: a search bar", "steps[].available_actions.clickables[]": "actions",
		"steps[].reward_info.r_type": "r_type", "steps[].reward_info.r_att": "r_att", "steps[].reward_info.w_att": "w_att",
		"steps[].reward_info.query_match": "query_match", "steps[].reward_info.category_match": "category_match",
		"steps[].reward_info.title_score": "title_score", "steps[].reward_info.r_option": "r_option", "steps[].reward_info.w_option": "w_option",
		"steps[].reward_info.r_price": "r_price", "steps[].reward_info.w_price": "w_price",
		"steps[].available_actions_after_auto_reset.has_search_bar": "actions of the session that follows: a search bar",
		"steps[].available_actions_after_auto_reset.clickables[]":   "actions of the session that follows",
		"return": "return", "length": "length",
	}},
	golden.PurchasesFile: {check.Purchases, 2e-9, map[string]string{
		"id": unasked, "goal.asin": given, "goal.query": "goal: query", "goal.name": "goal: name", "goal.product_category": "goal: product_category",
		"goal.attributes[]": given, "goal.price_upper": given, "goal.goal_options.*": "goal: goal_options", "goal.goal_options.*'s name": "goal: goal_options",
		"goal.goal_options[]": "goal: goal_options", "purchased_asin": given, "purchased_options.*": given, "purchased_options.*'s name": unasked, "price": given,
		"expected.total": "total", "expected.r_type": "r_type", "expected.r_att": "r_att", "expected.w_att": "w_att",
		"expected.query_match": "query_match", "expected.category_match": "category_match", "expected.title_score": "title_score",
		"expected.r_option": "r_option", "expected.w_option": "w_option", "expected.r_price": "r_price", "expected.w_price": "w_price",
		"expected.num_attr_matches": "num_attr_matches", "expected.num_option_matches": "num_option_matches",
		"attribute_scores[].goal": "wanted", "attribute_scores[].best_score": "score", "attribute_scores[].best_attribute": "nearest",
		"goal_nouns[]": "nouns of the wanted title", "purchased_nouns[]": "nouns of the bought title",
		"option_scores[].goal": "wanted", "option_scores[].goal[]": "wanted", "option_scores[].purchased": "chosen", "option_scores[].score": "score",
		"option_scores[].score_levenshtein": unasked,
	}},
	golden.ScoresFile:   {check.Scores, 0, map[string]string{"purchased": given, "goal": given, "goal[]": given, "score": "with", "score_levenshtein": unasked}},
	golden.SearchesFile: {check.Searches, 1e-4, map[string]string{"query": given, "asins[]": "hit", "scores[]": "score of hit"}},
	golden.TextsFile:    {check.Texts, 0, map[string]string{"text": given, "terms[]": "terms"}},
	golden.RepliesFile:  {check.Replies, 0, map[string]string{"[].text": given, "[].action": "action", "[].valid": "valid"}},
	golden.PythonFile: {check.Draws, 0, map[string]string{
		"[].seed": given, "[].random[]": "random", "[].getrandbits[]0": given, "[].getrandbits[]1": "getrandbits",
		"[].randbelow[]0": given, "[].randbelow[]1": "randbelow", "[].uniform[]": "uniform", "[].sample_2_of_4[]0": "sample of 4", "[].sample_2_of_4[]1": "sample of 4",
		"[].sample_2_of_3[]0": "sample of 3", "[].sample_2_of_3[]1": "sample of 3", "[].choices_10_lowercase": "choices", "[].shuffle_20[]": "shuffle",
		"[].sample_50_of_1000[]": "sample of 1000", "[].next_random": "next",
	}},
	golden.NumPyFile: {check.Draws, 0, map[string]string{
		"[].seed": given, "[].calls[].range[]": given, "[].calls[].size": "size", "[].calls[].replace": "replace", "[].calls[].result[]": "call",
		"[].val[][]": "validation", "[].val[]0": "validation", "[].val[]1": "validation", "[].val[]2": "validation", "[].val[]3": "validation", "[].val[]4": "validation",
	}},
	golden.ColoursFile: {check.Tables, 0, map[string]string{"[]": "colours"}},
	golden.StatsFile: {check.Tables, 0, map[string]string{
		"doc_count": "documents", "sum_total_term_freq": "terms with repeats", "avg_field_length": "terms of a document",
	}},
	humanGoals: {check.Goals, 0, map[string]string{
		"seed": given, "human_goals": given, "count": "count", "range_prices.*": "price of", "range_prices.*'s name": "price of",
		"goals[]0": "asin", "goals[]1": "text", "goals[]2": "highest price", "goals[]3[]": "options", "goals[]4": "weight",
		"unnumbered_sessions[].session": "name", "unnumbered_sessions[].instruction": "instruction",
	}},
	syntheticGoals: {check.Goals, 0, map[string]string{
		"seed": given, "human_goals": given, "count": "count", "range_prices.*": "price of", "range_prices.*'s name": "price of",
		"goals[]0": "asin", "goals[]1": "text", "goals[]2": "highest price", "goals[]3.*": "options", "goals[]3.*'s name": "options", "goals[]4": "weight",
		"unnumbered_sessions[].session": "name", "unnumbered_sessions[].instruction": "instruction",
	}},
}

const syntheticGoals = "goals/seed1000_synthetic.json.gz"

// found is where a value stands: in a case of a file, which is a line of it or all of it.
type found struct {
	cases []string // of the file
	at    int
	leaf
}

// TestEveryField changes the first, a middle and the last value of every field of every kind of file, one at a time: each
// is found, with the file, the line and what of the case it is. A null in its place is found, too.
func TestEveryField(t *testing.T) {
	open := opener(t)
	for file, of := range fields {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text := unpacked(t, outside.Shared(t, "webshop-golden", file))
			cases := []string{text}
			if strings.HasSuffix(file, ".jsonl") {
				cases = slices.Collect(strings.Lines(text))
			}
			all := map[string][]found{}
			for i, c := range cases {
				for _, l := range leaves(t, c) {
					all[l.path] = append(all[l.path], found{cases, i, l})
				}
			}
			for _, path := range slices.Sorted(maps.Keys(all)) {
				if _, ok := of.paths[path]; !ok {
					t.Errorf("nobody says what is told of %s", path)
				}
			}
			d := doctor{open: open, dir: small(t), file: file, kind: of.kind}
			if err := os.RemoveAll(filepath.Join(d.dir, "goals")); err != nil { // none but that which is changed
				t.Fatal(err)
			}
			for path, says := range of.paths {
				d.field(t, path, says, of.by, all[path])
			}
		})
	}
}

// doctor changes a file of a folder.
type doctor struct {
	open      func(context.Context, webshop.Files) (*check.Opened, error)
	dir, file string
	kind      check.Kind
}

func (d *doctor) field(t *testing.T, path, says string, by float64, list []found) {
	t.Helper()
	if len(list) == 0 {
		t.Errorf("there is no %s", path)
		return
	}
	places, noticed := []int{0, len(list) / 2, len(list) - 1}, 0
	if says == given {
		places = append(places, len(list)/4, len(list)/3, 3*len(list)/4)
		by = 100 // more and, at every other place, less
	}
	slices.Sort(places)
	places = slices.Compact(places)
	for i, place := range places {
		if says == given && i > 0 {
			by = -by
		}
		l := list[place]
		now := l.cases[l.at][l.from:l.to]
		other := changed(t, now, by)
		if says == given && now[0] == '"' {
			other = `"x"` // more than one letter more
		}
		told := d.told(t, l, other)
		if told != "" {
			noticed++
		}
		if says != given && says != unasked && !strings.Contains(told, says) {
			t.Errorf("%s, number %d of %d: told %q, want %q in it", path, place+1, len(list), told, says)
		}
		if says != unasked && !strings.HasSuffix(path, "'s name") && now != "null" && d.told(t, l, "null") == "" {
			t.Errorf("%s, number %d of %d: null is not noticed", path, place+1, len(list))
		}
	}
	if (noticed > 0) == (says == unasked) {
		t.Errorf("%s: noticed in %d of %d places, though %s", path, noticed, len(places), says)
	}
}

// told is what is told with another value in a place, "" for nothing.
func (d *doctor) told(t *testing.T, l found, value string) string {
	t.Helper()
	text, line := l.cases[l.at][:l.from]+value+l.cases[l.at][l.to:], 1
	if l.at > 0 {
		text, line = l.cases[l.at-1]+text, 2
	}
	write(t, filepath.Join(d.dir, d.file), text)
	r, err := check.Run(t.Context(), check.Config{Folder: golden.Folder(d.dir), Open: d.open, Project: verlAgent, Kinds: []check.Kind{d.kind}})
	told, at := "", ""
	if err != nil {
		told, at = err.Error(), err.Error()
	} else if r.Differ() > 0 {
		first := r.First[0]
		if first.Got == first.Want {
			t.Errorf("%s: told %s", l.path, first)
		}
		told, at = first.Case, first.String()
	}
	if d.file == golden.RepliesFile { // a list whose elements stand on lines of their own, each value on one
		line = 1 + strings.LastIndex(text[:l.from], "{")
		line = 1 + strings.Count(text[:line], "\n")
	}
	if where := fmt.Sprintf("%s:%d: ", d.file, line); at != "" && !strings.Contains(at, where) {
		t.Errorf("%s: told %s, want %s in it", l.path, at, where)
	}
	return told
}

// verlAgent reads replies as the original does.
func verlAgent(text string) (string, bool) {
	action := reply.Shop.Action(text)
	return action.Command, action.Valid()
}
