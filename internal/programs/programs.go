// Package programs builds hone, hone-worker and hone-stack for tests that run them as a person does.
package programs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"
)

// Dir is a folder with the three programs, made of the sources as they are: the folder that HONE_BIN names, else
// .hone/tests/bin below the repository's root, where what has not changed is not linked again. Without libtorch the
// test is skipped; where CI=true it fails.
func Dir(t *testing.T) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, ".libtorch", "stamp")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no libtorch: %v", err)
		}
		t.Skip("needs libtorch: make setup brings it")
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Root is the repository's root: the folder with go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			err = errors.New("no go.mod here or above")
		}
		dir = up
	}
	return "", err
}

var built = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("HONE_BIN"); dir != "" {
		return filepath.Abs(dir)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	if err := lookAtSources(root); err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".hone", "tests", "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// Packages are tested side by side.
	lock := flock.New(filepath.Join(root, ".hone", "tests", "lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }() // ends with the process at the latest
	// The programs look for libtorch beside their folder.
	err = os.Symlink(filepath.Join(root, ".libtorch"), filepath.Join(root, ".hone", "tests", ".libtorch"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	cmd := exec.Command("bash", "-c", `. scripts/env.sh && for p in hone:starter hone-worker:worker hone-stack:devserver; do
		go build -o "$0/${p%:*}" "./${p#*:}" || exit; done`, dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build hone: %w\n%s", err, out)
	}
	return dir, nil
})

// lookAtSources looks at every source file: the go command takes a test's result from its cache while the files that
// the test looked at are unchanged, and it does not know what the programs are made of.
func lookAtSources(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != root {
			return fs.SkipDir
		}
		switch filepath.Ext(path) {
		case ".go", ".cpp", ".h", ".mod", ".sum", ".sh", ".yaml", ".pddl", ".twl2":
			_, err = os.Stat(path)
		}
		return err
	})
}
