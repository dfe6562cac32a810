package torch_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// Elements come in as they are or in another type, whatever the sizes of the reads, and go out again.
func TestLoadAndWrite(t *testing.T) {
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		// 5 million values are several pieces of bf16; each is a whole number that bf16 has.
		const n = 5_000_000 // a multiple of 5
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i % 256)
		}
		all := e.FromFloats(values, n)
		for _, from := range []torch.DType{torch.Float32, torch.BFloat16, torch.Float16, torch.Float64} {
			data := all.To(from).Bytes()
			for _, to := range []torch.DType{torch.Float32, torch.BFloat16} {
				got, err := e.Load(iotest.HalfReader(bytes.NewReader(data)), from, to, n/5, 5)
				if err != nil {
					t.Fatal(err)
				}
				if got.DType() != to || !slices.Equal(got.Shape(), []int64{n / 5, 5}) || !slices.Equal(got.To(torch.Float32).Floats(), values) {
					t.Errorf("from type %d to %d: %v of type %d differ", from, to, got.Shape(), got.DType())
				}
				var out bytes.Buffer
				if k, err := got.WriteTo(&out); err != nil || k != int64(out.Len()) || !bytes.Equal(out.Bytes(), got.Bytes()) {
					t.Errorf("type %d: wrote %d bytes, %v", to, k, err)
				}
			}
			if _, err := e.Load(bytes.NewReader(data[:len(data)-1]), from, torch.Float32, n); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("from type %d, a byte too few: %v", from, err)
			}
		}
		// Columns of a matrix do not lie in order.
		columns := e.FromFloats([]float32{1, 2, 3, 4, 5, 6}, 2, 3).Narrow(1, 1, 2)
		var out bytes.Buffer
		if k, err := columns.WriteTo(&out); err != nil || k != 16 || !bytes.Equal(out.Bytes(), columns.Bytes()) {
			t.Errorf("columns: wrote %d bytes, %v", k, err)
		}
		if empty, err := e.Load(bytes.NewReader(nil), torch.Float32, torch.BFloat16, 0, 3); err != nil || empty.Elements() != 0 {
			t.Errorf("no elements: %v", err)
		}
		cause := errors.New("full")
		if _, err := all.WriteTo(failingWriter{cause}); !errors.Is(err, cause) {
			t.Errorf("a writer that fails: %v", err)
		}
	})
}

type failingWriter struct{ error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.error }
