package torch_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// laid is sequences of given lengths, whole, as contiguous keys and the same ones scattered over pages.
type laid struct {
	starts  []int64 // first row of each sequence in the contiguous layout
	lengths []int64
	pages   [][]int64
	rows    int64 // in pages
}

// lay gives every sequence pages of its own, but for those that shared says it has in common with the first.
func lay(rng *rand.Rand, lengths []int64, shared []int64) laid {
	l := laid{lengths: lengths}
	need := int64(0)
	for i, n := range lengths {
		l.starts = append(l.starts, need)
		need += n
		l.pages = append(l.pages, make([]int64, (n+torch.PageRows-1)/torch.PageRows))
		l.rows += int64(len(l.pages[i])) * torch.PageRows
	}
	order := rng.Perm(int(l.rows / torch.PageRows))
	for i := range l.pages {
		for j := range l.pages[i] {
			l.pages[i][j] = int64(order[0])
			order = order[1:]
			if int64(j) < shared[i] {
				l.pages[i][j] = l.pages[0][j]
			}
		}
	}
	return l
}

// fill copies keys of the contiguous layout into pages; where pages are shared the first sequence's stand. What no
// key fills is not a number.
func (l laid) fill(contiguous []float32, row int64) []float32 {
	paged := make([]float32, l.rows*row)
	for i := range paged {
		paged[i] = float32(math.NaN())
	}
	for i := len(l.lengths) - 1; i >= 0; i-- {
		for j := range l.lengths[i] {
			to := l.pages[i][j/torch.PageRows]*torch.PageRows + j%torch.PageRows
			from := l.starts[i] + j
			copy(paged[to*row:(to+1)*row], contiguous[from*row:(from+1)*row])
		}
	}
	return paged
}

// part is the queries [from, to) of some sequences as one pass.
type part struct{ seq, from, to int64 }

func (l laid) pass(parts []part, paged bool) torch.Sequences {
	s := torch.Sequences{Offset: []int64{0}}
	if paged {
		s.Pages, s.PageStart = []int64{}, []int64{0}
	}
	for _, p := range parts {
		s.Offset = append(s.Offset, s.Offset[len(s.Offset)-1]+p.to-p.from)
		s.KeyStart = append(s.KeyStart, l.starts[p.seq])
		for at := p.from; at < p.to; at++ {
			s.Position = append(s.Position, at)
		}
		if paged {
			s.Pages = append(s.Pages, l.pages[p.seq]...)
			s.PageStart = append(s.PageStart, int64(len(s.Pages)))
		}
	}
	return s
}

