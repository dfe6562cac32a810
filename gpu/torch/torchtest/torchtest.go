// Package torchtest gives tests an engine.
package torchtest

import (
	"cmp"
	"os"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
)

// Device is where tests compute: $HONE_DEVICE, "cuda:0" say, or else the CPU. make test-gpu sets it.
func Device() string { return cmp.Or(os.Getenv("HONE_DEVICE"), "cpu") }

// Engine is an engine on Device, of one thread, closed when the test ends. Several test programs run side by side on
// a machine, and OpenMP threads that wait for each other on busy cores make a step many times slower; that two
// threads give the same bits each time has its own test.
func Engine(t testing.TB) *torch.Engine {
	t.Helper()
	return On(t, torch.Config{Device: Device(), Threads: 1})
}

// CPU is an engine of one thread on the CPU wherever other tests compute: for what is true of it alone, such as the
// order of sums in loops of our own, or indices out of range as errors.
func CPU(t testing.TB) *torch.Engine { return Threads(t, 1) }

// Threads is CPU with a number of threads.
func Threads(t testing.TB, n int) *torch.Engine {
	t.Helper()
	return On(t, torch.Config{Device: "cpu", Threads: n})
}

// Tolerance is how far results in fp32 may be off on Device where they may be off by cpu on the CPU. A GPU's libraries
// add in another order, and in more of them.
func Tolerance(cpu float64) float64 {
	if Device() == "cpu" {
		return cpu
	}
	return 5 * cpu
}

// On is an engine of any kind, closed when the test ends.
func On(t testing.TB, config torch.Config) *torch.Engine {
	t.Helper()
	e, err := torch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// Do runs f on the engine and fails the test on an error.
func Do(t testing.TB, e *torch.Engine, f func()) {
	t.Helper()
	if err := e.Do(t.Context(), func() error { f(); return nil }); err != nil {
		t.Fatal(err)
	}
}
