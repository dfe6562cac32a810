package gpu

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// FailedBatch is a training step whose loss, gradient or update was not finite, as it is kept: from the state before the step,
// a step under the same configuration on the same batch fails again.
type FailedBatch struct {
	Step   int         `json:"step"`   // counted from 0
	Micro  int         `json:"micro"`  // micro-batch; -1 where only the sum over all is not finite
	Reason string      `json:"reason"` // what was not finite
	Config TrainConfig `json:"config"`
	Batch  [][]Example `json:"batch"` // all micro-batches
}

// Write writes the batch into dir, which is made if it is not there, and returns the file's path.
func (f FailedBatch) Write(dir string) (string, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("keep a failed batch: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("keep a failed batch: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("step-%06d.json", f.Step))
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("keep a failed batch: %w", err)
	}
	return path, nil
}

// ReadFailedBatch reads what [FailedBatch.Write] wrote.
func ReadFailedBatch(path string) (FailedBatch, error) {
	var f FailedBatch
	text, err := os.ReadFile(path)
	if err != nil {
		return f, fmt.Errorf("failed batch: %w", err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("failed batch %s: %w", path, err)
	}
	return f, nil
}
