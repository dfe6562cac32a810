package folder

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint/folder/foldertest"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// Elements in each type, with the largest finite ones beside those that are none.
var elements = map[safetensors.DType]struct {
	fine []uint32
	bad  map[uint32]string
}{
	safetensors.F32:  {[]uint32{0, 0x8000_0000, 0x3f80_0000, 0x7f7f_ffff, 0xff7f_ffff, 1}, map[uint32]string{0x7f80_0000: "+Inf", 0xff80_0000: "-Inf", 0x7fc0_0000: "NaN", 0xff80_0001: "NaN"}},
	safetensors.F16:  {[]uint32{0, 0x8000, 0x3c00, 0x7bff, 0xfbff, 1}, map[uint32]string{0x7c00: "+Inf", 0xfc00: "-Inf", 0x7e00: "NaN", 0xfc01: "NaN"}},
	safetensors.BF16: {[]uint32{0, 0x8000, 0x3f80, 0x7f7f, 0xff7f, 1}, map[uint32]string{0x7f80: "+Inf", 0xff80: "-Inf", 0x7fc0: "NaN", 0xff81: "NaN"}},
}

// TestFiniteElements: the first element that is no finite number is found wherever it stands, and no other is.
func TestFiniteElements(t *testing.T) {
	for dtype, kind := range elements {
		width := int(dtype.Size())
		put := func(data []byte, i int, bits uint32) {
			if width == 4 {
				binary.LittleEndian.PutUint32(data[4*i:], bits)
			} else {
				binary.LittleEndian.PutUint16(data[2*i:], uint16(bits))
			}
		}
		for _, n := range []int{1, 3, 9, 1<<20/width + 5} { // words and parts of words, and more than one buffer
			data := make([]byte, n*width)
			for i := range n {
				put(data, i, kind.fine[i%len(kind.fine)])
			}
			tensor := &safetensors.Tensor{Name: "x", DType: dtype, Shape: []int64{int64(n)}, Data: data}
			if err := finite(tensor); err != nil {
				t.Errorf("%s, %d finite elements: %v", dtype, n, err)
			}
			for _, at := range []int{0, n / 2, n - 1} {
				for bits, name := range kind.bad {
					put(data, at, bits)
					if err, want := finite(tensor), fmt.Sprintf("element %d is %s, expected finite numbers", at, name); err == nil || err.Error() != want {
						t.Errorf("%s, %d elements: got %v, want %q", dtype, n, err, want)
					}
				}
				put(data, at, kind.fine[at%len(kind.fine)])
			}
		}
	}
}

// TestFinite: an element of a shard is named with its file and tensor.
func TestFinite(t *testing.T) {
	dir := foldertest.Write(t, foldertest.Files(t, 1, 3))
	none := func(string, int, int) {}
	if err := Finite(t.Context(), dir, none); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Finite(cancelled, dir, none); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	path := filepath.Join(dir, foldertest.Shard(2, 3))
	file, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	name := file.Names()[0]
	var all []safetensors.Tensor
	for _, n := range file.Names() {
		x := *file.Tensor(n)
		x.Data = append([]byte(nil), x.Data...)
		if n == name {
			binary.LittleEndian.PutUint16(x.Data[2*5:], 0x7fc0)
		}
		all = append(all, x)
	}
	if err := errors.Join(file.Close(), os.Remove(path), safetensors.WriteFile(path, nil, all)); err != nil {
		t.Fatal(err)
	}
	err = Finite(t.Context(), dir, none)
	if err == nil || !strings.Contains(err.Error(), "tensor "+name+" of shape ") || !strings.HasSuffix(err.Error(), "element 5 is NaN, expected finite numbers") {
		t.Errorf("got %v, want element 5 of %s", err, name)
	}
}

func BenchmarkFinite(b *testing.B) {
	data := make([]byte, 64<<20)
	x := &safetensors.Tensor{Name: "x", DType: safetensors.BF16, Shape: []int64{32 << 20}, Data: data}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := finite(x); err != nil {
			b.Fatal(err)
		}
	}
}
