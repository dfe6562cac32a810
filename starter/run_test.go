package main

import (
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
	for name, file := range map[string]string{"a folder": t.TempDir(), "a device without end": "/dev/zero", "too large": big} {
		if _, err := readSpec(file); err == nil || !strings.Contains(err.Error(), "expected a spec") || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := readSpec(filepath.Join(t.TempDir(), "none.yaml")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: got %v", err)
	}
}
