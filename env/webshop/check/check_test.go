package check_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/internal/outside"
)

// recordings are the files that small copies whole or the first lines of.
var recordings = []string{
	golden.EpisodesFile, golden.PurchasesFile, golden.ScoresFile, golden.SearchesFile, golden.TextsFile, golden.RepliesFile,
	golden.PythonFile, golden.NumPyFile, golden.ColoursFile, golden.StatsFile, humanGoals,
	"data/items_shuffle_1000.json", "data/items_ins_v2_1000.json", "data/items_human_ins.json", "data/title_nouns.json",
}

const humanGoals = "goals/seed233_human.json.gz"

// small is a copy of the golden data that is quick to compare: three lines of each file of lines and one list of goals.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range recordings {
		text := unpacked(t, outside.Shared(t, "webshop-golden", name))
		if strings.HasSuffix(name, ".jsonl") {
			text = strings.Join(strings.SplitAfter(text, "\n")[:3], "")
		}
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return string(data)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	var out bytes.Buffer
	out.WriteString(text)
	if strings.HasSuffix(path, ".gz") {
		out.Reset()
		z := gzip.NewWriter(&out)
		if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// opener opens the golden catalogue once for many comparisons.
func opener(t *testing.T) func(context.Context, webshop.Files) (*check.Opened, error) {
	t.Helper()
	at := func(name string) string { return outside.Shared(t, "webshop-golden", "data", name) }
	catalogue, err := webshop.Open(webshop.Files{
		Products: at("items_shuffle_1000.json"), Attributes: at("items_ins_v2_1000.json"), Instructions: at("items_human_ins.json"),
	})
	if err != nil {
		t.Fatal(err)
	}
	index, err := search.New(t.Context(), catalogue.Documents())
	if err != nil {
		t.Fatal(err)
	}
	return func(context.Context, webshop.Files) (*check.Opened, error) {
		return &check.Opened{Catalogue: catalogue, Index: index, Close: func() error { return nil }}, nil
	}
}

// project makes of replies what the original does of those that the tests keep.
func project(text string) (string, bool) {
	_, rest, _ := strings.Cut(text, "<action>")
	action, _, ok := strings.Cut(rest, "</action>")
	if !ok {
		action = text[max(0, len(text)-20):]
	}
	return strings.ToLower(action), ok && strings.Contains(text, "<think>")
}

// TestDoctored: what is changed in any kind of file is found, with file, line, case and both values.
func TestDoctored(t *testing.T) {
	dir, open := small(t), opener(t)
	run := func(t *testing.T) check.Result {
		t.Helper()
		r, err := check.Run(t.Context(), check.Config{Folder: golden.Folder(dir), Open: open, Project: project})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	replies := unpacked(t, filepath.Join(dir, golden.RepliesFile))
	write(t, filepath.Join(dir, golden.RepliesFile), replies[:strings.Index(replies, " },")]+" }]")
	if r := run(t); r.Differ() != 0 || r.Of(check.Episodes).Compared != 3 || len(r.Counts) != 12 || !strings.HasSuffix(r.String(), "3 episodes; none differs") {
		t.Fatalf("before: %s, %v", r.String(), r.First)
	}
	for name, c := range map[string]struct {
		file, from, to string
		kind           check.Kind
		line           int
		says, got      string
	}{
		"text":       {golden.EpisodesFile, `[SEP] Description`, `[SEP] description`, check.Pages, 1, `text`, "Description"},
		"rich text":  {golden.EpisodesFile, `[button] Next >`, `[button] Next`, check.Pages, 1, `rich text`, "Next >"},
		"URL":        {golden.EpisodesFile, `"url": "/item_page/`, `"url": "/item/`, check.Pages, 1, `URL`, "item_page"},
		"actions":    {golden.EpisodesFile, `"< prev", `, ``, check.Pages, 1, `actions`, "< prev"},
		"search bar": {golden.EpisodesFile, `"has_search_bar": true`, `"has_search_bar": false`, check.Pages, 1, `s-00, reset: actions: a search bar`, "true"},
		"reward":     {golden.EpisodesFile, `"w_att": 0.`, `"w_att": 1.`, check.Pages, 1, `w_att`, "0."},
		"goal":       {golden.EpisodesFile, `"instruction_text": "Find me`, `"instruction_text": "Find`, check.Episodes, 1, `s-00: instruction`, "Find me"},
		"total":      {golden.PurchasesFile, `"total": 0.1`, `"total": 0.2`, check.Purchases, 1, `rs-000: total`, "0.1"},
		"part":       {golden.PurchasesFile, `"r_price": true`, `"r_price": false`, check.Purchases, 1, `rs-000: r_price`, "true"},
		"nouns":      {golden.PurchasesFile, `"goal_nouns": ["seki", `, `"goal_nouns": [`, check.Purchases, 1, `nouns of the wanted title`, "seki"},
		"attribute":  {golden.PurchasesFile, `"best_score": 42`, `"best_score": 43`, check.Purchases, 1, `attribute 2: score`, "42"},
		"score":      {golden.ScoresFile, `"score": `, `"score": 1`, check.Scores, 1, `with`, ""},
		"hit":        {golden.SearchesFile, `"asins": ["`, `"asins": ["X`, check.Searches, 1, `hit 1`, "B0"},
		"hit score":  {golden.SearchesFile, `"scores": [`, `"scores": [1`, check.Searches, 1, `score of hit 1`, ""},
		"terms":      {golden.TextsFile, `"terms": ["`, `"terms": ["x`, check.Texts, 1, `terms`, ""},
		"reply":      {golden.RepliesFile, `"action": "click[x]"`, `"action": "click[X]"`, check.Replies, 2, `action`, "click[x]"},
		"valid":      {golden.RepliesFile, `"valid": 1`, `"valid": 0`, check.Replies, 2, `valid`, "true"},
		"Python":     {golden.PythonFile, `"randbelow": [[1, 0]`, `"randbelow": [[1, 1]`, check.Draws, 1, `Python, seed 0: randbelow`, "0"},
		"NumPy":      {golden.NumPyFile, `[2793, 3742`, `[3742, 2793`, check.Draws, 1, `NumPy, seed 0: call 1`, "2793"},
		"colours":    {golden.ColoursFile, `"aqua"`, `"water"`, check.Tables, 1, `colours`, "aqua"},
		"stats":      {golden.StatsFile, `107608,`, `107609,`, check.Tables, 1, `terms with repeats`, "107608"},
		"goals":      {humanGoals, `["blue"], 1]`, `["blue"], 2]`, check.Goals, 1, `weight`, "1"},
		"price":      {humanGoals, `"range_prices": {"B08ZRR3DZT": `, `"range_prices": {"B08ZRR3DZT": 1`, check.Prices, 1, `price of B08ZRR3DZT: dollars`, ""},
		"session":    {humanGoals, `"session": "`, `"session": "x`, check.Sessions, 1, `random session 0: name`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, c.file)
			before := unpacked(t, path)
			after := strings.Replace(before, c.from, c.to, 1)
			if after == before {
				t.Fatalf("%s has no %q", c.file, c.from)
			}
			write(t, path, after)
			defer write(t, path, before)
			r := run(t)
			if n := r.Of(c.kind).Differ; n != 1 || len(r.First) != 1 {
				t.Fatalf("%s, told %v, want one of %s", r.String(), r.First, c.kind)
			}
			d := r.First[0]
			if d.Kind != c.kind || d.File != c.file || d.Line != c.line || !strings.Contains(d.Case, c.says) || !strings.Contains(d.Got, c.got) || d.Got == d.Want {
				t.Errorf("%+v, want %s:%d with %q, got %q", d, c.file, c.line, c.says, c.got)
			}
		})
	}
}

