package train

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/nn"
)

// Export writes what was trained into dir, which is there: a PEFT adapter in fp32, or a model's folder with the
// configuration of source, the folder that the model came from, in fp32 or as Save says.
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
	if config, err = asType(config, cmp.Or(t.config.Save, "float32")); err != nil {
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

// save writes the model's weights into dir as they are trained, in fp32, or rounded to bf16, with them what stands beside the
// model in source's.
func (t *Trainer) save(source, dir string) (err error) {
	parameters := t.flat.parameters(t.model.Parameters())
	write := func(carried ...safetensors.Tensor) error { return nn.SaveModel(dir, parameters, 0, carried...) }
	if t.config.Save == "bfloat16" {
		write = func(carried ...safetensors.Tensor) error { return nn.SaveBFloat16(t.e, dir, parameters, carried...) }
	}
	described, err := checkpoint.Read(source)
	if err != nil {
		return err
	}
	carrier, ok := described.(checkpoint.Carrier)
	if !ok {
		return write()
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
	return write(carried...)
}

// asType says in a configuration, and in the text_config inside it, of which type the weights are. One that says so, or
// nothing where that means fp32, stays as it is, byte for byte.
func asType(config []byte, dtype string) ([]byte, error) {
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
	changed, said := false, false
	for i, part := range parts {
		for _, key := range []string{"dtype", "torch_dtype"} { // the second is the name in older files
			value, ok := part[key]
			if ok && value != dtype {
				part[key], changed = dtype, true
			}
			said = said || ok && i == 0
		}
	}
	if !said && dtype != "float32" {
		members["dtype"], changed = dtype, true
	}
	if !changed {
		return config, nil
	}
	text, err := json.MarshalIndent(members, "", "  ")
	return append(text, '\n'), err
}
