package hints_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/hints"
)

// bytesEncoder has one token a byte.
type bytesEncoder struct{}

func (bytesEncoder) EncodePlain(text string) []int32 {
	ids := make([]int32, len(text), len(text)+9)
	for i, b := range []byte(text) {
		ids[i] = int32(b)
	}
	return ids
}

func TestExamples(t *testing.T) {
	file := chunk(t, 0, 1, 2)
	var records []hints.Record
	for r, err := range hints.Records(bytes.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	for _, withHint := range []bool{true, false} {
		cfg := hints.EncodeConfig{Tokens: bytesEncoder{}, WithHint: withHint}
		got, lengths, err := hints.Examples(cfg, hints.Records(bytes.NewReader(file)))
		if err != nil || len(got) != len(records) {
			t.Fatalf("%d examples, %v", len(got), err)
		}
		total := 0
		for i, r := range records {
			prompt := agent.Prompt(r.X)
			if withHint {
				prompt = hints.Teacher(agent.Lite, r.X, r.H)
			}
			whole := prompt + r.Y + "\n"
			total += len(whole)
			if string(asBytes(got[i].Tokens)) != whole || got[i].Answer != len(prompt) {
				t.Errorf("example %d: %q from %d", i, asBytes(got[i].Tokens), got[i].Answer)
			}
		}
		if lengths.Examples != len(records) || lengths.Over != 0 || lengths.Tokens != total {
			t.Errorf("lengths %+v, want %d tokens", lengths, total)
		}
		// One token less than the longest leaves out the longest and cuts nothing.
		cfg.MaxTokens = lengths.Longest - 1
		fewer, short, err := hints.Examples(cfg, hints.Records(bytes.NewReader(file)))
		if err != nil || short.Over == 0 || short.Over+len(fewer) != len(records) || short.Longest != lengths.Longest {
			t.Errorf("with a limit: %+v, %d examples, %v", short, len(fewer), err)
		}
		for _, e := range fewer {
			if len(e.Tokens) > cfg.MaxTokens || e.Tokens[len(e.Tokens)-1] != '\n' {
				t.Errorf("example cut: %q", asBytes(e.Tokens))
			}
		}
	}
}

// Records of a game whose prompts grow are one example with an answer for each. A gap, a detour or another game
// begins a new one, and a record that is too long does not take the others with it.
func TestExamplesGrow(t *testing.T) {
	turn := func(game string, detour int, said ...string) hints.Record {
		r := hints.Record{Game: game, Detour: detour, Y: said[len(said)-1], X: agent.X{Goal: "g", Observation: "o"}}
		for _, c := range said[:len(said)-1] {
			r.X.History = append(r.X.History, agent.Turn{Observation: "o", Command: c})
		}
		return r
	}
	records := []hints.Record{
		turn("a", 0, "x"), turn("a", 0, "x", "y"), turn("a", 0, "x", "y", "z"),
		turn("a", 1, "x", "w", "v"), turn("a", 1, "x", "w", "v", "u"),
		turn("b", 0, "x"), turn("b", 0, "x", "a command that is too long", "y"),
	}
	const head, seen = "goal: g\n", "now: o\ndo:\n"
	want := []struct {
		text    string
		answers []string
	}{
		{head + seen + "x\n" + seen + "y\n" + seen + "z\n", []string{"x\n", "y\n", "z\n"}},
		{head + seen + "x\n" + seen + "w\n" + seen + "v\n" + seen + "u\n", []string{"v\n", "u\n"}},
		{head + seen + "x\n", []string{"x\n"}},
	}
	cfg := hints.EncodeConfig{Tokens: bytesEncoder{}, Format: agent.Turns, MaxTokens: 64}
	got, lengths, err := hints.Examples(cfg, func(yield func(hints.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d examples, %v, want %d", len(got), err, len(want))
	}
	tokens, answers := 0, 0
	for i, w := range want {
		var said []string
		for a := range got[i].Answers() {
			said = append(said, string(asBytes(got[i].Tokens[a.From:a.To])))
			answers += a.To - a.From
		}
		if string(asBytes(got[i].Tokens)) != w.text || !slices.Equal(said, w.answers) || got[i].Check() != nil {
			t.Errorf("example %d: %q with %q, %v, want %q with %q", i, asBytes(got[i].Tokens), said, got[i].Check(), w.text, w.answers)
		}
		tokens += len(w.text)
	}
	if lengths.Examples != 3 || lengths.Records != 6 || lengths.Over != 1 || lengths.Tokens != tokens || lengths.Answer != answers {
		t.Errorf("lengths %+v, want 3 examples of 6 records, 1 over, %d tokens, %d of answers", lengths, tokens, answers)
	}
}

func asBytes(ids []int32) []byte {
	b := make([]byte, len(ids))
	for i, id := range ids {
		b[i] = byte(id)
	}
	return b
}

func TestOfGames(t *testing.T) {
	file := chunk(t, 0, 1, 2, 3)
	n := 0
	for r, err := range hints.OfGames(hints.Records(bytes.NewReader(file)), func(id string) bool { return id == "g/01" }) {
		if err != nil || r.Game != "g/01" {
			t.Errorf("%s, %v", r.Game, err)
		}
		n++
	}
	if n != 7 {
		t.Errorf("%d records of g/01, want 7", n)
	}
	broken := errors.New("line 7")
	for _, err := range hints.OfGames(func(yield func(hints.Record, error) bool) { yield(hints.Record{}, broken) }, func(string) bool { return false }) {
		if !errors.Is(err, broken) {
			t.Errorf("error %v is lost", err)
		}
	}
}
