package endtoend_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// TestDoctor: with the local stack up nothing is wrong; without it the doctor says what is, and how to mend it.
func TestDoctor(t *testing.T) {
	p := sharedPlace(t)
	wait(t, "the worker waits for work", func() bool {
		return !strings.Contains(p.hone(t, "doctor").text, " 0 for ")
	})
	p.hone(t, "doctor").says(t, 0, "hone-worker", "device", "threads", "1 for games and workflows, 1 for models", "it answers, with ")
	elsewhere := &place{p.bin, stackfile.Dir(filepath.Join(t.TempDir(), "data"))}
	elsewhere.hone(t, "doctor").says(t, 1, "Temporal", "wrong", "hone up starts the local stack", "things wrong: no run goes on before that is mended")
}
