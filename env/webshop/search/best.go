package search

import (
	"cmp"
	"slices"
)

// found is a document and its score.
type found struct {
	doc   uint32
	score float32
}

// worse orders by the lower score, of equal ones the higher document; documents are in the order of their ids.
func worse(a, b found) int {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.doc, a.doc))
}

// best keeps the best of what it is offered, as a heap with the worst on top. Documents come in ascending order, so one
// that scores no more than the worst is not kept.
type best struct {
	kept []found
	most int
}

// bar is what a document must score more than.
func (b *best) bar() float64 {
	if len(b.kept) < b.most {
		return -1
	}
	return float64(b.kept[0].score)
}

func (b *best) offer(f found) {
	if len(b.kept) < b.most {
		b.kept = append(b.kept, f)
		for i := len(b.kept) - 1; i > 0; {
			up := (i - 1) / 2
			if worse(b.kept[i], b.kept[up]) >= 0 {
				break
			}
			b.kept[i], b.kept[up] = b.kept[up], b.kept[i]
			i = up
		}
		return
	}
	if worse(f, b.kept[0]) <= 0 {
		return
	}
	b.kept[0] = f
	for i := 0; ; {
		down := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(b.kept) && worse(b.kept[child], b.kept[down]) < 0 {
				down = child
			}
		}
		if down == i {
			return
		}
		b.kept[i], b.kept[down] = b.kept[down], b.kept[i]
		i = down
	}
}

// sorted is what was kept, the best first.
func (b *best) sorted() []found {
	slices.SortFunc(b.kept, func(x, y found) int { return worse(y, x) })
	return b.kept
}
