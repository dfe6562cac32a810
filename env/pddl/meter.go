package pddl

import (
	"context"
	"slices"

	"github.com/hone-rl/hone/env"
)

// lookEvery is after how many counted units a Meter looks whether its context has ended.
const lookEvery = 1024

// keptBytes is how many bytes that are kept count as one unit.
const keptBytes = 8

// Meter counts condition tests and says stop when there have been too many or the context has ended. What is kept is
// counted too, so that a bound on work is one on memory. It belongs to one goroutine and one call.
type Meter struct {
	limit, used int
	done        <-chan struct{}
	ctxErr      func() error
	stopped     bool
	err         error
	paid        []any // the kept results that have been charged for
}

// NewMeter returns a meter that stops after limit tests or when ctx ends.
func NewMeter(ctx context.Context, limit int) *Meter {
	return &Meter{limit: limit, done: ctx.Done(), ctxErr: ctx.Err}
}

// Spend counts n units and reports whether work may go on.
func (m *Meter) Spend(n int) bool {
	before := m.used / lookEvery
	m.used += n
	if m.stopped {
		return false
	}
	if m.used > m.limit {
		m.stop(&env.BudgetError{What: "work", Limit: m.limit})
		return false
	}
	if m.used/lookEvery != before {
		return m.look()
	}
	return true
}

// pay counts the n units that a kept result takes, unless they have been counted, and reports whether work may go on.
func (m *Meter) pay(result any, n int) bool {
	if slices.Contains(m.paid, result) {
		return !m.stopped
	}
	m.paid = append(m.paid, result)
	return m.Spend(n)
}

// Keep counts n bytes that are kept, and reports whether work may go on.
func (m *Meter) Keep(n int) bool { return m.Spend(1 + n/keptBytes) }

func (m *Meter) look() bool {
	select {
	case <-m.done:
		m.stop(m.ctxErr())
		return false
	default:
		return true
	}
}

func (m *Meter) stop(err error) {
	m.stopped = true
	if m.err == nil {
		m.err = err
	}
}

// Used is the number of units counted so far.
func (m *Meter) Used() int { return m.used }

// Err is why the work was stopped, nil if it was not.
func (m *Meter) Err() error { return m.err }
