package decode

import (
	"unsafe"

	"github.com/hone-rl/hone/gpu/torch"
)

// request is a prompt and who goes on from its end.
type request struct {
	call   *call
	index  int // in the call
	prompt []int32
	key    string // the prompt's tokens: requests with the same are computed as one
	member member
}

func newRequest(prompt []int32, m member) *request {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(prompt))), 4*len(prompt))
	return &request{prompt: prompt, key: string(bytes), member: m}
}

// member is one request's own part: what it wants of final states and what it makes of them.
type member interface {
	// needs is the longest way that each of its sequences may go beyond the prompt, in tokens.
	needs() []int
	// ask says what it wants to know of the final state in a row of the pass, and at which spot of its own that is.
	ask(q *questions, row int, spot int)
	// next takes the answers to all asked in this pass for one of its sequences. It returns the sequences to go on
	// with, none if that one has ended, and whether the request is answered.
	next(a answers) (on []branch, finished bool, err error)
}

// branch is how a sequence goes on.
type branch struct {
	tokens []int32
	spots  []spot // whose final states are asked for, ascending; the last token's among them
}

// spot is a place in a sequence's new tokens and what it means to the member.
type spot struct{ offset, id int }

// single is a branch of whose tokens the last is asked for.
func single(tokens []int32) []branch {
	return []branch{{tokens: tokens, spots: []spot{{offset: len(tokens) - 1}}}}
}

// questions are those of all sequences in a pass, put to libtorch together.
type questions struct {
	draws []torch.Draw
	best  int
	// Products of final states with rows of the head, and log-probabilities in the whole vocabulary.
	productRows, productTokens []int64
	probRows, probTokens       []int64
}

// answers are those to one sequence's questions, in their order.
type answers struct {
	ids      []int // of the spots asked about
	drawn    []torch.Drawn
	products []float64
	probs    []float64
}

// mark is how many questions there are so far.
type mark struct{ draws, products, probs int }

func (q *questions) mark() mark { return mark{len(q.draws), len(q.productRows), len(q.probRows)} }

// between are the answers to the questions asked from one mark to another.
func (a answers) between(from, to mark) answers {
	return answers{nil, a.drawn[from.draws:to.draws], a.products[from.products:to.products], a.probs[from.probs:to.probs]}
}
