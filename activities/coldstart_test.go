package activities_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// colds is a cold start on real games: the examples that it trained on in its first epoch, as text.
type colds struct {
	*world
	school
	tokens *tokenizer.Tokenizer
	input  activities.TrainInput
	heard  *[]gpu.Example
	train  []hints.Record // of the dataset's games, those of detours too
	held   []hints.Record
}

// three are training games, three of each family: one is held out and two are left to show each other's lessons.
var three = func() func(t *testing.T) []activities.GameFile {
	var made []activities.GameFile
	return func(t *testing.T) []activities.GameFile {
		t.Helper()
		if made == nil {
			for g, err := range household.Generate(household.Config{Seed: 5, Train: 18, Mix: household.EvenMix}) {
				if err != nil {
					t.Fatal(err)
				}
				made = append(made, activities.GameFile{ID: g.ID, Split: g.Split, Family: g.Family, Data: g.Data})
			}
			slices.SortFunc(made, func(a, b activities.GameFile) int { return strings.Compare(a.ID, b.ID) })
		}
		return slices.Clone(made)
	}
}()

func coldStart() *activities.ColdStartParameters {
	return &activities.ColdStartParameters{Prompts: ask.Turns, Query: true, Rank: true, Distil: true, Skilled: 0.5, Seed: 3}
}

