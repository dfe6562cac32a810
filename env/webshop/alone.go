package webshop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lookAgain is how long to wait before asking again for a folder that another process writes into.
const lookAgain = 100 * time.Millisecond

// alone waits until nobody else writes into a folder, and removes what is there of those that were killed: no file of
// theirs would ever be removed otherwise, and those of a large catalogue have gigabytes. The system gives back the lock
// of a process that ends, however it ends.
func alone(ctx context.Context, dir string) (release func() error, err error) {
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY)) // the folder itself, so that no file is left of it
	if _, err := lock.TryLockContext(ctx, lookAgain); err != nil {
		return nil, fmt.Errorf("wait for another that writes into it: %w", err)
	}
	left, err := os.ReadDir(dir)
	for _, entry := range left {
		if strings.HasPrefix(entry.Name(), scratchName) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock.Unlock, nil
}
