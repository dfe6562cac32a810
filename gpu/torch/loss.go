package torch

/*
#include "loss.h"
*/
import "C"

import (
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

// TokenScores are what final states say of tokens, each fp32 [n].
type TokenScores struct {
	LogProb *Tensor // natural log of the token's probability
	LSE     *Tensor // log of the sum of exp(logit/temperature), for [TokenScores.Gradient]
	Entropy *Tensor // of the distribution, nats; nil unless asked for
	Best    *Tensor // int64: index of the largest logit; nil unless asked for
}

// ChunkRows is how many rows of logits are held at once, in the functions of this file; 0 leaves it to them. It
// changes no result but for the rounding of the head's gradient. Tests set it.
type ChunkRows int64

// Ask says what [Tensor.TokenScores] is to give beside log-probabilities.
type Ask struct {
	Temperature   float64 // the logits are divided by it; 0 is 1
	Entropy, Best bool
	Chunk         ChunkRows
}

func (a Ask) temperature() C.double {
	if a.Temperature == 0 {
		return 1
	}
	return C.double(a.Temperature)
}

// given takes a handle that the shim made.
func (e *Engine) given(c C.hone_tensor) *Tensor { return e.own(*(*libtch.Ctensor)(unsafe.Pointer(&c))) }

// TokenScores are those of target (int64 [n]) for final states t [n, width] under a head [vocabulary, width] of the
// same type. The logits of all rows are never held together. No gradient is recorded.
func (t *Tensor) TokenScores(head, target *Tensor, ask Ask) TokenScores {
	e := t.e
	e.usable("token scores", []*Tensor{t, head, target})
	var out [4]C.hone_tensor
	entropy, best := &out[2], &out[3]
	if !ask.Entropy {
		entropy = nil
	}
	if !ask.Best {
		best = nil
	}
	check("token scores", C.hone_token_scores(&out[0], &out[1], entropy, best, t.raw(), head.raw(), target.raw(),
		ask.temperature(), C.int64_t(ask.Chunk)), t, head, target)
	s := TokenScores{LogProb: e.given(out[0]), LSE: e.given(out[1])}
	if ask.Entropy {
		s.Entropy = e.given(out[2])
	}
	if ask.Best {
		s.Best = e.given(out[3])
	}
	return s
}

// Gradient is that of sum(byLogProb·LogProb + byEntropy·Entropy) by the hidden states that the scores are of, with
// the same head, target and ask. byEntropy may be nil. Where head requires a gradient, its own is added to it. The
// logits are computed again, a chunk at a time.
func (s TokenScores) Gradient(hidden, head, target, byLogProb, byEntropy *Tensor, ask Ask) *Tensor {
	var entropy, h C.hone_tensor
	if byEntropy != nil {
		entropy, h = s.Entropy.raw(), byEntropy.raw()
	}
	return hidden.e.fused("token gradient", func(out *C.hone_tensor) *C.char {
		return C.hone_token_gradient(out, hidden.raw(), head.raw(), target.raw(), s.LSE.raw(), byLogProb.raw(), entropy,
			h, ask.temperature(), C.int64_t(ask.Chunk))
	}, hidden, head, target, s.LSE, byLogProb, byEntropy)
}

// TokenLoss is the sum over rows of -weight·log softmax(head·t)[target], fp32 within, fp64 in the sum, and its
// gradient by t in one pass over chunks of rows. weight is fp32 [n]. Where head requires a gradient, its own is added
// to it.
func (t *Tensor) TokenLoss(head, target, weight *Tensor, chunk ChunkRows) (loss float64, gradient *Tensor) {
	var value C.double
	gradient = t.e.fused("token loss", func(out *C.hone_tensor) *C.char {
		return C.hone_token_loss(&value, out, t.raw(), head.raw(), target.raw(), weight.raw(), C.int64_t(chunk))
	}, t, head, target, weight)
	return float64(value), gradient
}

// BackwardFrom computes gradients of what t was computed from, given that of t.
func (t *Tensor) BackwardFrom(gradient *Tensor) {
	t.e.usable("backward", []*Tensor{t, gradient})
	check("backward", C.hone_backward(t.raw(), gradient.raw()), t, gradient)
}

// Detached is the same values without their history. If grad, a gradient by them is gathered: see [Tensor.Gathered].
func (t *Tensor) Detached(grad bool) *Tensor {
	requires := C.int(0)
	if grad {
		requires = 1
	}
	return t.e.fused("detach", func(out *C.hone_tensor) *C.char { return C.hone_detached(out, t.raw(), requires) }, t)
}

// Gathered is the gradient by t, a leaf, so far; nil if there is none.
func (t *Tensor) Gathered() *Tensor {
	t.e.usable("gradient", []*Tensor{t})
	var out C.hone_tensor
	check("gradient", C.hone_grad(&out, t.raw()), t)
	if out == nil {
		return nil
	}
	return t.e.given(out)
}

// Requires says whether a gradient by t, or through it, is asked for.
func (t *Tensor) Requires() bool {
	t.e.usable("requires", []*Tensor{t})
	return C.hone_requires_grad(t.raw()) != 0
}
