package runner_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/runner"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/gpu/train"
)

var tiny = gpu.ModelConfig{
	Hidden: 64, Layers: 2, Heads: 4, KVHeads: 2, Intermediate: 96, Vocabulary: 96, Positions: 128, RopeTheta: 10000,
	InitStd: 0.12, TieEmbedding: true,
}

var recipe = gpu.TrainConfig{
	Steps: 60, Rate: 1e-2, Warmup: 5, Flat: 0.3, Floor: 0.02, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9,
	WeightDecay: 0.01, Clip: 1, Seed: 11,
}

func newRunner(t *testing.T) *runner.Runner {
	t.Helper()
	r, err := runner.New(runner.Config{Device: torchtest.Device(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func newModel(t *testing.T, r *runner.Runner, seed uint64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := r.Init(t.Context(), tiny, seed, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newTrainer(t *testing.T, r *runner.Runner, dir string, config gpu.TrainConfig) gpu.Trainer {
	t.Helper()
	trainer, err := r.Trainer(t.Context(), dir, config)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

func closed(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A prompt names a token and asks for it back: key, filler, then the answer key+1 and an end.
func examples(n int, seed uint64) []gpu.Example {
	rng := rand.New(rand.NewPCG(seed, 0))
	all := make([]gpu.Example, n)
	for i := range all {
		key := int32(10 + rng.IntN(16))
		tokens := []int32{key}
		for range 2 + rng.IntN(9) {
			tokens = append(tokens, int32(50+rng.IntN(20)))
		}
		tokens = append(tokens, 1)
		all[i] = gpu.Example{Tokens: append(tokens, key+1, 2), Answer: len(tokens)}
	}
	return all
}

func step(t *testing.T, trainer gpu.Trainer, micro ...[]gpu.Example) gpu.StepResult {
	t.Helper()
	r, err := trainer.Step(t.Context(), micro)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The whole way: a new model learns a rule, is exported, loaded as a policy and obeys it on texts it has not seen.
func TestTrainExportChoose(t *testing.T) {
	for name, lora := range map[string]*gpu.LoRA{
		"full": nil,
		"lora": {Rank: 16, Alpha: 32, Dropout: 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			dir := newModel(t, r, 1)
			config := recipe
			config.LoRA = lora
			if lora != nil {
				config.Steps = 120
			}
			trainer := newTrainer(t, r, dir, config)
			before, err := trainer.Loss(t.Context(), examples(64, 99))
			if err != nil {
				t.Fatal(err)
			}
			for i := range config.Steps {
				step(t, trainer, examples(32, uint64(i)))
			}
			after, err := trainer.Loss(t.Context(), examples(64, 99))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("before %+v, after %+v", before, after)
			if after.Exact < 58 || after.Loss > before.Loss/5 {
				t.Errorf("learned %+v from %+v", after, before)
			}
			out := filepath.Join(t.TempDir(), "out")
			if err := trainer.Export(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			closed(t, trainer)
			model, adapter := out, ""
			if lora != nil {
				model, adapter = dir, out
			}
			if right := obeys(t, r, model, adapter); right < 58 {
				t.Errorf("the policy is right in %d of 64", right)
			}
		})
	}
}

func obeys(t *testing.T, r *runner.Runner, model, adapter string) (right int) {
	t.Helper()
	policy, err := r.Policy(t.Context(), gpu.PolicyConfig{Model: model, Adapter: adapter})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, policy)
	var requests []gpu.Choice
	for _, x := range examples(64, 99) {
		c := gpu.Choice{Prompt: x.Tokens[:x.Answer]}
		for key := int32(10); key < 26; key++ {
			c.Candidates = append(c.Candidates, []int32{key + 1, 2})
		}
		requests = append(requests, c)
	}
	chosen, err := policy.Choose(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range chosen {
		if requests[i].Candidates[c.Index][0] == requests[i].Prompt[0]+1 {
			right++
		}
	}
	return right
}

func TestInitIsAFunctionOfTheSeed(t *testing.T) {
	r := newRunner(t)
	read := func(seed uint64) []byte {
		data, err := os.ReadFile(filepath.Join(newModel(t, r, seed), safetensors.SingleName))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(read(3), read(3)) {
		t.Error("the same seed gives other bytes")
	}
	if bytes.Equal(read(3), read(4)) {
		t.Error("another seed gives the same bytes")
	}
}

// What one goroutine does, many may do at once.
func TestFromManyGoroutines(t *testing.T) {
	r := newRunner(t)
	dir := newModel(t, r, 1)
	policy, err := r.Policy(t.Context(), gpu.PolicyConfig{Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, policy)
	trainer := newTrainer(t, r, dir, recipe)
	defer closed(t, trainer)
	request := []gpu.Choice{{Prompt: []int32{1, 2, 3}, Candidates: [][]int32{{4}, {5}, {6, 7}}}}
	want, err := policy.Choose(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			got, err := policy.Choose(t.Context(), request)
			if err != nil || got[0].Index != want[0].Index || got[0].LogProb != want[0].LogProb {
				t.Errorf("got %v, %v: want %v", got, err, want)
			}
			if _, err := trainer.Step(t.Context(), [][]gpu.Example{examples(2, uint64(i))}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if trainer.Steps() != 8 {
		t.Errorf("%d steps, want 8", trainer.Steps())
	}
}

// What is wrong is an error that says where; the runner works on.
func TestErrors(t *testing.T) {
	r := newRunner(t)
	dir := newModel(t, r, 1)
	fails := func(name string, err error, says ...string) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", name)
			return
		}
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", name, err, s)
			}
		}
	}
	_, err := r.Policy(t.Context(), gpu.PolicyConfig{Model: filepath.Join(dir, "none")})
	fails("no folder", err, "none", "config.json")
	_, err = r.Policy(t.Context(), gpu.PolicyConfig{Model: dir, Adapter: dir})
	fails("no adapter", err, "adapter_config.json")
	_, err = r.Trainer(t.Context(), dir, gpu.TrainConfig{})
	fails("no configuration", err, "steps 0", "rate 0", "clip 0")
	bad := recipe
	bad.LoRA = &gpu.LoRA{Rank: 4, Alpha: 8, Targets: []string{"q_proj", "w_proj"}}
	_, err = r.Trainer(t.Context(), dir, bad)
	fails("target", err, "w_proj")

	trainer := newTrainer(t, r, dir, recipe)
	for name, x := range map[string]gpu.Example{
		"no answer":     {Tokens: []int32{1, 2}, Answer: 2},
		"answer at 0":   {Tokens: []int32{1, 2}},
		"token":         {Tokens: []int32{1, 96}, Answer: 1},
		"token in text": {Tokens: []int32{-1, 2}, Answer: 1},
		"too long":      {Tokens: make([]int32, 200), Answer: 1},
	} {
		_, err := trainer.Step(t.Context(), [][]gpu.Example{{x}})
		fails(name, err, "step 0")
	}
	_, err = trainer.Step(t.Context(), nil)
	fails("nothing", err)
	_, err = trainer.Step(t.Context(), [][]gpu.Example{{}})
	fails("nothing in it", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = trainer.Step(ctx, [][]gpu.Example{examples(2, 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	step(t, trainer, examples(2, 1))
	closed(t, trainer)
	_, err = trainer.Step(t.Context(), [][]gpu.Example{examples(2, 1)})
	fails("closed", err, "closed")
}

// A loss that is not finite is an error and changes nothing.
func TestNotFinite(t *testing.T) {
	r := newRunner(t)
	dir := newModel(t, r, 1)
	file, err := safetensors.OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Tensor
	for _, name := range file.Names() {
		tensor := *file.Tensor(name)
		tensor.Data = bytes.Clone(tensor.Data)
		if name == "model.norm.weight" {
			copy(tensor.Data, []byte{0, 0, 0xc0, 0x7f}) // NaN
		}
		tensors = append(tensors, tensor)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(filepath.Join(dir, safetensors.SingleName), nil, tensors); err != nil {
		t.Fatal(err)
	}
	trainer := newTrainer(t, r, dir, recipe)
	defer closed(t, trainer)
	save := func() []byte {
		state := t.TempDir()
		if err := trainer.SaveState(t.Context(), state); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(state, train.StateTensorsName))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before := save()
	_, err = trainer.Step(t.Context(), [][]gpu.Example{examples(2, 1)})
	if !errors.Is(err, train.ErrNotFinite) || !strings.Contains(err.Error(), "step 0") {
		t.Errorf("got %v, want %v naming step 0", err, train.ErrNotFinite)
	}
	if !bytes.Equal(save(), before) || trainer.Steps() != 0 {
		t.Error("the failed step changed the state")
	}
	policy, err := r.Policy(t.Context(), gpu.PolicyConfig{Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, policy)
	if _, err := policy.Choose(t.Context(), []gpu.Choice{{Prompt: []int32{1}, Candidates: [][]int32{{1}, {2}}}}); err == nil {
		t.Error("a choice among NaN: no error")
	}
}

func TestInfo(t *testing.T) {
	info := newRunner(t).Info()
	if info.Device != "cpu" || info.Threads != 1 || info.Library != "libtorch 2.1.0" || info.Name == "" {
		t.Errorf("%+v", info)
	}
	for _, part := range []string{"libtorch 2.1.0", "cpu", "threads=1"} {
		if !strings.Contains(info.Class, part) {
			t.Errorf("class %q lacks %q", info.Class, part)
		}
	}
	t.Log(info.Class)
}
