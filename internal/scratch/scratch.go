// Package scratch gives a process a folder of its own that does not outlive it: what a killed one leaves, the next sweeps.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Take makes a folder of this process's own below dir, its name beginning with prefix, and sweeps those of processes that
// were killed: the kernel gives their locks back. Others that live keep theirs. release removes it; what cannot be removed
// is swept the next time.
func Take(dir, prefix string) (own string, release func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("scratch folder: %w", err)
	}
	all := flock.New(filepath.Join(dir, "lock"))
	if err := all.Lock(); err != nil {
		return "", nil, fmt.Errorf("lock scratch folder %s: %w", dir, err)
	}
	defer func() { _ = all.Unlock() }() // at the latest when this process ends
	if err := sweep(dir); err != nil {
		return "", nil, fmt.Errorf("sweep scratch folder %s: %w", dir, err)
	}
	if own, err = os.MkdirTemp(dir, prefix); err != nil {
		return "", nil, fmt.Errorf("scratch folder: %w", err)
	}
	hold := flock.New(own + lockSuffix)
	if err := hold.Lock(); err != nil { // free: whoever sweeps waits for the lock of all
		return "", nil, fmt.Errorf("lock scratch folder %s: %w", own, err)
	}
	return own, func() error {
		err := os.RemoveAll(own)
		if err == nil {
			err = os.Remove(own + lockSuffix)
		}
		return errors.Join(err, hold.Unlock())
	}, nil
}

const lockSuffix = ".lock"

func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		lock := flock.New(path + lockSuffix)
		free, err := lock.TryLock()
		if err != nil {
			return err
		}
		if !free {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := os.Remove(path + lockSuffix); err != nil {
			return err
		}
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	return nil
}
