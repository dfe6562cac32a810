package gpu

import (
	"fmt"
	"iter"
)

// Example is one training text. The loss is on its answers, each token predicted from all before it: Tokens[Answer:]
// is one answer or, where Read is given, several with what is only read between them.
type Example struct {
	Tokens []int32
	Answer int    // at least 1
	Read   []Span // parts of Tokens[Answer:] without loss: ascending, apart, none at the beginning or end
}

// Span is the places from From up to To.
type Span struct{ From, To int }

// Whole is x with all tokens but the first to learn.
func (x Example) Whole() Example { return Example{Tokens: x.Tokens, Answer: 1} }

// Answers yields the spans of Tokens that the loss is on, in order.
func (x Example) Answers() iter.Seq[Span] {
	return func(yield func(Span) bool) {
		from := x.Answer
		for _, r := range x.Read {
			if !yield(Span{from, r.From}) {
				return
			}
			from = r.To
		}
		yield(Span{from, len(x.Tokens)})
	}
}

// Learned is the tokens of all answers, in order.
func (x Example) Learned() []int32 {
	var all []int32
	for a := range x.Answers() {
		all = append(all, x.Tokens[a.From:a.To]...)
	}
	return all
}

// Check refuses an example without a token before its first answer, or with an answer that has no token.
func (x Example) Check() error {
	if x.Answer < 1 || x.Answer >= len(x.Tokens) {
		return fmt.Errorf("answer at %d of %d tokens: expected 1 to below that", x.Answer, len(x.Tokens))
	}
	from := x.Answer
	for i, r := range x.Read {
		if r.From <= from || r.To <= r.From || r.To >= len(x.Tokens) {
			return fmt.Errorf("read %d, tokens %d to %d of %d, after an answer at %d: expected it behind an answer and before one",
				i, r.From, r.To, len(x.Tokens), from)
		}
		from = r.To
	}
	return nil
}
