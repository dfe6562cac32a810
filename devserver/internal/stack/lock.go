package stack

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// lock is the hold on a data folder. The kernel gives it back when the process ends, in whatever way.
type lock struct{ file *flock.Flock }

// takeLock locks the data folder. Whoever only looks whether it is locked holds the lock for a moment, so that one
// refusal is not yet an answer.
func takeLock(ctx context.Context, dir stackfile.Dir) (*lock, error) {
	l := &lock{flock.New(dir.Lock(), flock.SetPermissions(0o644))}
	for range 20 {
		ok, err := l.file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock data folder: %w", err)
		}
		if ok {
			if err := os.WriteFile(dir.Lock(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
				return nil, fmt.Errorf("lock data folder: %w", err)
			}
			return l, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(25 * time.Millisecond):
		}
	}
	pid, err := dir.Holder()
	if err != nil {
		return nil, err
	}
	return nil, &HeldError{Dir: string(dir), PID: pid}
}

func (l *lock) release() error { return l.file.Unlock() }

// HeldError means that a stack runs on the data folder already.
type HeldError struct {
	Dir string
	PID int
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("data folder %s is in use by the stack of process %d; stop it with: hone down --data %s", e.Dir, e.PID, e.Dir)
}
