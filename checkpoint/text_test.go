package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
)

// A configuration that is no file, or gigantic, or whose numbers are, is an error at once and costs nothing.
func TestHostileConfigurations(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		says string
	}{
		"pipe":     {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "expected a regular file"},
		"folder":   {func(path string) error { return os.Mkdir(path, 0o700) }, "expected a regular file"},
		"itself":   {func(path string) error { return os.Symlink(path, path) }, "too many levels"},
		"gigantic": {func(path string) error { return sparse(path, 1<<40) }, "expected at most 16777216"},
		"deep":     {text(strings.Repeat(`{"model_type":`, 100_000)), ""},
		"layers":   {text(strings.Replace(published, `"num_hidden_layers":24`, `"num_hidden_layers":16777216`, 1)), "num_hidden_layers 16777216"},
		"hidden":   {text(strings.Replace(published, `"hidden_size":896`, `"hidden_size":9007199254740992`, 1)), "hidden_size 9007199254740992"},
		"fraction": {text(strings.Replace(published, `"hidden_size":896`, `"hidden_size":896.5`, 1)), "hidden_size"},
		"beyond":   {text(strings.Replace(published, `"hidden_size":896`, `"hidden_size":1e400`, 1)), "hidden_size"},
		"exponent": {text(strings.Replace(published, `"rope_theta":1000000.0`, `"rope_theta":1e400`, 1)), "rope_theta"},
		"text":     {text(strings.Replace(published, `"hidden_size":896`, `"hidden_size":"896"`, 1)), "hidden_size"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.make(filepath.Join(dir, checkpoint.ConfigName)); err != nil {
				t.Fatal(err)
			}
			if _, err := checkpoint.Read(dir); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want an error with %q", err, c.says)
			}
		})
	}
}

func text(content string) func(path string) error {
	return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
}

func sparse(path string, size int64) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}
