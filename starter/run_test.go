package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadSpecRefuses(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big.yaml")
	if err := os.WriteFile(big, make([]byte, specLimit+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for says, file := range map[string]string{"a folder, expected a regular file": t.TempDir(), "a device, expected a regular file": "/dev/zero", "1048577 bytes, expected at most 1048576": big} {
		if _, err := readSpec(file); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v, want %q", file, err, says)
		}
	}
	if _, err := readSpec(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: got %v", err)
	}
}

// A model's parts that are no files are refused before anything is asked.
func TestNewModelRefusesDevices(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, []byte(`{"model_type": "qwen2"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command()
	cmd.SetArgs([]string{"--data", t.TempDir(), "model", "new", "/dev/zero"})
	err := cmd.ExecuteContext(t.Context())
	var c coded
	if !errors.As(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), "/dev/zero: a device, expected a regular file") {
		t.Errorf("a device as configuration: got %v", err)
	}
	tokens := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(tokens, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	err = copyTokenizer(tokens, t.TempDir())
	if !errors.As(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), "tokenizer.json: a device, expected a regular file") {
		t.Errorf("a device as tokenizer: got %v", err)
	}
	to := t.TempDir()
	tokens = t.TempDir()
	if err := byteTokenizer(tokens); err != nil {
		t.Fatal(err)
	}
	merges := filepath.Join(tokens, "merges.txt")
	if err := errors.Join(os.WriteFile(merges, nil, 0o600), os.Truncate(merges, 1<<40)); err != nil {
		t.Fatal(err)
	}
	err = copyTokenizer(tokens, to)
	if !errors.As(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), "merges.txt: 1099511627776 bytes, expected at most 268435456") {
		t.Errorf("a terabyte of merges: got %v", err)
	}
	if _, err := os.Stat(filepath.Join(to, "merges.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("some of it was copied: %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	cmd := command()
	cmd.SetArgs([]string{"--data", t.TempDir(), "run", "../experiments/tiny.yaml", "--heartbeat=-5s"})
	err := cmd.ExecuteContext(t.Context())
	var c coded
	if !errors.As(err, &c) || c.code != exitUsage || err.Error() != "--heartbeat -5s: expected more than 0" {
		t.Errorf("got %v", err)
	}
}

// Counts that no plan can be made of name their flag and what it takes.
func TestDryRunRefuses(t *testing.T) {
	for _, n := range []string{"-1", "1000000001", "9223372036854775807"} {
		cmd := command()
		cmd.SetArgs([]string{"--data", t.TempDir(), "run", "--dry-run", "../experiments/tiny.yaml", "--records=" + n})
		err := cmd.ExecuteContext(t.Context())
		var c coded
		if !errors.As(err, &c) || c.code != exitUsage || err.Error() != "--records "+n+": expected from 1 to 1000000000" {
			t.Errorf("%s: got %v", n, err)
		}
	}
}