// However queries are cut into passes, whichever stand together, and whether their keys lie in a row, in pages or in
// pages shared by several sequences: a query's result is the same to the last bit.
func TestAttentionDoesNotDependOnTheCut(t *testing.T) {
	for _, size := range []struct{ heads, kv, width int64 }{
		{1, 1, 16}, {4, 2, 16}, {6, 2, 32}, {3, 1, 64}, {2, 2, 80}, {7, 1, 64}, {8, 1, 128}, {2, 1, 256},
	} {
		for _, threads := range []int{1, 2} {
			t.Run(fmt.Sprintf("%+v/threads=%d", size, threads), func(t *testing.T) {
				e := torchtest.Threads(t, threads)
				rng := rand.New(rand.NewPCG(5, uint64(size.width)))
				lengths := []int64{150, 133, 141, 1, 16, 17, 95, 160, 31}
				shared := []int64{0, 8, 6, 0, 0, 0, 5, 9, 0} // pages
				l := lay(rng, lengths, shared)
				total := l.starts[len(lengths)-1] + lengths[len(lengths)-1]
				q := random(rng, total, size.heads, size.width)
				k, v := random(rng, total, size.kv, size.width), random(rng, total, size.kv, size.width)
				row := size.kv * size.width
				for i, n := range shared { // what is shared is the same
					for _, x := range []input{k, v} {
						copy(x.data[l.starts[i]*row:(l.starts[i]+n*torch.PageRows)*row], x.data[:n*torch.PageRows*row])
					}
				}
				scale := 1 / math.Sqrt(float64(size.width))
				torchtest.Do(t, e, func() {
					tq, tk, tv := e.FromFloats(q.data, q.shape...), e.FromFloats(k.data, k.shape...), e.FromFloats(v.data, v.shape...)
					pk := e.FromFloats(l.fill(k.data, row), l.rows, size.kv, size.width)
					pv := e.FromFloats(l.fill(v.data, row), l.rows, size.kv, size.width)
					var whole []part
					for i, n := range lengths {
						whole = append(whole, part{int64(i), 0, n})
					}
					want := tq.Attend(tk, tv, l.pass(whole, false), scale).Bytes()
					check := func(name string, parts []part, paged bool) {
						var index []int64
						for _, p := range parts {
							for at := p.from; at < p.to; at++ {
								index = append(index, l.starts[p.seq]+at)
							}
						}
						queries, keys, values := tq.Rows(e.FromInts(index)), tk, tv
						if paged {
							keys, values = pk, pv
						}
						got := queries.Attend(keys, values, l.pass(parts, paged), scale).Bytes()
						bytesPerRow := int(4 * size.heads * size.width)
						for i, at := range index {
							if !bytes.Equal(got[i*bytesPerRow:(i+1)*bytesPerRow], want[int(at)*bytesPerRow:(int(at)+1)*bytesPerRow]) {
								t.Errorf("%s, paged %v: row %d of pass %v differs", name, paged, i, parts)
								return
							}
						}
					}
					check("whole", whole, true)
					for round := range 12 {
						var parts, last []part
						for i, n := range lengths {
							last = append(last, part{int64(i), n - 1, n})
							from := rng.Int64N(n)
							switch to := from + 1 + rng.Int64N(n-from); {
							case round%3 == 0:
								parts = append(parts, part{int64(i), from, min(to, from+1+rng.Int64N(4))})
							case rng.IntN(3) > 0:
								parts = append(parts, part{int64(i), from, to})
							}
						}
						if len(parts) == 0 {
							continue
						}
						for _, paged := range []bool{false, true} {
							check("part", parts, paged)
							check("last", last, paged)
							check("one", parts[:1], paged)
						}
					}
				})
			})
		}
	}
}

// Where the loops do not serve, here because of the width, pages are gathered and the numbers are the same.
func TestPagesAreGathered(t *testing.T) {
	e := torchtest.Engine(t)
	rng := rand.New(rand.NewPCG(6, 6))
	l := lay(rng, []int64{40, 3}, []int64{0, 0})
	q, k, v := random(rng, 43, 4, 20), random(rng, 43, 2, 20), random(rng, 43, 2, 20)
	torchtest.Do(t, e, func() {
		tq := e.FromFloats(q.data, q.shape...)
		parts := []part{{0, 0, 40}, {1, 0, 3}}
		want := tq.Attend(e.FromFloats(k.data, k.shape...), e.FromFloats(v.data, v.shape...), l.pass(parts, false), 0.2).Floats()
		got := tq.Attend(e.FromFloats(l.fill(k.data, 40), l.rows, 2, 20), e.FromFloats(l.fill(v.data, 40), l.rows, 2, 20),
			l.pass(parts, true), 0.2).Floats()
		closeTo(t, "gathered", got, want)
	})
}

func TestPagesAreChecked(t *testing.T) {
	e := torchtest.Engine(t)
	for name, s := range map[string]torch.Sequences{
		"page":     {Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{0}, Pages: []int64{2}, PageStart: []int64{0, 1}},
		"below 0":  {Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{0}, Pages: []int64{-1}, PageStart: []int64{0, 1}},
		"too few":  {Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{16}, Pages: []int64{0}, PageStart: []int64{0, 1}},
		"no start": {Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{0}, Pages: []int64{0}, PageStart: []int64{0}},
	} {
		err := e.Do(t.Context(), func() error {
			k := e.Zeros(torch.Float32, 32, 1, 16)
			e.Zeros(torch.Float32, 1, 1, 16).Attend(k, k, s, 1)
			return nil
		})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
