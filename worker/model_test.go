package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNewModelInterrupted: a model whose writing is interrupted leaves nothing in its folder.
func TestNewModelInterrupted(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.json")
	text := `{"model_type": "qwen2", "hidden_size": 2048, "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 8,
		"intermediate_size": 8192, "vocab_size": 50000}` // 700 MB
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		for {
			if begun, err := filepath.Glob(filepath.Join(dir, ".new-*", ".model.safetensors.*")); err != nil || len(begun) > 0 {
				interrupt()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	cmd := command()
	cmd.SetArgs([]string{"model", "new", config, dir})
	if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestNewModelFromDevice: a configuration without end is not read.
func TestNewModelFromDevice(t *testing.T) {
	cmd := command()
	cmd.SetArgs([]string{"model", "new", "/dev/zero", t.TempDir()})
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "/dev/zero: a device, expected a regular file") {
		t.Errorf("got %v", err)
	}
}

// TestMisuse: wrong arguments are told apart from failures, and say where the right ones are.
func TestMisuse(t *testing.T) {
	for _, args := range [][]string{{"check", "a", "b"}, {"model", "new", "config.json"}, {"model", "greedy"}, {"check", "--loud"}, {"serve"}} {
		cmd := command()
		cmd.SetArgs(args)
		var wrong usageError
		if err := cmd.ExecuteContext(t.Context()); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "see hone-worker") || !strings.HasSuffix(err.Error(), " --help") {
			t.Errorf("%q: got %v, want wrong arguments and where to read of them", args, err)
		}
	}
}
