// Package durability_test runs the three programs as a person does, kills and freezes them at chosen points, and
// compares what a run has made with what an undisturbed run makes.
//
// HONE_SEED draws the points, HONE_KILLS=all takes every point of every activity of every stage, HONE_BIN names a
// folder with hone, hone-worker and hone-stack to use instead of building them.
package durability_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "record the histories that workflows' replay test reads")

func TestMain(m *testing.M) {
	flag.Parse()
	// Killed runs mostly wait for timeouts, so more of them go side by side than there are cores.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	for _, pair := range os.Environ() { // a stranger's servers are not asked
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "TEMPORAL_") || strings.HasPrefix(name, "AWS_") || name == "HONE_DATA" || name == "HONE_BUCKET" {
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	code := m.Run()
	if built != "" {
		if err := os.RemoveAll(built); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

const root = "../.."

// built is the folder with what programs has built.
var built string

// programs is the folder with hone, hone-worker and hone-stack, which are built once.
func programs(t *testing.T) string {
	t.Helper()
	torch, err := filepath.Abs(filepath.Join(root, ".libtorch"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(torch, "stamp")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no libtorch: %v", err)
		}
		t.Skip("needs libtorch: make setup brings it")
	}
	bin, err := build(torch)
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

var buildOnce = sync.OnceValues(func() (string, error) {
	if bin := os.Getenv("HONE_BIN"); bin != "" {
		return filepath.Abs(bin)
	}
	if err := lookAtSources(); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "hone-durability-")
	if err != nil {
		return "", err
	}
	built = dir
	bin := filepath.Join(dir, "bin")
	cmd := exec.Command("bash", "-c", `. scripts/env.sh && for p in hone:starter hone-worker:worker hone-stack:devserver; do
		go build -o "$0/${p%:*}" "./${p#*:}" || exit; done`, bin)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build hone: %w\n%s", err, out)
	}
	return bin, nil
})

func build(torch string) (string, error) {
	bin, err := buildOnce()
	if err != nil || built == "" {
		return bin, err
	}
	// The programs look for libtorch beside their folder.
	if err := os.Symlink(torch, filepath.Join(built, ".libtorch")); err != nil && !os.IsExist(err) {
		return "", err
	}
	return bin, nil
}

// lookAtSources looks at every source file: the go command takes a test's result from its cache while the files that
// the test looked at are unchanged, and it does not know what the programs are made of.
func lookAtSources() error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := e.Name(); e.IsDir() && strings.HasPrefix(name, ".") && path != root {
			return fs.SkipDir
		}
		switch filepath.Ext(path) {
		case ".go", ".cpp", ".h", ".mod", ".sum", ".sh", ".yaml", ".pddl", ".twl2":
			_, err = os.Stat(path)
		}
		return err
	})
}
