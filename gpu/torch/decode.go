package torch

/*
#include "decode.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"
)

// Rowwise runs f with gradients off and with linear layers on the CPU in fp32 computed by loops of our own: a row's
// bits follow from the row alone, whatever the number of rows, and a few rows are quick. What f computes on another
// device or in another type is computed as ever.
func (e *Engine) Rowwise(f func()) {
	grad, before := e.grad, e.rowwise
	e.setGrad(false)
	e.rowwise = true
	defer func() {
		e.rowwise = before
		e.setGrad(grad)
	}()
	f()
}

// plain says whether the loops of our own can take the tensor.
func (t *Tensor) plain() bool { return t.c != nil && C.hone_plain(t.raw()) != 0 }

func (t *Tensor) linearRows(weight, bias *Tensor) *Tensor {
	return t.e.fused("linear", func(out *C.hone_tensor) *C.char {
		return C.hone_linear_rows(out, t.raw(), weight.raw(), maybe(bias))
	}, t, weight, bias)
}

// attendPaged is Attend over pages, where there is a loop.
func (t *Tensor) attendPaged(k, v *Tensor, s Sequences, scale float64) *Tensor {
	return t.e.fused("attend", func(out *C.hone_tensor) *C.char {
		return C.hone_attention_paged(out, t.raw(), k.raw(), v.raw(), ints(s.Offset), ints(s.Position),
			C.int64_t(len(s.KeyStart)), ints(s.Pages), ints(s.PageStart), C.double(scale))
	}, t, k, v)
}

// key is the row of a sequence's key j.
func (s Sequences) key(i int, j int64) int64 {
	if s.Pages == nil {
		return s.KeyStart[i] + j
	}
	return PageRows*s.Pages[s.PageStart[i]+j/PageRows] + j%PageRows
}

// checkPages refuses sequences that see more keys than their pages hold, and pages below 0.
func (s Sequences) checkPages(op string, tensors ...*Tensor) {
	n := len(s.KeyStart)
	if len(s.PageStart) != n+1 || !slices.IsSorted(s.PageStart) || s.PageStart[0] != 0 || s.PageStart[n] > int64(len(s.Pages)) {
		fail(op, fmt.Sprintf("%d sequences with %d page starts and %d pages", n, len(s.PageStart), len(s.Pages)), tensors...)
	}
	for i := range n {
		have := s.PageStart[i+1] - s.PageStart[i]
		for _, p := range s.Position[s.Offset[i]:s.Offset[i+1]] {
			if p/PageRows >= have {
				fail(op, fmt.Sprintf("sequence %d sees key %d of %d pages", i, p, have), tensors...)
			}
		}
	}
	if s.PageStart[n] > 0 && slices.Min(s.Pages[:s.PageStart[n]]) < 0 {
		fail(op, "a page is below 0", tensors...)
	}
}

// Draw is how a token is taken from a row of logits.
type Draw struct {
	Row         int
	Temperature float64 // 0 takes the first of the largest
	TopK        int     // of the largest logits only; 0: of all
	TopP        float64 // of the fewest tokens that together have this probability, after TopK; 0 or 1: of all
	Uniform     float64 // in [0, 1): decides the draw
}

// Drawn is a token with its log-probabilities.
type Drawn struct {
	Token   int32
	LogProb float64 // at temperature 1, over all tokens
	Drawn   float64 // of the distribution that it was drawn from
	Finite  bool    // the row's logits are numbers and the largest is finite; else nothing else holds
	Largest float64 // logit of the row
	IDs     []int32 // of the best tokens, best first; ties go to the smaller
	Best    []float32
}

// Draw takes tokens from rows of logits [rows, vocabulary], and with each the best tokens and their log-probabilities
// at temperature 1. Each draw follows from its row and its own numbers alone.
func (t *Tensor) Draw(draws []Draw, best int) []Drawn {
	t.e.usable("draw", []*Tensor{t})
	if len(draws) == 0 {
		return nil
	}
	requests, got := make([]C.hone_draw_request, len(draws)), make([]C.hone_drawn, len(draws))
	for i, d := range draws {
		if d.TopP == 0 {
			d.TopP = 1
		}
		requests[i] = C.hone_draw_request{
			row: C.int64_t(d.Row), temperature: C.double(d.Temperature), top_p: C.double(d.TopP),
			uniform: C.double(d.Uniform), top_k: C.int64_t(d.TopK),
		}
	}
	ids, logProbs := make([]int32, len(draws)*best), make([]float32, len(draws)*best)
	check("draw", C.hone_draw(t.raw(), &requests[0], C.int64_t(len(draws)), &got[0], C.int64_t(best),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.float)(unsafe.SliceData(logProbs))), t)
	drawn := make([]Drawn, len(draws))
	for i, g := range got {
		drawn[i] = Drawn{
			Token: int32(g.token), LogProb: float64(g.log_prob), Drawn: float64(g.drawn), Finite: g.finite != 0,
			Largest: float64(g.largest), IDs: ids[i*best : (i+1)*best], Best: logProbs[i*best : (i+1)*best],
		}
	}
	return drawn
}

// LogProbs is log softmax(row)[token] of t's rows [rows, vocabulary], a pair each, in fp64; not a number where the row
// has no distribution.
func (t *Tensor) LogProbs(rows, tokens []int64) []float64 {
	t.e.usable("log probs", []*Tensor{t})
	values := make([]float64, len(rows))
	if len(rows) > 0 {
		check("log probs", C.hone_log_probs(t.raw(), ints(rows), ints(tokens), C.int64_t(len(rows)), (*C.double)(&values[0])), t)
	}
	return values
}

// Products is the products of t's rows [rows, n] with rows of head [tokens, n], a pair each, in fp64. Only the rows of
// head that are named are looked at.
func (t *Tensor) Products(head *Tensor, rows, tokens []int64) []float64 {
	t.e.usable("products", []*Tensor{t, head})
	values := make([]float64, len(rows))
	if len(rows) > 0 {
		check("products", C.hone_products(t.raw(), head.raw(), ints(rows), ints(tokens), C.int64_t(len(rows)),
			(*C.double)(&values[0])), t, head)
	}
	return values
}
