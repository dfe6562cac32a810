package nn_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/gpu/nn"
)

// created has tensors of every kind that a new model has, one of 32,000 elements, more than are written at once.
const created = `{"model_type": "qwen2", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
 "intermediate_size": 33, "vocab_size": 1000, "tie_word_embeddings": true, "max_position_embeddings": 64}`

// The same configuration and seed are the same bytes, in every version.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	if err := nn.Create([]byte(created), 7, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"config.json":       "3401d0914c5566bd44cd940bac81bf2bee7118bf62d5fc9137164fea6bfd3170",
		"model.safetensors": "a2c2b616f85a59848dd40771d79565533ffb683d7e9bb438ba145a67fc3958a1",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: sha256 %s, want %s", name, got, want)
		}
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("the folder has %v, want config.json and model.safetensors", got)
	}
}

// until is t's context, which is cancelled when it has been asked so many times.
func until(t *testing.T, asked int) context.Context {
	return cancelled{t.Context(), &asked}
}

type cancelled struct {
	context.Context //nolint:containedctx // it is one
	left            *int
}

func (c cancelled) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// After an error the folder is as it was.
func TestCreateLeavesNothing(t *testing.T) {
	huge := strings.NewReplacer(`"vocab_size": 1000`, `"vocab_size": 16777216`, `"hidden_size": 32`, `"hidden_size": 65536`).Replace(created)
	for name, c := range map[string]struct {
		asked        int
		config, says string
		there        string
	}{
		"cancelled before":   {0, created, "context canceled", ""},
		"cancelled amid":     {3, created, "context canceled", ""},
		"cancelled amid one": {1, created, `tensor "model.embed_tokens.weight": context canceled`, ""},
		"no room":            {1000, huge, "parameters of 4 bytes, expected at most the ", ""},
		"a model is there":   {1000, created, "holds model.safetensors already", "model.safetensors"},
		"shards are there":   {1000, created, "holds model.safetensors.index.json already", "model.safetensors.index.json"},
		"one shard is there": {1000, created, "holds model-00001-of-00002.safetensors already", "model-00001-of-00002.safetensors"},
		"another config":     {1000, created, "holds another config.json already", "config.json"},
		"no configuration":   {1000, `{}`, "model_type", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.there != "" {
				if err := os.WriteFile(filepath.Join(dir, c.there), []byte("as it was"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := nn.CreateContext(until(t, c.asked), []byte(c.config), 7, dir)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want an error with %q", err, c.says)
			}
			if strings.Contains(c.says, "canceled") && !errors.Is(err, context.Canceled) {
				t.Errorf("the cause is lost in %v", err)
			}
			if got := strings.Join(names(t, dir), " "); got != c.there {
				t.Errorf("the folder has %q, want %q", got, c.there)
			}
			if text, err := os.ReadFile(filepath.Join(dir, c.there)); c.there != "" && string(text) != "as it was" {
				t.Errorf("%s has %q, %v", c.there, text, err)
			}
		})
	}
}

// What a killed process left is taken away, and nothing else; a folder in which one is at work is refused.
func TestCreateAfterKill(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".new-1/config.json", ".new-1/.model.safetensors.77", ".new-2/mine", ".new-x/config.json", "config.json"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(created), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = at.Close() }()
	if err := syscall.Flock(int(at.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := nn.Create([]byte(created), 7, dir); err == nil || !strings.Contains(err.Error(), "another model is being made there") {
		t.Errorf("beside another: %v", err)
	}
	if err := syscall.Flock(int(at.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := nn.Create([]byte(created), 7, dir); err != nil { // with the same config.json in its place
		t.Error(err)
	}
	if got, want := strings.Join(names(t, dir), " "), ".new-2 .new-x config.json model.safetensors"; got != want {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// A folder that cannot be written to is named.
func TestCreateNowhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nowhere")
	if err := nn.Create([]byte(created), 7, dir); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v, want one that names %s", err, dir)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
