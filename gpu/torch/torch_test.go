package torch_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

func TestOperations(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		m := e.FromFloats([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		row := e.FromFloats([]float32{1, 0, -1}, 3)
		indices := e.FromInts([]int64{1, 0, 1})
		for _, c := range []struct {
			name  string
			got   *torch.Tensor
			shape []int64
			want  []float32
		}{
			{"linear", m.Linear(m, e.FromFloats([]float32{10, 20}, 2)), []int64{2, 2}, []float32{24, 52, 42, 97}},
			{"linear without bias", m.Linear(m, nil), []int64{2, 2}, []float32{14, 32, 32, 77}},
			{"matmul", m.MatMul(m.View(3, 2)), []int64{2, 2}, []float32{22, 28, 49, 64}},
			{"add", m.Add(row), []int64{2, 3}, []float32{2, 2, 2, 5, 5, 5}},
			{"mul", m.Mul(row), []int64{2, 3}, []float32{1, 0, -3, 4, 0, -6}},
			{"scale", row.Scale(0.5), []int64{3}, []float32{0.5, 0, -0.5}},
			{"times", row.Times(-2), []int64{3}, []float32{-2, 0, 2}},
			{"narrow", m.Narrow(1, 1, 2), []int64{2, 2}, []float32{2, 3, 5, 6}},
			{"cat", torch.Cat(0, row, row.Scale(3)), []int64{6}, []float32{1, 0, -1, 3, 0, -3}},
			{"embedding", m.Embedding(indices), []int64{3, 3}, []float32{4, 5, 6, 1, 2, 3, 4, 5, 6}},
			{"rows", m.Rows(indices), []int64{3, 3}, []float32{4, 5, 6, 1, 2, 3, 4, 5, 6}},
			{"sum", m.Sum(), []int64{}, []float32{21}},
			{"to and back", m.To(torch.BFloat16).To(torch.Float32), []int64{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
			{"cross entropy", e.Zeros(torch.Float32, 2, 4).CrossEntropy(e.FromInts([]int64{0, 3})), []int64{}, []float32{float32(2 * math.Log(4))}},
			{"silu mul", row.SiluMul(e.FromFloats([]float32{2, 2, 2}, 3)), []int64{3}, []float32{1.4621172, 0, -0.5378828}},
			{"rms norm", m.RMSNorm(row, 1e-30), []int64{2, 3}, []float32{0.46291005, 0, -1.3887302, 0.78954203, 0, -1.184313}},
		} {
			if got := c.got.Shape(); !slices.Equal(got, c.shape) {
				t.Errorf("%s: shape %v, want %v", c.name, got, c.shape)
			}
			for i, got := range c.got.Floats() {
				if math.Abs(float64(got-c.want[i])) > 1e-6 {
					t.Errorf("%s: %v, want %v", c.name, c.got.Floats(), c.want)
					break
				}
			}
		}
		if got := m.Argmax().Ints(); !slices.Equal(got, []int64{2, 2}) {
			t.Errorf("argmax: %v", got)
		}
		z := e.Zeros(torch.Float32, 2, 3)
		z.SetRows(e.FromInts([]int64{1}), m.Narrow(0, 0, 1))
		if got := z.Floats(); !slices.Equal(got, []float32{0, 0, 0, 1, 2, 3}) {
			t.Errorf("set rows: %v", got)
		}
	})
}

// A refused operation is an error that names it and the shapes; the engine works on.
func TestErrors(t *testing.T) {
	e := torchtest.CPU(t)
	for _, c := range []struct {
		name string
		f    func()
		says []string
	}{
		{"shapes", func() { e.Zeros(torch.Float32, 2, 3).Linear(e.Zeros(torch.Float32, 5, 4), nil) }, []string{"linear of [2 3] [5 4]", "cannot be multiplied"}},
		{"backward", func() { e.Zeros(torch.Float32, 1).Backward() }, []string{"backward of [1]", "does not require grad"}},
		{"copy", func() { e.Zeros(torch.Float32, 3).Copy(e.Zeros(torch.Float32, 4)) }, []string{"copy of [3] [4]"}},
		{"fused", func() { e.Zeros(torch.Float32, 3).SiluMul(e.Zeros(torch.Float32, 4)) }, []string{"silu mul of [3] [4]", "sizes differ"}},
		{"item", func() { e.Zeros(torch.Float32, 3).Item() }, []string{"item of [3]"}},
		{"bytes", func() { e.FromFloats([]float32{1, 2}, 3) }, []string{"8 bytes", "expected 12"}},
		{"shape", func() { e.Zeros(torch.Float32, 1<<40, 1<<40) }, []string{"empty"}},
		{"freed", func() {
			x := e.Zeros(torch.Float32, 3).Keep()
			x.Free()
			x.Add(x)
		}, []string{"add of (freed)", "was freed"}},
		{"index", func() { e.Zeros(torch.Float32, 3, 2).Embedding(e.FromInts([]int64{7})) }, []string{"embedding of [3 2] [1]"}},
		{"type", func() { e.FromInts([]int64{1}).Floats() }, []string{"floats of [1]"}},
		{"go", func() { var s []int; _ = s[len(s)] }, []string{"index out of range", "torch_test.go"}},
		{"key", func() {
			q := e.Zeros(torch.Float32, 1, 1, 16)
			q.Attend(q, q, torch.Sequences{Offset: []int64{0, 1}, KeyStart: []int64{0}, Position: []int64{1}}, 1)
		}, []string{"attend", "key rows up to 1 of 1"}},
	} {
		err := e.Do(t.Context(), func() error { c.f(); return nil })
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", c.name, err, s)
			}
		}
	}
	torchtest.Do(t, e, func() {
		if e.Handles() != 0 {
			t.Errorf("%d handles are left of the failed work", e.Handles())
		}
		if got := e.FromFloats([]float32{1}, 1).Sum().Item(); got != 1 {
			t.Errorf("after errors: %v", got)
		}
	})
}

