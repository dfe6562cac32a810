package train_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

// A step whose loss is not finite names step and micro-batch, changes nothing, and keeps its batch, with which another
// trainer from the same state fails in the same way. Only texts with token 7 are wrong: its embedding is not a number.
func TestFailedBatchIsReplayed(t *testing.T) {
	config, model := recipe, tiny
	config.Failures, model.TieEmbedding = filepath.Join(t.TempDir(), "failures"), false
	e := torchtest.Engine(t)
	trainer, _ := begin(t, e, model, config)
	steps(t, e, trainer, 0, 3)
	dir, _ := saved(t, e, trainer)
	poison(t, filepath.Join(dir, train.StateTensorsName), "parameter.model.embed_tokens.weight", 7*tiny.Hidden)
	micro := [][]gpu.Example{batch(1, 3, 128, 5, 60), batch(2, 3, 128, 5, 60)}
	for _, part := range micro {
		for _, x := range part {
			for i, id := range x.Tokens {
				if id == 7 {
					x.Tokens[i] = 8
				}
			}
		}
	}
	micro[1][2].Tokens[0] = 7
	const want = "train: step 3: micro-batch 1: loss NaN: not a finite number"
	for _, name := range []string{"first", "replayed"} {
		if name == "replayed" {
			kept, err := gpu.ReadFailedBatch(filepath.Join(config.Failures, "step-000003.json"))
			if err != nil {
				t.Fatal(err)
			}
			same := config
			same.Failures = ""
			if kept.Step != 3 || kept.Micro != 1 || kept.Reason != "loss NaN" || !reflect.DeepEqual(kept.Batch, micro) || !reflect.DeepEqual(kept.Config, same) {
				t.Errorf("kept %+v", kept)
			}
			micro, config = kept.Batch, kept.Config
		}
		again, _ := begin(t, e, model, config)
		torchtest.Do(t, e, func() {
			if err := again.LoadState(dir); err != nil {
				panic(err)
			}
		})
		_, before := saved(t, e, again)
		torchtest.Do(t, e, func() {
			if _, err := again.Step(t.Context(), micro); !errors.Is(err, gpu.ErrNotFinite) || err.Error() != want {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		})
		if _, after := saved(t, e, again); !bytes.Equal(after, before) || again.Steps() != 3 {
			t.Errorf("%s: the failed step changed the state", name)
		}
	}
}

// poison makes one fp32 element of a file's tensor not a number.
func poison(t *testing.T, path, name string, element int) {
	t.Helper()
	change(t, path, name, element, float32(math.NaN()))
}

// change sets one fp32 element of a file's tensor.
func change(t *testing.T, path, name string, element int, value float32) {
	t.Helper()
	file, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Tensor
	for _, n := range file.Names() {
		one := *file.Tensor(n)
		one.Data = bytes.Clone(one.Data)
		if n == name {
			binary.LittleEndian.PutUint32(one.Data[4*element:], math.Float32bits(value))
		}
		tensors = append(tensors, one)
	}
	metadata := file.Metadata
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(path, metadata, tensors); err != nil {
		t.Fatal(err)
	}
}
