package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// enough is how much a body must bring before its time begins anew: a byte now and then is no progress.
const enough = 4 << 10

// watch closes a body that brings too little: its context is cancelled and Read answers ErrStalled.
func watch(ctx context.Context, body io.ReadCloser, after time.Duration, cancel context.CancelCauseFunc) io.ReadCloser {
	stalled := fmt.Errorf("%w: less than %d bytes in %v", ErrStalled, enough, after)
	return &watched{
		body: body, after: after, cancel: cancel,
		timer: time.AfterFunc(after, func() { cancel(stalled) }),
		cause: func() error { return context.Cause(ctx) },
	}
}

type watched struct {
	body   io.ReadCloser
	after  time.Duration
	timer  *time.Timer
	since  int // bytes since the timer was set
	cancel context.CancelCauseFunc
	cause  func() error // why the request ended, nil while it has not
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if w.since += n; w.since >= enough {
		w.since = 0
		w.timer.Reset(w.after)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := w.cause(); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (w *watched) Close() error {
	w.timer.Stop()
	err := w.body.Close()
	w.cancel(nil)
	return err
}
