package nn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// beginUnfinished makes a folder in dir for files that are not whole yet, and takes away those that killed processes left:
// while dir is locked, nobody else works in it. remove takes it away again.
func beginUnfinished(dir string) (own string, remove func() error, err error) {
	lock, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	switch err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		err = sweepUnfinished(dir)
		if err != nil {
			return "", nil, errors.Join(fmt.Errorf("take away what was left unfinished: %w", err), lock.Close())
		}
	case errors.Is(err, syscall.EWOULDBLOCK):
		return "", nil, errors.Join(fmt.Errorf("%s: another model is being made there", dir), lock.Close())
	default: // a disk without locks: what is left there stays
	}
	if own, err = os.MkdirTemp(dir, ".new-"); err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return own, func() error { return errors.Join(os.RemoveAll(own), lock.Close()) }, nil
}

var unfinishedName = regexp.MustCompile(`^\.new-[0-9]+$`)

// sweepUnfinished takes away folders of beginUnfinished: those of its names with nothing else in them.
func sweepUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !unfinishedName.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		inside, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		foreign := func(e os.DirEntry) bool {
			ours := e.Name() == checkpoint.ConfigName || strings.HasPrefix(strings.TrimPrefix(e.Name(), "."), "model")
			return !ours || !e.Type().IsRegular()
		}
		if slices.ContainsFunc(inside, foreign) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// settle moves files up into dir, where none of their names may be; an index comes last, as after shards.
func settle(from, dir string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	for i, name := range names {
		if err := move(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			for _, moved := range names[:i] {
				err = errors.Join(err, os.Remove(filepath.Join(dir, moved)))
			}
			return err
		}
	}
	return nil
}

func place(name string) int {
	if name == safetensors.IndexName {
		return 1
	}
	return 0
}

// move is a rename that takes no other file's place: a second link is not made where a name is taken.
func move(from, to string) error {
	switch err := os.Link(from, to); {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, os.ErrExist):
		return err
	}
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) { // a disk without links
		return errors.Join(fmt.Errorf("%s is there", to), err)
	}
	return os.Rename(from, to)
}
