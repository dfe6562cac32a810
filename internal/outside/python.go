package outside

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Python is the one that make setup-dev brings, with the libraries that tests compare with.
type Python struct{ root string }

// NewPython looks for Python.
func NewPython(t testing.TB) Python {
	t.Helper()
	p := Python{root(t)}
	need(t, filepath.Join(p.root, ".venv", "stamp"), "the Python peers (make setup-dev)")
	return p
}

// Output is what a script of scripts/parity prints. One that fails ends the test.
func (p Python) Output(t testing.TB, script string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(p.root, ".venv", "bin", "python"),
		append([]string{filepath.Join(p.root, "scripts", "parity", script)}, args...)...)
	// Python brings its own libtorch, of another version.
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LD_LIBRARY_PATH=") })
	var stderr bytes.Buffer
	command.Stderr = &stderr // shown only if it fails: warnings of libraries about themselves
	data, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, &stderr)
	}
	return data
}

// Read reads a script's output, JSON, into out.
func (p Python) Read(t testing.TB, out any, script string, args ...string) {
	t.Helper()
	if err := json.Unmarshal(p.Output(t, script, args...), out); err != nil {
		t.Fatalf("%s: reading its output: %v", script, err)
	}
}
