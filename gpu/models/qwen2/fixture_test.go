package qwen2_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// tolerance is that of the fixtures' README for fp32: transformers adds in another order.
const tolerance = 1e-4

var fixtures = []string{"qwen2-tiny-tied", "qwen2-tiny-untied"}

// reference is the results of transformers beside a fixture.
type reference struct {
	t    *testing.T
	file *safetensors.File
}

func openReference(t *testing.T, path ...string) *reference {
	t.Helper()
	file, err := safetensors.Open(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return &reference{t: t, file: file}
}

func (r *reference) tensor(name string) *safetensors.Tensor {
	r.t.Helper()
	tensor := r.file.Tensor(name)
	if tensor == nil {
		r.t.Fatalf("%s has no %s", r.file.Path, name)
	}
	return tensor
}

func (r *reference) floats(name string) []float32 {
	r.t.Helper()
	data := r.tensor(name).Data
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}

// rows are the rows of a table of int64.
func (r *reference) rows(name string) [][]int32 {
	r.t.Helper()
	tensor := r.tensor(name)
	width := int(tensor.Shape[1])
	var flat []int32
	for i := 0; i < len(tensor.Data); i += 8 {
		flat = append(flat, int32(binary.LittleEndian.Uint64(tensor.Data[i:])))
	}
	return slices.Collect(slices.Chunk(flat, width))
}

func compare(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	largest := 0.0
	for i := range got {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if d > largest || math.IsNaN(d) {
			largest = d
		}
	}
	t.Logf("%s: largest difference %.1e", what, largest)
	if !(largest <= tolerance) {
		t.Errorf("%s: largest difference %g, want at most %g", what, largest, tolerance)
	}
}

// each runs a test over a loaded model and its reference, on the engine's thread, with both kinds of attention.
func each(t *testing.T, f func(t *testing.T, e *torch.Engine, m *qwen2.Model, r *reference)) {
	for _, name := range fixtures {
		for kind, eager := range map[string]bool{"fused": false, "eager": true} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				dir := torchtest.Shared(t, "model-fixtures", name)
				r := openReference(t, dir, "reference.safetensors")
				e := torchtest.Engine(t)
				torchtest.Do(t, e, func() {
					m, err := qwen2.Load(e, dir, nn.Options{Eager: eager})
					if err != nil {
						t.Error(err)
						return
					}
					defer m.Free()
					f(t, e, m, r)
				})
			})
		}
	}
}

// whole is a batch of sequences with every row wanted.
func whole(sequences [][]int32) *nn.Batch {
	b := nn.NewBatch()
	for _, s := range sequences {
		b.Add(s, 0, nn.Place{}, 0, len(s))
	}
	return b
}

func TestLogits(t *testing.T) {
	each(t, func(t *testing.T, _ *torch.Engine, m *qwen2.Model, r *reference) {
		got := m.Logits(nn.Forward(m, whole(r.rows("input_ids")), nil)).Floats()
		compare(t, "logits", got, r.floats("logits"))
	})
}

func TestHiddenStates(t *testing.T) {
	each(t, func(t *testing.T, _ *torch.Engine, m *qwen2.Model, r *reference) {
		in := whole(r.rows("input_ids")).Input(m, nil)
		x := m.Embed(in)
		compare(t, "hidden.0", x.Floats(), r.floats("hidden.0"))
		x = m.Layers[0].Forward(x, in, false)
		compare(t, "hidden.1", x.Floats(), r.floats("hidden.1"))
		x = m.Norm(m.Layers[1].Forward(x, in, false))
		compare(t, "hidden.2", x.Floats(), r.floats("hidden.2"))
	})
}

// Rows that are padded on the left in the reference are packed here without their padding.
func TestPadded(t *testing.T) {
	each(t, func(t *testing.T, _ *torch.Engine, m *qwen2.Model, r *reference) {
		mask := r.rows("padded.attention_mask")
		reference := r.floats("padded.logits")
		vocabulary := m.Config.Vocabulary
		var sequences [][]int32
		var want []float32
		for i, ids := range r.rows("input_ids") {
			var kept []int32
			for j, id := range ids {
				if mask[i][j] == 1 {
					kept = append(kept, id)
					at := (i*len(ids) + j) * vocabulary
					want = append(want, reference[at:at+vocabulary]...)
				}
			}
			sequences = append(sequences, kept)
		}
		compare(t, "padded", m.Logits(nn.Forward(m, whole(sequences), nil)).Floats(), want)
	})
}

// A prefix is extended through the cache by 7, 2, 5, 1 and the remaining tokens.
func TestExtended(t *testing.T) {
	each(t, func(t *testing.T, _ *torch.Engine, m *qwen2.Model, r *reference) {
		sequences := r.rows("input_ids")
		length, vocabulary := len(sequences[0]), m.Config.Vocabulary
		cache := m.NewCache(len(sequences)*length, len(sequences))
		defer cache.Free()
		got := make([]float32, len(sequences)*length*vocabulary)
		for from, parts := 0, []int{7, 2, 5, 1, length - 15}; from < length; parts = parts[1:] {
			to := from + parts[0]
			b := nn.NewBatch()
			for i, s := range sequences {
				b.Add(s[from:to], from, nn.Place{Slot: i * length, Lane: i}, 0, to-from)
			}
			part := m.Logits(nn.Forward(m, b, cache)).Floats()
			n := (to - from) * vocabulary
			for i := range sequences {
				copy(got[(i*length+from)*vocabulary:], part[i*n:(i+1)*n])
			}
			from = to
		}
		compare(t, "extended", got, r.floats("logits"))
	})
}

func TestGreedy(t *testing.T) {
	each(t, func(t *testing.T, _ *torch.Engine, m *qwen2.Model, r *reference) {
		const prompt, steps = 7, 12
		want := r.rows("greedy.ids")
		cache := m.NewCache(len(want)*(prompt+steps), len(want))
		defer cache.Free()
		var got [][]int32
		for _, ids := range want {
			got = append(got, slices.Clone(ids[:prompt]))
		}
		logits := make([][]float32, len(want))
		for step := range steps {
			b := nn.NewBatch()
			for i, ids := range got {
				past := len(ids) - 1
				if step == 0 {
					past = 0
				}
				b.Add(ids[past:], past, nn.Place{Slot: i * (prompt + steps), Lane: i}, len(ids)-past-1, len(ids)-past)
			}
			l := m.Logits(nn.Forward(m, b, cache))
			next, values := l.Argmax().Ints(), l.Floats()
			for i := range got {
				got[i] = append(got[i], int32(next[i]))
				logits[i] = append(logits[i], values[i*m.Config.Vocabulary:(i+1)*m.Config.Vocabulary]...)
			}
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("row %d: got %v, want %v", i, got[i], want[i])
			}
		}
		compare(t, "greedy.step_logits", slices.Concat(logits...), r.floats("greedy.step_logits"))
	})
}
