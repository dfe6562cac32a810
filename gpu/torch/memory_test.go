package torch_test

import (
	"errors"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// Figures rise by what a tensor has and fall when it is freed; the peak keeps what was there at once, those of
// libtorch's own temporaries too.
func TestMemory(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		const mega = 1 << 20
		e.ResetPeak()
		before := e.Memory()
		if before.Peak != before.Allocated || before.Allocated < 0 {
			t.Errorf("after ResetPeak: %+v", before)
		}
		near := func(name string, got, want int64) {
			t.Helper()
			if got < want || got > want+want/50+8192 { // blocks are rounded up to pages
				t.Errorf("%s: %d bytes, want %d", name, got, want)
			}
		}
		e.Scope(func() []*torch.Tensor {
			x := e.Zeros(torch.Float32, mega)
			near("one tensor", e.Memory().Allocated-before.Allocated, 4*mega)
			x.View(1024, 1024) // the same memory
			near("and a view of it", e.Memory().Allocated-before.Allocated, 4*mega)
			e.Scope(func() []*torch.Tensor {
				x.Add(x).Mul(x) // two more
				return nil
			})
			near("after an inner scope", e.Memory().Allocated-before.Allocated, 4*mega)
			return nil
		})
		after := e.Memory()
		if after.Allocated != before.Allocated {
			t.Errorf("%d bytes are left", after.Allocated-before.Allocated)
		}
		near("peak", after.Peak-before.Allocated, 12*mega)
	})
}

// An allocation that cannot be had is an error of its own kind, and the engine works on.
func TestOutOfMemory(t *testing.T) {
	e := torchtest.Engine(t)
	for name, f := range map[string]func(){
		"ours":    func() { e.Empty(torch.Float32, 1<<45) },
		"gotch's": func() { x := e.Zeros(torch.Float32, 1<<20, 1); x.Linear(e.Zeros(torch.Float32, 1<<20, 1), nil).Item() },
	} {
		err := e.Do(t.Context(), func() error { f(); return nil })
		if !errors.Is(err, torch.ErrOutOfMemory) || !errors.Is(err, gpu.ErrOutOfMemory) {
			t.Errorf("%s: %v, want %v", name, err, torch.ErrOutOfMemory)
		}
	}
	err := e.Do(t.Context(), func() error { e.Zeros(torch.Float32, 2).Add(e.Zeros(torch.Float32, 3)); return nil })
	if err == nil || errors.Is(err, torch.ErrOutOfMemory) {
		t.Errorf("another error: %v", err)
	}
	torchtest.Do(t, e, func() {
		if e.Handles() != 0 {
			t.Errorf("%d handles are left", e.Handles())
		}
	})
}
