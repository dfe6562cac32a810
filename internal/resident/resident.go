// Package resident says how much memory this process has, for benchmarks on Linux.
package resident

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// Peak is the most memory that the process has had since Begin, in bytes, with what it mapped.
func Peak() (int64, error) { return status("VmHWM:") }

// Now is how much it has.
func Now() (int64, error) { return status("VmRSS:") }

// Begin gives back what is not used and lets Peak begin again.
func Begin() error {
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

func status(key string) (int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(text, []byte(key))
	var kib int64
	if _, err := fmt.Fscan(bytes.NewReader(rest), &kib); err != nil {
		return 0, fmt.Errorf("/proc/self/status: %s %w", key, err)
	}
	return kib << 10, nil
}
