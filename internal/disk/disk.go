// Package disk says how much may still be written.
package disk

import (
	"fmt"
	"syscall"
)

// Free is the number of bytes that the disk of dir has for others than root.
func Free(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("ask for the room on the disk of %s: %w", dir, err)
	}
	return int64(s.Bavail) * s.Bsize, nil //nolint:gosec // of a disk
}
