package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

// TestFolder reads all that was recorded, in the numbers that its README gives.
func TestFolder(t *testing.T) {
	f := golden.Folder(outside.Shared(t, "webshop-golden"))
	if d, err := f.Data(); err != nil || filepath.Base(d.Products) != "items_shuffle_1000.json" || filepath.Base(d.Nouns) != "title_nouns.json" {
		t.Errorf("data %+v, %v", d, err)
	}
	episodes, err := f.Episodes()
	counted(t, "episodes", episodes, err, 40)
	purchases, err := f.Purchases()
	counted(t, "purchases", purchases, err, 200)
	scores, err := f.Scores()
	counted(t, "scores", scores, err, 600)
	searches, err := f.Searches()
	counted(t, "searches", searches, err, 1108)
	texts, err := f.Texts()
	counted(t, "texts", texts, err, 200)
	replies, err := f.Replies()
	counted(t, "replies", replies, err, 11)
	python, err := f.Python()
	counted(t, "seeds of Python", python, err, 7)
	numpy, err := f.NumPy()
	counted(t, "seeds of NumPy", numpy, err, 2)
	goals, err := f.Goals()
	counted(t, "lists of goals", goals, err, 6)
	if t.Failed() {
		return
	}
	if at := replies[1]; at.String() != "projection.json:7" || at.Value.Valid != 0 {
		t.Errorf("reply 2 is %+v at %s, want it on line 7", at.Value, at)
	}
	if e := episodes[39]; e.Line != 40 || len(e.Value.Steps) == 0 || e.Value.Steps[0].Text == "" || e.Value.Steps[0].Actions == nil {
		t.Errorf("the last episode is %+v at %s", e.Value, e)
	}
	if g := goals[0].Value; g.Seed != 0 || !g.Human || len(g.Goals) != 13 || g.Goals[0].Weight != 1 || g.Goals[0].Options.Named {
		t.Errorf("the first list of goals is %+v", g)
	}
	if s := scores[0].Value; len(s.Goal) == 0 {
		t.Errorf("score 1 is %+v", s)
	}
}

func counted[T any](t *testing.T, what string, list []golden.At[T], err error, want int) {
	t.Helper()
	if err != nil || len(list) != want {
		t.Errorf("%d %s, %v, want %d", len(list), what, err, want)
	}
}

// TestBadFiles: what cannot be read is told by file, line, and what was expected.
func TestBadFiles(t *testing.T) {
	const score = `{"purchased": "a", "goal": ["b", "c"], "score": 3}`
	for text, want := range map[string]string{
		"":                                     golden.ScoresFile + ": nothing is recorded in it",
		score + "\n\n":                         ":2: unexpected end of JSON input",
		score + "\n" + score[:20]:              ":2: unexpected end of JSON input",
		score + "\n{\"purchased\": 5}":         ":2: purchased is a number, expected a string",
		`{"purchased": "a", "goal": "b"}`:      `:1: no "score", expected one`,
		`{"purchased": "a", "goal": ["b"]}`:    ":1: expected a text or a pair of texts",
		score[:len(score)-1] + `, "score": 3}`: `:1: "score" stands twice`,
		`{"purchased": "` + "\xff" + `", "goal": "b", "score": 1}`: ":1: not UTF-8",
		`[5]`: ":1: a list, expected an object",
	} {
		_, err := folder(t, golden.ScoresFile, text).Scores()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), golden.ScoresFile) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"[\n{\"text\": \"a\",\n\"action\": \"b\",\n\"valid\": 1},\n{\"text\": \"a\", \"action\":\n5}]": "projection.json:6: action is a number",
		"[\n{\"text\": \"a\"}\n\n,{]":                                 "projection.json:4: invalid character",
		"[\n{\"text\": \"a\", \"action\": \"b\", \"valid\": 1}\n,{}]": `projection.json:3: no "text"`,
		"[]": "projection.json: nothing is recorded",
		"{}": "expected a JSON list",
	} {
		if _, err := folder(t, golden.RepliesFile, text).Replies(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	empty := golden.Folder(t.TempDir())
	if _, err := empty.Episodes(); err == nil || !strings.Contains(err.Error(), "episodes.jsonl: no such file") {
		t.Errorf("episodes of an empty folder: %v", err)
	}
	if _, err := empty.Goals(); err == nil || !strings.Contains(err.Error(), "goals/*.json.gz: no file") {
		t.Errorf("goals of an empty folder: %v", err)
	}
	if _, err := empty.Data(); err == nil || !strings.Contains(err.Error(), "items_shuffle*.json: 0 files, expected one") {
		t.Errorf("data of an empty folder: %v", err)
	}
	if _, err := folder(t, "goals/seed0.json.gz", "no gzip at all").Goals(); err == nil || !strings.Contains(err.Error(), "goals/seed0.json.gz: gzip: invalid header") {
		t.Errorf("goals that are not packed: %v", err)
	}
}

// folder is one with a file of this text.
func folder(t testing.TB, name, text string) golden.Folder {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return golden.Folder(strings.TrimSuffix(path, "/"+name))
}

// FuzzPurchases: whatever a file holds, it is read or refused with the file's name.
func FuzzPurchases(f *testing.F) {
	f.Add(`{"id": "a"}`)
	f.Add(`{"goal": {"goal_options": {"a": 5}}}`)
	f.Add("[1]\n\n{")
	f.Add(`{"id":"","goal":{"asin":"","query":"","name":"","product_category":"","attributes":[],"price_upper":1,"goal_options":["a"]},"purchased_asin":"","purchased_options":{},"price":1,"expected":{},"option_scores":[{"goal":["a","b"],"purchased":"","score":1}],"attribute_scores":[],"goal_nouns":[],"purchased_nouns":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := folder(t, golden.PurchasesFile, text).Purchases()
		if (err == nil) == (len(list) == 0) || err != nil && !strings.Contains(err.Error(), golden.PurchasesFile) {
			t.Errorf("%d purchases, %v", len(list), err)
		}
	})
}
