package minilm

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/checkpoint"
)

// DirVariable is the environment variable that names the folder of the weights.
const DirVariable = "HONE_MINILM"

// Find is the folder with config.json, model.safetensors and the vocabulary: what HONE_MINILM names, else .minilm beside
// the folder of the running program, where make setup puts it.
func Find() (string, error) {
	dir, hint := os.Getenv(DirVariable), DirVariable
	if dir == "" {
		program, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("minilm: %w", err)
		}
		if program, err = filepath.EvalSymlinks(program); err != nil {
			return "", fmt.Errorf("minilm: %w", err)
		}
		dir, hint = filepath.Join(filepath.Dir(program), "..", ".minilm"), "make setup brings it"
	}
	if _, err := os.Stat(filepath.Join(dir, checkpoint.ConfigName)); err != nil {
		return "", fmt.Errorf("minilm: no model in %s (%s): %w", dir, hint, err)
	}
	return dir, nil
}