// TestCatalogue: another catalogue is found, and differences are bounded.
func TestCatalogue(t *testing.T) {
	dir := small(t)
	path := filepath.Join(dir, "data/items_shuffle_1000.json")
	write(t, path, strings.ReplaceAll(unpacked(t, path), `"pricing": "$`, `"pricing": "$1`))
	write(t, filepath.Join(dir, golden.ScoresFile), strings.Repeat(`{"purchased": "a", "goal": "b", "score": 101}`+"\n", 50))
	r, err := check.Run(t.Context(), check.Config{Folder: golden.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Of(check.Prices).Differ == 0 || r.Of(check.Goals).Differ == 0 || r.Of(check.Episodes).Differ == 0 || r.Of(check.Searches).Differ != 0 {
		t.Errorf("with other prices: %s", r.String())
	}
	told := 0
	for _, d := range r.First {
		if len(d.Got) > 1000 || len(d.Want) > 1000 {
			t.Errorf("a difference of %d bytes", len(d.Got)+len(d.Want))
		}
		if d.Kind == check.Scores {
			told++
		}
	}
	if got := r.Of(check.Scores); got.Differ != 50 || told != 5 || !strings.Contains(r.String(), "50 token-set scores (50 differ)") {
		t.Errorf("%+v with %d told: %s", got, told, r.String())
	}
}

// TestFaults: a file that is missing or malformed is told by its name and line, and all others are compared.
func TestFaults(t *testing.T) {
	dir, open := small(t), opener(t)
	for _, name := range recordings {
		path := filepath.Join(dir, name)
		before := unpacked(t, path)
		cfg := check.Config{Folder: golden.Folder(dir), Open: open, Project: project, Kinds: []check.Kind{check.Texts}}
		if strings.Contains(name, "items_") {
			cfg.Open = nil
		}
		kinds := map[string]check.Kind{
			golden.EpisodesFile: check.Episodes, golden.ScoresFile: check.Scores, golden.SearchesFile: check.Searches, golden.TextsFile: check.Scores,
			golden.RepliesFile: check.Replies, golden.PythonFile: check.Draws, golden.NumPyFile: check.Draws, golden.ColoursFile: check.Tables,
			golden.StatsFile: check.Tables, humanGoals: check.Goals,
		}
		kind, ok := kinds[name]
		if !ok {
			kind = check.Purchases
		}
		cfg.Kinds = append(cfg.Kinds, kind)
		for what, do := range map[string]func(){
			"cut":     func() { write(t, path, before[:len(before)/2]) },
			"missing": func() { _ = os.Remove(path) },
		} {
			do()
			r, err := check.Run(t.Context(), cfg)
			says := name
			if what == "cut" && !strings.Contains(name, "title_nouns") {
				says = filepath.Base(name) + ":"
			}
			if what == "missing" && strings.HasPrefix(name, "data/items") || what == "missing" && strings.HasPrefix(name, "data/title") || what == "missing" && name == humanGoals {
				says = "expected"
			}
			if err == nil || !strings.Contains(err.Error(), says) || name != golden.TextsFile && r.Of(check.Texts).Compared != 3 {
				t.Errorf("%s %s: %s, %v, want an error with %q", name, what, r.String(), err, says)
			}
			write(t, path, before)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Run(ended, check.Config{Folder: golden.Folder(dir)}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
}

// TestFaultyCases: a case that cannot be compared is told of, and those after it are compared. Of many, the first are told
// and the others counted.
func TestFaultyCases(t *testing.T) {
	dir, open := small(t), opener(t)
	for file, asin := range map[string]string{golden.PurchasesFile: `"purchased_asin": "`, golden.EpisodesFile: `"session": `} {
		text := unpacked(t, outside.Shared(t, "webshop-golden", file))
		lines := strings.SplitAfter(text, "\n")
		for i := range 7 {
			lines[i] = strings.Replace(lines[i], asin, asin+"10", 1)
		}
		write(t, filepath.Join(dir, file), strings.Join(lines, ""))
	}
	r, err := check.Run(t.Context(), check.Config{Folder: golden.Folder(dir), Open: open, Kinds: []check.Kind{check.Purchases, check.Episodes}})
	if err == nil {
		t.Fatal("no error")
	}
	for kind, want := range map[check.Kind]int{check.Purchases: 193, check.Episodes: 33} {
		if got := r.Of(kind); got.Compared != want || got.Differ != 0 {
			t.Errorf("%+v, want %d compared and none that differs", got, want)
		}
		if told := strings.Count(err.Error(), string(kind)+": "); told != 6 || !strings.Contains(err.Error(), string(kind)+": 2 more") {
			t.Errorf("%v, want five of %s told and two counted", err, kind)
		}
	}
}
