package hints

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/gpu"
)

// EncodeConfig says how records become training examples.
type EncodeConfig struct {
	Tokens    agent.Encoder
	Format    agent.Format // "lite/1"
	WithHint  bool         // the teacher's prompt, else the student's
	MaxTokens int          // of prompt and answer; 0: no limit
}

// Lengths tells of encoded examples.
type Lengths struct {
	Examples int `json:"examples"`
	Records  int `json:"records"` // in them
	Over     int `json:"over"`    // records longer than MaxTokens, left out whole
	Longest  int `json:"longest"` // tokens of the longest record, those left out too
	Shortest int `json:"shortest"`
	Tokens   int `json:"tokens"` // of all examples
	Answer   int `json:"answer"` // of them, tokens of answers
}

// Encode is the training example of r. Prompt and answer are encoded apart, as in play, so that the tokens of a
// prompt do not depend on what follows; the loss is on the answer with its line break only.
func Encode(cfg EncodeConfig, r Record) gpu.Example {
	hint := ""
	if cfg.WithHint {
		hint = r.H.Text()
	}
	return cfg.example(r.X, hint, r.Y)
}

// example is a prompt and its answer.
func (cfg EncodeConfig) example(x agent.X, hint, answer string) gpu.Example {
	tokens := cfg.Tokens.EncodePlain(cmp.Or(cfg.Format, agent.Lite).Prompt(x, hint))
	n := len(tokens)
	return gpu.Example{Tokens: append(tokens[:n:n], cfg.Tokens.EncodePlain(agent.Answer(answer))...), Answer: n}
}

// Examples are the training examples of records, in their order. A record whose prompt begins with all of the example
// before it becomes one more answer of that example, so that what they share is computed once; loss and gradient are
// the same. A record longer than MaxTokens is left out and counted, never cut.
func Examples(cfg EncodeConfig, records iter.Seq2[Record, error]) ([]gpu.Example, Lengths, error) {
	var all []gpu.Example
	var lengths Lengths
	for r, err := range records {
		if err != nil {
			return nil, Lengths{}, fmt.Errorf("encoding examples: %w", err)
		}
		e := Encode(cfg, r)
		if lengths.Longest == 0 {
			lengths.Shortest = len(e.Tokens)
		}
		lengths.Longest, lengths.Shortest = max(lengths.Longest, len(e.Tokens)), min(lengths.Shortest, len(e.Tokens))
		if cfg.MaxTokens > 0 && len(e.Tokens) > cfg.MaxTokens {
			lengths.Over++
			continue
		}
		lengths.Records++
		lengths.Answer += len(e.Tokens) - e.Answer
		if n := len(all) - 1; n >= 0 && goesOn(all[n], e) {
			lengths.Tokens += len(e.Tokens) - len(all[n].Tokens)
			all[n] = joined(all[n], e)
			continue
		}
		lengths.Examples++
		lengths.Tokens += len(e.Tokens)
		all = append(all, e)
	}
	return all, lengths, nil
}

// goesOn reports whether the prompt of e begins with all of before and says more.
func goesOn(before, e gpu.Example) bool {
	n := len(before.Tokens)
	return n < e.Answer && slices.Equal(before.Tokens, e.Tokens[:n])
}

// OfGames are the records whose game is chosen: one side of a split.
func OfGames(records iter.Seq2[Record, error], chosen func(game string) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range records {
			if (err != nil || chosen(r.Game)) && !yield(r, err) {
				return
			}
		}
	}
}
