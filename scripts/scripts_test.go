// Package scripts_test runs the tests of the scripts beside it.
package scripts_test

import (
	"os/exec"
	"testing"
)

// TestScripts: set-up refuses wrong hashes, survives being killed, and does nothing the second time; fuzzing fails
// on what was found and on nothing else.
func TestScripts(t *testing.T) {
	for _, script := range []string{"setup_test.sh", "setup_minilm_test.sh", "fuzz_test.sh"} {
		t.Run(script, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), "bash", script).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", script, err, out)
			}
		})
	}
}
