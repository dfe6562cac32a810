// Package scripts_test runs the tests of the scripts beside it.
package scripts_test

import (
	"os/exec"
	"testing"
)

// TestSetupLibtorch: set-up refuses wrong hashes, survives being killed, and does nothing the second time.
func TestSetupLibtorch(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "bash", "setup_test.sh").CombinedOutput()
	if err != nil {
		t.Fatalf("setup_test.sh: %v\n%s", err, out)
	}
}
