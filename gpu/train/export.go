package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
)

// Export writes what was trained into dir, which is there: a PEFT adapter, or a model's folder with the
// configuration of source, the folder that the model came from.
func (t *Trainer) Export(source, dir string) error {
	if t.adapter != nil {
		if err := t.adapter.Save(dir); err != nil {
			return fmt.Errorf("train: export: %w", err)
		}
		return nil
	}
	const name = "config.json"
	config, err := os.ReadFile(filepath.Join(source, name))
	if err != nil {
		return fmt.Errorf("train: export: %w", err)
	}
	if config, err = asFloat32(config); err != nil {
		return fmt.Errorf("train: export: %s: %w", filepath.Join(source, name), err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), config, 0o644); err != nil {
		return fmt.Errorf("train: export: %w", err)
	}
	if err := t.save(source, dir); err != nil {
		return fmt.Errorf("train: export: %w", err)
	}
	return nil
}

// save writes the model's weights into dir as they are trained, in fp32, with them what stands beside the model in source's.
func (t *Trainer) save(source, dir string) (err error) {
	parameters := t.flat.parameters(t.model.Parameters())
	described, err := checkpoint.Read(source)
	if err != nil {
		return err
	}
	carrier, ok := described.(checkpoint.Carrier)
	if !ok {
		return nn.SaveModel(dir, parameters, 0)
	}
	file, err := safetensors.OpenModel(source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var carried []safetensors.Tensor
	for _, name := range file.Names() {
		if carrier.Carried(name) {
			carried = append(carried, *file.Tensor(name))
		}
	}
	return nn.SaveModel(dir, parameters, 0, carried...)
}

// asFloat32 says in a configuration, and in the text_config inside it, that the weights are fp32, as they are written.
// One that says so, or nothing, stays as it is, byte for byte.
func asFloat32(config []byte) ([]byte, error) {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(config))
	decoder.UseNumber() // as it is written, 1e-06 or 10000000.0
	if err := decoder.Decode(&members); err != nil {
		return nil, err
	}
	parts := []map[string]any{members}
	if text, ok := members["text_config"].(map[string]any); ok {
		parts = append(parts, text)
	}
	changed := false
	for _, part := range parts {
		for _, key := range []string{"dtype", "torch_dtype"} { // the second is the name in older files
			if value, ok := part[key]; ok && value != "float32" {
				part[key], changed = "float32", true
			}
		}
	}
	if !changed {
		return config, nil
	}
	text, err := json.MarshalIndent(members, "", "  ")
	return append(text, '\n'), err
}