func TestScopes(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		var inner *torch.Tensor
		kept := e.Scope1(func() *torch.Tensor {
			inner = e.Zeros(torch.Float32, 1)
			return inner.Add(inner)
		})
		if e.Handles() != 1 || kept.Item() != 0 {
			t.Errorf("%d handles, want the result's", e.Handles())
		}
		x := e.Zeros(torch.Float32, 2).Keep()
		x.Become(e.FromFloats([]float32{1, 2, 3}, 3))
		if got := x.Floats(); len(got) != 3 || e.Handles() != 2 {
			t.Errorf("became %v with %d handles", got, e.Handles())
		}
		x.Free()
		x.Free()
	})
	torchtest.Do(t, e, func() {
		if e.Handles() != 0 {
			t.Errorf("%d handles after the scope of Do", e.Handles())
		}
	})
}

// Gradient mode is a nested pair: off, on inside Grad, off again after a panic.
func TestGradMode(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		grad := e.Zeros(torch.Float32, 1)
		w := e.FromFloats([]float32{3}, 1).Leaf(grad, 0, 1)
		e.Grad(func() {
			e.Grad(func() {})
			w.Mul(w).Sum().Backward()
		})
		if got := grad.Floats()[0]; got != 6 {
			t.Errorf("gradient %v, want 6", got)
		}
	})
	if err := e.Do(t.Context(), func() error {
		e.Grad(func() { panic(errors.New("inside")) })
		return nil
	}); err == nil || err.Error() != "inside" {
		t.Errorf("got %v", err)
	}
	err := e.Do(t.Context(), func() error {
		w := e.Zeros(torch.Float32, 1).Leaf(e.Zeros(torch.Float32, 1), 0, 1)
		w.Sum().Backward()
		return nil
	})
	if err == nil {
		t.Error("gradients are on after a panic")
	}
}

func TestEngineFromManyGoroutines(t *testing.T) {
	e := torchtest.Engine(t)
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for range 20 {
				var got float64
				err := e.Do(t.Context(), func() error {
					got = e.FromFloats([]float32{float32(i)}, 1).Scale(2).Item()
					return nil
				})
				if err != nil || got != float64(2*i) {
					t.Errorf("%v, %v, want %v", got, err, 2*i)
				}
			}
		})
	}
	wait.Wait()
}

