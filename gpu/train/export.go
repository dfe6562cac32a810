package train

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/safetensors"
)

// Export writes what was trained into dir, which is there: a PEFT adapter, or a model's folder with the
// configuration of source, the folder that the model came from, as it is.
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
	if err := os.WriteFile(filepath.Join(dir, name), config, 0o644); err != nil {
		return fmt.Errorf("train: export: %w", err)
	}
	if err := nn.SaveTensors(filepath.Join(dir, safetensors.SingleName), t.model.Parameters()); err != nil {
		return fmt.Errorf("train: export: %w", err)
	}
	return nil
}
