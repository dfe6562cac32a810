package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// Files of a saved state.
const (
	StateName        = "state.json"
	StateTensorsName = "state.safetensors"
)

// state is state.json. The random state is the pair of seed and step: see dropoutSeed.
type state struct {
	Version int             `json:"version"`
	Step    int             `json:"step"`
	Config  gpu.TrainConfig `json:"config"`
}

const (
	stateVersion = 1
	stepKey      = "step" // in the tensors' metadata
)

// buffers are the flat buffers that a state holds, under the prefix of their tensors' names.
func (f *flat) buffers() []struct {
	prefix string
	tensor *torch.Tensor
} {
	return []struct {
		prefix string
		tensor *torch.Tensor
	}{{"parameter.", f.values}, {"first_moment.", f.first}, {"second_moment.", f.second}}
}

// SaveState writes parameters being trained, moments and step into dir, which is there.
func (t *Trainer) SaveState(dir string) error {
	if err := t.saveTensors(filepath.Join(dir, StateTensorsName)); err != nil {
		return fmt.Errorf("train: save state: %w", err)
	}
	text, err := json.MarshalIndent(state{Version: stateVersion, Step: t.steps, Config: t.config}, "", "  ")
	if err != nil {
		return fmt.Errorf("train: save state: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, StateName), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("train: save state: %w", err)
	}
	return nil
}

func (t *Trainer) saveTensors(path string) (err error) {
	t.e.Scope(func() []*torch.Tensor {
		var tensors []safetensors.Tensor
		for _, b := range t.flat.buffers() {
			for _, p := range t.flat.parts {
				tensors = append(tensors, safetensors.Tensor{
					Name: b.prefix + p.name, DType: safetensors.F32, Shape: p.shape,
					Source: b.tensor.Narrow(0, p.offset, p.size),
				})
			}
		}
		// The step stands in both files: two halves of different states are no state.
		err = safetensors.WriteFile(path, map[string]string{stepKey: strconv.Itoa(t.steps)}, tensors)
		return nil
	})
	return err
}

// LoadState goes on from a state that the same configuration saved. On an error nothing has changed.
func (t *Trainer) LoadState(dir string) (err error) {
	s, err := readState(filepath.Join(dir, StateName))
	if err != nil {
		return fmt.Errorf("train: load state: %w", err)
	}
	if err := t.sameConfig(s.Config); err != nil {
		return fmt.Errorf("train: load state %s: %w", dir, err)
	}
	file, err := safetensors.Open(filepath.Join(dir, StateTensorsName))
	if err != nil {
		return fmt.Errorf("train: load state: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if have := file.Metadata[stepKey]; have != strconv.Itoa(s.Step) {
		return fmt.Errorf("train: load state %s: the tensors are of step %q, %s of step %d", dir, have, StateName, s.Step)
	}
	if err := t.flat.load(t.e, file); err != nil {
		return fmt.Errorf("train: load state %s: %w", dir, err)
	}
	t.steps = s.Step
	t.model.Version().Changed()
	return nil
}

func readState(path string) (*state, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s state
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Version != stateVersion || s.Step < 0 {
		return nil, fmt.Errorf("%s: version %d, step %d: expected version %d, step 0 or more", path, s.Version, s.Step, stateVersion)
	}
	return &s, nil
}

// sameConfig refuses a state of other settings: what came out would be neither run.
func (t *Trainer) sameConfig(saved gpu.TrainConfig) error {
	have, err := json.Marshal(t.config)
	if err != nil {
		return err
	}
	want, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return fmt.Errorf("the state was saved under the configuration %s: this is %s", want, have)
	}
	return nil
}

// load checks every tensor before it changes the first.
func (f *flat) load(e *torch.Engine, file *safetensors.File) error {
	expected := 0
	for _, b := range f.buffers() {
		for _, p := range f.parts {
			expected++
			saved := file.Tensor(b.prefix + p.name)
			if saved == nil {
				return fmt.Errorf("tensor %s%s is missing", b.prefix, p.name)
			}
			if saved.DType != safetensors.F32 || !slices.Equal(saved.Shape, p.shape) {
				return fmt.Errorf("tensor %s%s is %s %v: expected F32 %v", b.prefix, p.name, saved.DType, saved.Shape, p.shape)
			}
		}
	}
	if have := len(file.Names()); have != expected {
		return fmt.Errorf("%d tensors: expected %d", have, expected)
	}
	for _, b := range f.buffers() {
		for _, p := range f.parts {
			e.Scope(func() []*torch.Tensor {
				b.tensor.Narrow(0, p.offset, p.size).Copy(e.FromBytes(file.Tensor(b.prefix+p.name).Data, torch.Float32, p.size))
				return nil
			})
		}
	}
	f.round()
	return nil
}
