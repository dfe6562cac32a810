// Package net is the wall-clock net under a game: the last of its bounds, and the only one that depends on the machine.
package net

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Clock adds up the time spent inside one game.
type Clock struct {
	Net   time.Duration // in all; 0: none
	spent time.Duration
}

// ErrEnded says that the time is spent.
var ErrEnded = errors.New("the wall-clock net of the game ended")

// grace is how long after its deadline a game may take to notice.
const grace = 2 * time.Second

// Guard calls f, of a game, and makes an error of a panic: a game that falls over ends itself, and not the worker with all
// that goes on beside it, which would fall over again at every retry.
func Guard[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the game panicked: %v", p)
		}
	}()
	return f()
}

// Do calls f with what is left of the clock. A game that does not even look at its context is left behind after a grace,
// with its goroutine: it must not hold up the others. f must not touch what its caller goes on with.
func Do[T any](ctx context.Context, c *Clock, f func(context.Context) (T, error)) (T, error) {
	guarded := func(ctx context.Context) (T, error) { return Guard(func() (T, error) { return f(ctx) }) }
	if c.Net == 0 {
		return guarded(ctx)
	}
	inner, cancel := context.WithTimeout(ctx, max(0, c.Net-c.spent))
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	begun := time.Now()
	go func() {
		value, err := guarded(inner)
		done <- answer{value, err}
	}()
	var got answer
	select {
	case got = <-done:
	case <-inner.Done():
		select {
		case got = <-done:
		case <-time.After(grace):
			got.err = context.DeadlineExceeded
		}
	}
	c.spent += time.Since(begun)
	if got.err != nil && inner.Err() != nil && ctx.Err() == nil {
		got.err = ErrEnded
	}
	return got.value, got.err
}
