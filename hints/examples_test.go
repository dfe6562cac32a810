package hints_test

import (
	"bytes"
	"errors"
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