func newColds(t *testing.T) *colds {
	t.Helper()
	c := &colds{heard: new([]gpu.Example)}
	c.world = newWorld(t, newStore(), &gputest.Runner{OnMicro: func(micro [][]gpu.Example) {
		for _, batch := range micro {
			*c.heard = append(*c.heard, batch...)
		}
	}})
	p := params()
	p.Recovery = &hints.Recovery{PerGame: 1}
	games := c.list(t, three(t))
	c.dataset = c.hinted(t, activities.HintChunkInput{Games: games, HintParameters: p}, 100).Digest
	c.model = must[activities.ModelResult](t, c.world, do.InitModel, activities.InitInput{
		Key: key("init"), Dataset: c.dataset, InitParameters: activities.InitParameters{
			Qwen2: gpu.ModelConfig{Positions: 4096}, Seed: 1, Vocabulary: 2000, Split: tokenizer.SplitWord, ColdStart: coldStart(),
		},
	}).Digest
	var err error
	if c.train, c.held, err = activities.ReadDataset(t.Context(), c.Store, c.dataset); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(c.train, func(r hints.Record) bool { return r.Detour > 0 }) {
		t.Fatal("no record of a detour, want some to be left out")
	}
	dir, err := artifacts.Fetch(t.Context(), c.Store, c.manifest(t, c.model), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if c.tokens, err = tokenizer.Load(filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	c.input = c.lesson("cold_start")
	c.input.WithHint, c.input.ColdStart = false, coldStart()
	c.input.Batch, c.input.Accumulate, c.input.Train.Steps, c.input.Epochs, c.input.Checkpoint = 1, 1, 0, 1, 100
	return c
}

// run trains and returns what it trained on.
func (c *colds) run(t *testing.T, name string, change func(*activities.TrainInput)) []gpu.Example {
	t.Helper()
	in := c.input
	in.Key = key(name)
	if change != nil {
		change(&in)
	}
	*c.heard = nil
	must[activities.ModelResult](t, c.world, do.TrainSFT, in)
	return *c.heard
}

// plans are the games' records from their first states.
func plans(records []hints.Record) map[string][]hints.Record {
	games := map[string][]hints.Record{}
	for _, r := range records {
		if r.Detour == 0 {
			games[r.Game] = append(games[r.Game], r)
		}
	}
	return games
}

func (c *colds) said(x gpu.Example) (prompt string, answers []string) {
	for a := range x.Answers() {
		answers = append(answers, c.tokens.DecodePlain(x.Tokens[a.From:a.To]))
	}
	return c.tokens.DecodePlain(x.Tokens[:x.Answer]), answers
}

// TestColdStart: each training game is a query, an order, and one conversation of its plan's commands with a lesson at
// its end, and no more. The lesson is drawn from all that was said, the game's last word among it.
func TestColdStart(t *testing.T) {
	c := newColds(t)
	stop, _ := c.tokens.ID(activities.EndOfText)
	games := plans(c.train)
	var want []string // the commands of each game, one line a game
	ends := map[string]bool{}
	for id, records := range games {
		var commands []string
		for _, r := range records {
			commands = append(commands, r.Y)
		}
		want = append(want, strings.Join(commands, "; "))
		ends[lastWord(t, id, commands)] = true
	}
	count := map[string]int{}
	var got []string
	for _, x := range c.run(t, "cold", nil) {
		prompt, answers := c.said(x)
		word, _, _ := strings.Cut(prompt, "\n")
		count[word]++
		for a := range x.Answers() {
			if x.Tokens[a.To-1] != stop {
				t.Errorf("%s: an answer does not end with %s", word, activities.EndOfText)
			}
		}
		switch word {
		case "query":
			if q := reply.Query(answers[0]); !strings.Contains(prompt, "goal: "+strings.TrimSuffix(strings.TrimPrefix(q, "To "), ".")+"\n") {
				t.Errorf("query %q of\n%s", q, prompt)
			}
		case "rank":
			if !reply.Rank(answers[0], 3).Parsed {
				t.Errorf("order %q", answers[0])
			}
		case "act":
			var commands []string
			end := len(answers) - 1
			for _, a := range answers[:end] {
				action := reply.Projection{}.Action(a)
				if !action.Valid() {
					t.Errorf("answer %q: %s", a, action.Fault)
				}
				commands = append(commands, action.Command)
			}
			got = append(got, strings.Join(commands, "; "))
			lesson, err := reply.Distilled(answers[end])
			if err != nil || lesson.Strategy() == "" {
				t.Errorf("lesson %q: %v", answers[end], err)
			}
			asked := c.tokens.DecodePlain(x.Tokens[x.Read[end-1].From:x.Read[end-1].To])
			if last := strings.TrimSuffix(strings.TrimPrefix(asked, "now: "), "\ngame: won\nlearn\n"); !ends[last] {
				t.Errorf("the lesson is asked for by %q, want a game's last word of %v, and how it ended", asked, ends)
			}
		}
	}
	n := len(games)
	if fmt.Sprint(count) != fmt.Sprint(map[string]int{"query": n, "rank": n, "act": n}) {
		t.Errorf("examples %v, want %d of each", count, n)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got commands\n%q\nwant\n%q", got, want)
	}
	m := c.manifest(t, must[activities.ModelResult](t, c.world, do.TrainSFT, c.with(t, "cold")).Digest)
	if held := len(plans(c.held)) * 3; !strings.Contains(string(m.Summary), fmt.Sprintf(`"validation":%d`, held)) || !strings.Contains(string(m.Parameters), `"coldStart":{"distil":true,"prompts":"skill-turns/1"`) {
		t.Errorf("summary %s, want %d to validate with; parameters %s", m.Summary, held, m.Parameters)
	}
	if card := string(c.file(t, must[activities.ModelResult](t, c.world, do.TrainSFT, c.with(t, "cold")).Digest, "README.md")); !strings.Contains(card, "skill-turns/1") || strings.Contains(card, "and a line break") {
		t.Errorf("card\n%s", card)
	}
}

func (c *colds) with(t *testing.T, name string) activities.TrainInput {
	t.Helper()
	in := c.input
	in.Key = key(name)
	return in
}

// lastWord is what a game says to the last of its commands, on one line as prompts show it.
func lastWord(t *testing.T, id string, commands []string) string {
	t.Helper()
	w := newWorld(t, newStore(), nil)
	for _, file := range three(t) {
		if file.ID != id {
			continue
		}
		game, err := w.OpenGame(t.Context(), id, file.Data)
		if err != nil {
			t.Fatal(err)
		}
		episode, err := game.Start(t.Context(), env.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			if _, err := episode.Step(t.Context(), command); err != nil {
				t.Fatal(err)
			}
		}
		return agent.Shown(episode.Now().Text)
	}
	t.Fatalf("no game %s", id)
	return ""
}

// TestColdStartWindow: prompts that do not grow show as many turns as play does, however many the dataset has.
func TestColdStartWindow(t *testing.T) {
	c := newColds(t)
	for _, history := range []int{0, 3} {
		most := 0
		for _, x := range c.run(t, fmt.Sprint("window", history), func(in *activities.TrainInput) {
			p := *coldStart()
			p.Prompts, p.History, p.Query, p.Rank, p.Distil, p.Skilled = ask.Brief, history, false, false, false, 0
			in.ColdStart = &p
		}) {
			prompt, answers := c.said(x)
			if len(answers) != 1 {
				t.Fatalf("%d answers behind\n%s", len(answers), prompt)
			}
			most = max(most, strings.Count(prompt, "\ndo: "))
		}
		if want := max(2, history); most != want {
			t.Errorf("history %d: %d turns are shown, want %d", history, most, want)
		}
	}
}

// TestColdStartRename: things change their names throughout an example, in prompts, thoughts, commands and lessons alike,
// to others one by one; no other word changes. A loss on prompts takes whole examples.
func TestColdStartRename(t *testing.T) {
	c := newColds(t)
	plain := c.run(t, "plain", nil)
	renamed := c.run(t, "renamed", func(in *activities.TrainInput) { in.Rename = 1 })
	things := map[string]bool{}
	for _, r := range c.train {
		if len(c.tokens.EncodePlain(" "+r.H.Target)) == 1 {
			things[r.H.Target] = true
		}
	}
	if len(things) < 3 || len(renamed) != len(plain) {
		t.Fatalf("things %v, %d examples and %d renamed", things, len(plain), len(renamed))
	}
	changed := 0
	for i := range plain {
		to := map[string]string{}
		before, after := words(c.tokens.DecodePlain(plain[i].Tokens)), words(c.tokens.DecodePlain(renamed[i].Tokens))
		if len(before) != len(after) {
			t.Fatalf("example %d: %d words and %d renamed", i, len(before), len(after))
		}
		for k, word := range before {
			if known, ok := to[word]; ok && known != after[k] {
				t.Errorf("example %d: %q becomes %q and %q", i, word, known, after[k])
			}
			if to[word] = after[k]; after[k] != word {
				changed++
				if !things[word] || !things[after[k]] {
					t.Errorf("example %d: %q becomes %q, want things", i, word, after[k])
				}
			}
		}
		from := map[string]string{}
		for word, other := range to {
			if known, ok := from[other]; ok {
				t.Errorf("example %d: %q and %q become %q", i, known, word, other)
			}
			from[other] = word
		}
	}
	if changed < len(plain) {
		t.Errorf("%d words of %d examples changed", changed, len(plain))
	}
	for i, x := range c.run(t, "prompts", func(in *activities.TrainInput) { in.PromptLoss = 1 }) {
		if x.Answer != 1 || len(x.Read) != 0 || !slices.Equal(x.Tokens, plain[i].Tokens) {
			t.Fatalf("example %d learns from token %d on with %d spans read", i, x.Answer, len(x.Read))
		}
	}
}

// words are a text's words, without what stands around them.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// TestColdStartTokenizer: the tokenizer of a new model learns from the cold start's texts: a tag that stands in every
// answer, before a command that begins with go, is one token.
func TestColdStartTokenizer(t *testing.T) {
	c := newColds(t)
	if ids := c.tokens.EncodePlain("</think><action>go"); len(ids) > 2 {
		t.Errorf("%q are %d tokens, want two at most", "</think><action>go", len(ids))
	}
	if ids := c.tokens.EncodePlain(`,"task_success"`); len(ids) > 2 {
		t.Errorf("a lesson's field takes %d tokens", len(ids))
	}
}

// TestColdStartOverlong: what is too long is left out and counted: of a conversation its end.
func TestColdStartOverlong(t *testing.T) {
	c := newColds(t)
	all := c.run(t, "all", nil)
	longest := 0
	for _, x := range all {
		longest = max(longest, len(x.Tokens))
	}
	in := c.with(t, "short")
	in.MaxTokens = longest - 1
	*c.heard = nil
	res := must[activities.ModelResult](t, c.world, do.TrainSFT, in)
	if len(*c.heard) == 0 || !strings.Contains(res.Note, fmt.Sprintf("over %d tokens left out", longest-1)) {
		t.Errorf("note %q of %d examples", res.Note, len(*c.heard))
	}
	for _, x := range *c.heard {
		if len(x.Tokens) >= longest {
			t.Errorf("an example of %d tokens, want fewer than %d", len(x.Tokens), longest)
		}
	}
	in = c.with(t, "none")
	in.MaxTokens = 3
	_, err := call[activities.ModelResult](c.world, do.TrainSFT, in)
	final(t, err, activities.ErrTypeBadInput, "cold_start.max_tokens 3: dataset", "has 0 records to train on", "the shortest has ")
	if strings.Contains(err.Error(), "shortest has 0") {
		t.Error(err)
	}
}

// TestColdStartValidate: so many examples of games held out, always the same ones.
func TestColdStartValidate(t *testing.T) {
	c := newColds(t)
	in := c.with(t, "three")
	in.Validate = 3
	res := must[activities.ModelResult](t, c.world, do.TrainSFT, in)
	if s := string(c.manifest(t, res.Digest).Summary); !strings.Contains(s, `"validation":3`) {
		t.Errorf("summary %s", s)
	}
}

// TestColdStartGames: a cold start of so many games learns from these alone, and so does the tokenizer.
func TestColdStartGames(t *testing.T) {
	c := newColds(t)
	one := activities.ColdStartParameters{Prompts: ask.Turns, Games: 1}
	games := plans(c.train)
	if len(games) < 2 {
		t.Fatalf("%d games to train on, want some to be left out", len(games))
	}
	examples := c.run(t, "one game", func(in *activities.TrainInput) { in.ColdStart = &one })
	if len(examples) != 1 {
		t.Fatalf("%d examples of one game, want its conversation", len(examples))
	}
	_, answers := c.said(examples[0])
	theirs := 0
	for _, records := range games {
		if slices.EqualFunc(answers, records, func(said string, r hints.Record) bool { return strings.Contains(said, "<action>"+r.Y+"<") }) {
			theirs++
		}
	}
	if theirs != 1 {
		t.Errorf("%q are the commands of %d games, want one's", answers, theirs)
	}
	init := func(name string, games int) artifacts.Digest {
		cold := one
		cold.Games = games
		return must[activities.ModelResult](t, c.world, do.InitModel, activities.InitInput{
			Key: key(name), Dataset: c.dataset, InitParameters: activities.InitParameters{
				Qwen2: gpu.ModelConfig{Positions: 4096}, Seed: 1, Vocabulary: 500, Split: tokenizer.SplitWord, ColdStart: &cold,
			},
		}).Digest
	}
	if init("of all", 0) == init("of one", 1) {
		t.Error("a tokenizer of one game is that of all")
	}
}

// TestColdStartRefuses: errors name the field.
func TestColdStartRefuses(t *testing.T) {
	c := newColds(t)
	for want, change := range map[string]func(*activities.TrainInput){
		`cold_start.prompts "lite/1": expected skill/1`: func(in *activities.TrainInput) { in.ColdStart.Prompts = "lite/1" },
		`cold_start.world "shed": expected household`:   func(in *activities.TrainInput) { in.ColdStart.World = "shed" },
		"cold_start.skilled 1.5: expected 0 to 1":       func(in *activities.TrainInput) { in.ColdStart.Skilled = 1.5 },
		"cold_start.history -1: expected 0 or more":     func(in *activities.TrainInput) { in.ColdStart.History = -1 },
		"cold_start.beside 1.5: expected 0 to 1":        func(in *activities.TrainInput) { in.ColdStart.Beside = 1.5 },
		"cold_start.games -1: expected 0 or more":       func(in *activities.TrainInput) { in.ColdStart.Games = -1 },
		"cold_start: a hint true":                       func(in *activities.TrainInput) { in.WithHint = true },
	} {
		in := c.with(t, "refused")
		in.ColdStart = coldStart()
		change(&in)
		_, err := call[activities.ModelResult](c.world, do.TrainSFT, in)
		final(t, err, activities.ErrTypeBadInput, want)
	}
	// A dataset of two games has nothing to put in order.
	pick := slices.DeleteFunc(three(t), func(g activities.GameFile) bool { return g.Family != three(t)[0].Family })
	p := params()
	p.Validation = 1
	few := c.hinted(t, activities.HintChunkInput{Games: c.list(t, pick[:2]), HintParameters: p}, 100)
	in := c.with(t, "one family")
	in.Dataset = few.Digest
	_, err := call[activities.ModelResult](c.world, do.TrainSFT, in)
	final(t, err, activities.ErrTypeBadInput, "cold_start.rank: expected three training games")
	_, err = call[activities.ModelResult](c.world, do.InitModel, activities.InitInput{
		Key: key("init one"), Dataset: few.Digest, InitParameters: activities.InitParameters{
			Qwen2: gpu.ModelConfig{Positions: 4096}, Seed: 1, Vocabulary: 2000, Split: tokenizer.SplitWord, ColdStart: coldStart(),
		},
	})
	final(t, err, activities.ErrTypeBadInput, "cold_start.rank: expected three training games")
}

// TestColdStartKeys: parameters without a cold start are written as they were, so that stages keep their keys.
func TestColdStartKeys(t *testing.T) {
	for _, v := range []any{activities.TrainParameters{}, activities.InitParameters{}} {
		if raw := string(marshal(t, v)); strings.Contains(raw, "old") {
			t.Errorf("%s", raw)
		}
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
