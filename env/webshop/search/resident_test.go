package search_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// resident is the most memory that the process has had so far, in bytes, with what it mapped.
func resident(t testing.TB) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib int64
	if _, err := fmt.Fscan(bytes.NewReader(rest), &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
