package alfworld_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld"
)

// TestImportRefusesDevices: what has no end, or waits for a writer, is not read.
func TestImportRefusesDevices(t *testing.T) {
	if _, err := alfworld.Import("/dev/zero"); err == nil || !strings.Contains(err.Error(), "/dev/zero: expected a folder or a regular file") {
		t.Errorf("got %v", err)
	}
}