func TestEngineContextAndClose(t *testing.T) {
	e, err := torch.New(torch.Config{Device: "cpu", Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Do(ctx, func() error { t.Error("ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Do(t.Context(), func() error { return nil }); !errors.Is(err, torch.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := e.Close(); !errors.Is(err, torch.ErrClosed) {
		t.Errorf("closed again: %v", err)
	}
}

// Work that ends its goroutine, as a failing test does, is an error to its caller and to all who come later.
func TestWorkThatEndsItsGoroutine(t *testing.T) {
	e := torchtest.Engine(t)
	if err := e.Do(t.Context(), func() error { runtime.Goexit(); return nil }); err == nil {
		t.Error("no error")
	}
	if err := e.Do(t.Context(), func() error { return nil }); !errors.Is(err, torch.ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
}

// CUDA's libraries open on a machine without a GPU too, and report their runtime there: that is how far the same
// program can be tested without one. It needs make setup DEVICE=cuda, and a process of its own: libtorch keeps its
// first answer to whether CUDA is there, and other tests have asked.
func TestCUDALibrariesOpen(t *testing.T) {
	const alone = "HONE_TEST_ALONE"
	if os.Getenv(alone) == "" {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		command.Env = append(os.Environ(), alone+"=1")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if t.Logf("%s", out); bytes.Contains(out, []byte("--- SKIP")) {
			t.Skipf("%s needs CUDA's libraries (make setup DEVICE=cuda)", t.Name())
		}
		return
	}
	err := torch.OpenCUDA()
	if err != nil && strings.Contains(err.Error(), "DEVICE=cuda") && os.Getenv("HONE_DEVICE") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime, cudnn, err := torch.CUDAVersions()
	if err != nil || runtime/1000 != 12 || cudnn/1000 != 8 {
		t.Errorf("CUDA runtime %d, cuDNN %d, %v: want 12 and 8", runtime, cudnn, err)
	}
	t.Logf("CUDA runtime %d, cuDNN %d", runtime, cudnn)
	if e, err := torch.New(torch.Config{Device: "cuda:99"}); err == nil {
		t.Errorf("cuda:99 is there: %v", e.Close())
	} else if !strings.Contains(err.Error(), "CUDA shows ") {
		t.Errorf("cuda:99: %v", err)
	}
}

func TestDevices(t *testing.T) {
	for _, device := range []string{"gpu", "cuda:", "cpu:0", "CPU"} {
		if _, err := torch.New(torch.Config{Device: device}); err == nil || !strings.Contains(err.Error(), "expected cpu") {
			t.Errorf("device %q: %v", device, err)
		}
	}
	if _, err := torch.New(torch.Config{Device: "cpu", Threads: -1}); err == nil {
		t.Error("-1 threads: no error")
	}
	auto := torchtest.On(t, torch.Config{Threads: 1})
	cuda, err := torch.New(torch.Config{Device: "cuda:0"})
	switch {
	case err == nil:
		defer func() {
			if err := cuda.Close(); err != nil {
				t.Error(err)
			}
		}()
		if auto.Device() != "cuda:0" {
			t.Errorf("auto chose %s where cuda:0 is there", auto.Device())
		}
	case auto.Device() != "cpu":
		t.Errorf("auto chose %s, but cuda:0: %v", auto.Device(), err)
	case !strings.Contains(err.Error(), "DEVICE=cuda") && !strings.Contains(err.Error(), "shows 0 devices"):
		t.Errorf("cuda:0: %v", err)
	}
}

// Many who queue when an engine closes: each either had its work done, whole, or is told that the engine is closed.
func TestCloseWhileOthersQueue(t *testing.T) {
	for range 20 {
		e, err := torch.New(torch.Config{Device: "cpu", Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		begun := make(chan struct{}, 64)
		done := 0 // written on the engine's thread alone, read after it has ended
		var ran, told atomic.Int64
		for range 8 {
			wait.Go(func() {
				for {
					err := e.Do(t.Context(), func() error {
						x := e.FromFloats([]float32{1}, 1).Scale(2)
						done += int(x.Item()) / 2
						return nil
					})
					if errors.Is(err, torch.ErrClosed) {
						told.Add(1)
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					ran.Add(1)
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			})
		}
		<-begun
		closed := make(chan error, 2)
		for range 2 {
			go func() { closed <- e.Close() }()
		}
		if a, b := <-closed, <-closed; (a == nil) == (b == nil) {
			t.Errorf("closed twice: %v and %v, want one nil", a, b)
		}
		wait.Wait()
		if told.Load() != 8 || ran.Load() != int64(done) {
			t.Errorf("%d were told, %d of %d pieces of work came back", told.Load(), ran.Load(), done)
		}
	}
}
