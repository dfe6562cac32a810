package pddl

import "sync/atomic"

// once is a result that is worked out when first asked for, by one caller at a time, and kept. Every Meter is charged
// once for what it takes, whoever has worked it out, so that nothing depends on what was played before. Who waits for
// another does so no longer than its own context lasts, and a caller that is stopped leaves nothing behind.
type once[T any] struct {
	turn chan struct{} // holds one while the result is being worked out
	done atomic.Pointer[worked[T]]
}

type worked[T any] struct {
	result T
	work   int // units that it takes
}

func newOnce[T any]() *once[T] { return &once[T]{turn: make(chan struct{}, 1)} }

// get is the result of makes; false when m has stopped.
func (o *once[T]) get(m *Meter, makes func() T) (result T, ok bool) {
	if d := o.done.Load(); d != nil {
		return d.result, m.pay(o, d.work)
	}
	select {
	case o.turn <- struct{}{}:
	case <-m.done:
		m.stop(m.ctxErr())
		return result, false
	}
	defer func() { <-o.turn }()
	if d := o.done.Load(); d != nil {
		return d.result, m.pay(o, d.work)
	}
	before := m.used
	made := makes()
	if m.err != nil {
		return result, false
	}
	d := &worked[T]{made, m.used - before}
	m.paid = append(m.paid, o)
	o.done.Store(d)
	return made, true
}
