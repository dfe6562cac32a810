package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// takeScratch makes a folder of this process's own below dir and sweeps those of workers that were killed: the
// kernel gives their locks back. Other workers on the same data folder keep theirs. release gives it up.
func takeScratch(dir string) (own string, release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("scratch folder: %w", err)
	}
	all := flock.New(filepath.Join(dir, "lock"))
	if err := all.Lock(); err != nil {
		return "", nil, fmt.Errorf("lock scratch folder %s: %w", dir, err)
	}
	defer func() { _ = all.Unlock() }() // at the latest when this process ends
	if err := sweepScratch(dir); err != nil {
		return "", nil, fmt.Errorf("sweep scratch folder %s: %w", dir, err)
	}
	if own, err = os.MkdirTemp(dir, "worker-"); err != nil {
		return "", nil, fmt.Errorf("scratch folder: %w", err)
	}
	hold := flock.New(own + lockSuffix)
	if err := hold.Lock(); err != nil { // free: whoever sweeps waits for the lock of all
		return "", nil, fmt.Errorf("lock scratch folder %s: %w", own, err)
	}
	return own, func() {
		if os.RemoveAll(own) == nil { // else the next worker sweeps it
			_ = os.Remove(own + lockSuffix)
		}
		_ = hold.Unlock()
	}, nil
}

const lockSuffix = ".lock"

func sweepScratch(dir string) error {
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
