package nn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// peak is by how much resident memory rose above what it was, at its highest, while f ran. It is the kernel's figure,
// so Go's, C's and the file's mapped pages all count.
func peak(t testing.TB, f func()) int64 {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins again
		t.Skipf("no peak of resident memory here: %v", err)
	}
	before := status(t, "VmRSS")
	f()
	return status(t, "VmHWM") - before
}

func status(t testing.TB, key string) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("no resident memory to read here: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			var kilobytes int64
			if _, err := fmt.Sscan(value, &kilobytes); err != nil {
				t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	t.Fatalf("no %s", key)
	return 0
}

// weights writes a file of n fp32 matrices of 8 MB each.
func weights(t testing.TB, path string, n int) {
	t.Helper()
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		var all []nn.Parameter
		x := e.Zeros(torch.Float32, 2048, 1024)
		for i := range n {
			all = append(all, nn.Parameter{Name: fmt.Sprintf("layer.%04d.weight", i), Tensor: x})
		}
		if err := nn.SaveTensors(path, all); err != nil {
			t.Fatal(err)
		}
	})
}

// Loading holds the tensors and a piece of the file at most, writing a piece: never a second copy.
func TestOneCopyInMemory(t *testing.T) {
	const mega, spare = 1 << 20, 24 << 20 // pieces, the allocators' rounding, the Go heap
	path := filepath.Join(t.TempDir(), "x.safetensors")
	weights(t, path, 8)
	e := torchtest.CPU(t)
	for _, c := range []struct {
		dtype torch.DType
		want  int64
	}{{torch.Float32, 64 * mega}, {torch.BFloat16, 32 * mega}} {
		file, err := safetensors.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var all []*torch.Tensor
		got := peak(t, func() {
			torchtest.Do(t, e, func() {
				load := nn.NewLoader(e, file, "", c.dtype)
				for _, name := range file.Names() {
					all = append(all, load.Tensor(name, file.Tensor(name).Shape...))
				}
				if err := load.Finish(); err != nil {
					t.Fatal(err)
				}
			})
		})
		if got > c.want+spare {
			t.Errorf("type %d: loading took %d MB, want %d", c.dtype, got/mega, c.want/mega)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		out := filepath.Join(t.TempDir(), "out.safetensors")
		got = peak(t, func() {
			torchtest.Do(t, e, func() {
				var parameters []nn.Parameter
				for i, x := range all {
					parameters = append(parameters, nn.Parameter{Name: fmt.Sprint(i), Tensor: x})
				}
				if err := nn.SaveTensors(out, parameters); err != nil {
					t.Fatal(err)
				}
			})
		})
		if got > spare {
			t.Errorf("type %d: writing took %d MB more", c.dtype, got/mega)
		}
		torchtest.Do(t, e, func() {
			for _, x := range all {
				x.Free()
			}
		})
	}
}
