package torch

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// ErrClosed is returned by Do after Close.
var ErrClosed = errors.New("torch: the engine is closed")

var errEnded = errors.New("torch: the work ended its goroutine, and with it the engine")

type job struct {
	run  func()
	done chan struct{}
}

// serve runs a job and lets its caller go, even if the job ends the goroutine, as a test's FailNow does: then the
// engine is over.
func (e *Engine) serve(j job) {
	defer close(j.done)
	j.run()
}

// Do runs f on the engine's thread with gradients off, in a scope of its own, and waits for it. Panics come back
// as errors. A context that is done before f starts keeps it from starting; a running f is waited for, and looks
// at the context itself where it has a good place to stop. Do must not be called from inside f.
func (e *Engine) Do(ctx context.Context, f func() error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := job{done: make(chan struct{})}
	j.run = func() {
		defer caught(&err)
		mark := len(e.live)
		defer e.closeScope(mark)
		err = errEnded // unless f comes back
		err = f()
	}
	select {
	case e.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.quit:
		return ErrClosed
	case <-e.done:
		return ErrClosed
	}
	<-j.done
	return err
}

// Close ends the thread after the work that has begun. Tensors that were kept must have been freed.
func (e *Engine) Close() error {
	err := ErrClosed
	e.once.Do(func() {
		close(e.quit)
		<-e.done
		err = nil
	})
	return err
}

// caught turns a panic into *err. A bug in Go code (nil map, index) is an error too, with its stack: one bad
// request must not take the worker's other work with it.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	case runtime.Error:
		*err = fmt.Errorf("torch: %w\n%s", p, debug.Stack())
	case error:
		*err = p
	default:
		*err = fmt.Errorf("torch: %v", p)
	}
}

// Grad runs f with gradients on.
func (e *Engine) Grad(f func()) {
	before := e.grad
	e.setGrad(true)
	defer e.setGrad(before)
	f()
}

func (e *Engine) setGrad(on bool) {
	e.grad = on
	if on {
		C.hone_grad_mode(1)
	} else {
		C.hone_grad_mode(0)
	}
}
