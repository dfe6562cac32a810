package train

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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
	if err := nn.SaveModel(dir, t.model.Parameters(), 0); err != nil {
		return fmt.Errorf("train: export: %w", err)
	}
	return nil
}

// asFloat32 says in a configuration that the weights are fp32, as they are written. One that says so, or nothing,
// stays as it is, byte for byte.
func asFloat32(config []byte) ([]byte, error) {
	var members map[string]any
	if err := json.Unmarshal(config, &members); err != nil {
		return nil, err
	}
	changed := false
	for _, key := range []string{"dtype", "torch_dtype"} { // the second is the name in older files
		if value, ok := members[key]; ok && value != "float32" {
			members[key], changed = "float32", true
		}
	}
	if !changed {
		return config, nil
	}
	text, err := json.MarshalIndent(members, "", "  ")
	return append(text, '\n'), err
}
