package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ShardSize is the most bytes of tensors that a file of [WriteModel] holds: what Hugging Face's libraries choose.
const ShardSize = 5_000_000_000

// index is model.safetensors.index.json with its keys in their order.
type index struct {
	Metadata struct {
		Parameters int64 `json:"total_parameters"`
		Size       int64 `json:"total_size"`
	} `json:"metadata"`
	WeightMap map[string]string `json:"weight_map"`
}

// WriteModel writes a model's weights into dir, which is there: SingleName or, where the tensors have more than limit
// bytes, shards and IndexName, divided as Hugging Face's libraries do: in the order of tensors, the next shard where
// the next tensor would not fit, a larger one alone. limit 0 is ShardSize. The index is written last, so that a
// folder has a model or has none. A folder that has one in the other layout is refused.
func WriteModel(dir string, metadata map[string]string, tensors []Tensor, limit int64) error {
	if limit <= 0 {
		limit = ShardSize
	}
	shards, err := divide(tensors, limit)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	other := SingleName
	if len(shards) == 1 {
		other = IndexName
	}
	if _, err := os.Lstat(filepath.Join(dir, other)); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(fmt.Errorf("safetensors: %s holds %s already", dir, other), err)
	}
	if len(shards) == 1 {
		return WriteFile(filepath.Join(dir, SingleName), metadata, shards[0])
	}
	out := index{WeightMap: map[string]string{}}
	for i, shard := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(shards))
		for _, t := range shard {
			size, err := t.Size()
			if err != nil {
				return fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
			}
			if out.WeightMap[t.Name] != "" {
				return fmt.Errorf("safetensors: tensor %q: the name is taken", t.Name)
			}
			out.WeightMap[t.Name] = name
			out.Metadata.Size += size
			out.Metadata.Parameters += size / t.DType.Size()
		}
		if err := WriteFile(filepath.Join(dir, name), metadata, shard); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return writeFile(filepath.Join(dir, IndexName), func(file *os.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
}

// divide is the tensors of each shard; one without any where there are no tensors.
func divide(tensors []Tensor, limit int64) ([][]Tensor, error) {
	var shards [][]Tensor
	var open []Tensor
	filled := int64(0)
	for _, t := range tensors {
		size, err := t.Size()
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if size > limit {
			shards = append(shards, []Tensor{t})
			continue
		}
		if filled+size > limit {
			shards = append(shards, open)
			open, filled = nil, 0
		}
		open, filled = append(open, t), filled+size
	}
	if len(open) > 0 || len(shards) == 0 {
		shards = append(shards, open)
	}
	return shards, nil
}
