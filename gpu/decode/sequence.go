package decode

import (
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// group is the sequences that come from one prompt. It holds from the start all pages and lanes that they may need, so
// that what has begun can always end.
type group struct {
	pages []int64
	lanes []int
	live  int // sequences
}

// sequence is a text under way.
type sequence struct {
	group  *group
	tokens []int32
	done   int // tokens in the cache
	asked  []spot
	lane   int

	shared []*prefix // its first pages
	own    []int64   // the pages behind them
	cuts   []int     // lengths at which a copy of the recurrent state is to be made, ascending
	// Up to its prompt's end all requests with that prompt, then one. A spot's offset counts from the first token.
	members []*request
}

func pagesFor(tokens int) int { return (tokens + torch.PageRows - 1) / torch.PageRows }

// pageList is the pages of its first n tokens; its group gives those that are missing.
func (s *sequence) pageList(n int) []int64 {
	pages := make([]int64, 0, pagesFor(n))
	for _, p := range s.shared {
		pages = append(pages, p.page)
	}
	for len(s.shared)+len(s.own) < pagesFor(n) {
		last := len(s.group.pages) - 1
		s.own, s.group.pages = append(s.own, s.group.pages[last]), s.group.pages[:last]
	}
	return append(pages, s.own...)[:pagesFor(n)]
}

// chunk is how many of its tokens the next pass computes, at most most.
func (s *sequence) chunk(most int) int {
	end := len(s.tokens)
	for _, cut := range s.cuts {
		if cut > s.done {
			end = min(end, cut)
			break
		}
	}
	return min(end-s.done, most)
}

// add appends the next n tokens to a batch and returns the spots among them. Where there is none the last token's state
// is wanted all the same: a pass gives at least one.
func (s *sequence) add(b *nn.Batch, n int) []spot {
	var spots []spot
	for _, at := range s.asked {
		if at.offset >= s.done && at.offset < s.done+n {
			spots = append(spots, at)
		}
	}
	place := nn.Place{Lane: s.lane, Pages: s.pageList(s.done + n)}
	offsets := make([]int, 0, 1)
	for _, at := range spots {
		offsets = append(offsets, at.offset-s.done)
	}
	if len(offsets) == 0 {
		offsets = append(offsets, n-1)
	}
	b.AddWanted(s.tokens[s.done:s.done+n], s.done, place, offsets)
	return spots
}

// extend appends a branch's tokens.
func (s *sequence) extend(on branch) {
	s.asked = s.asked[:0]
	for _, at := range on.spots {
		s.asked = append(s.asked, spot{len(s.tokens) + at.offset, at.id})
	}
	s.tokens = append(s.tokens, on.tokens...)
}
