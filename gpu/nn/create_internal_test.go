package nn

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
)

// full takes so many bytes.
type full struct{ left, calls int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	f.calls++
	n := min(len(p), f.left)
	if f.left -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// A full disk ends the work at once, not after gigabytes of values for nobody.
func TestInitialOnFullDisk(t *testing.T) {
	for _, kind := range []checkpoint.Kind{checkpoint.Normal, checkpoint.Zeros, checkpoint.Ones} {
		i := initial{
			tensor: checkpoint.Tensor{Name: "x", Shape: []int64{1 << 40}, Kind: kind}, std: 1, stop: func() error { return nil },
		}
		to := &full{left: 100_000}
		if n, err := i.WriteTo(to); n != 100_000 || !errors.Is(err, errFull) || to.calls != 2 {
			t.Errorf("kind %d: %d bytes in %d calls, %v, want 100000 in 2 and %v", kind, n, to.calls, err, errFull)
		}
	}
}

// A file that came meanwhile keeps its place, and what was moved before goes back to nothing.
func TestSettle(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(from, "config.json"): "ours", filepath.Join(from, "model.safetensors"): "ours", filepath.Join(dir, "model.safetensors"): "theirs",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := settle(from, dir); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v, want %v", err, os.ErrExist)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "model.safetensors")); string(text) != "theirs" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "config.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("config.json: %v, want none", err)
	}
}
