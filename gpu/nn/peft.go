package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// Files of a PEFT adapter folder.
const (
	AdapterConfigName  = "adapter_config.json"
	AdapterWeightsName = "adapter_model.safetensors"
)

const peftPrefix = "base_model.model."

// LoadAdapter puts the PEFT adapter in dir around the model's layers and switches it on; none other may be.
func LoadAdapter(e *torch.Engine, model Decoder, dir string) (_ *Adapter, err error) {
	path := filepath.Join(dir, AdapterConfigName)
	text, err := checkpoint.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	config, err := checkpoint.ParseAdapter(text)
	if err != nil {
		return nil, fmt.Errorf("adapter %s: %w", path, err)
	}
	adapter := &Adapter{
		Config: gpu.LoRA{
			Rank: config.Rank, Alpha: config.Alpha, Dropout: config.Dropout, Targets: gpu.Targets(config.Targets), RSLoRA: config.RSLoRA,
		},
		ranks: config.RankPattern, alphas: config.AlphaPattern,
	}
	file, err := safetensors.Open(filepath.Join(dir, AdapterWeightsName))
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	load := NewLoader(e, file, peftPrefix, torch.Float32)
	adapter, err = attach(model, adapter, false, func(path string, rank, out, in int64) (*torch.Tensor, *torch.Tensor) {
		// One that was trained beside a vision tower is named after the model around both.
		if within := strings.Replace(path, "model.", "model.language_model.", 1); file.Tensor(peftPrefix+within+".lora_A.weight") != nil {
			path = within
		}
		return load.Tensor(path+".lora_A.weight", rank, in), load.Tensor(path+".lora_B.weight", out, rank)
	})
	if err != nil {
		return nil, fmt.Errorf("adapter %s: %w", dir, err)
	}
	if err := load.Finish(); err != nil {
		adapter.Off()
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return adapter, nil
}

// Save writes the adapter in PEFT's layout. The base model is left unnamed: its place differs from machine to
// machine, and the manifest names it by digest.
func (a *Adapter) Save(dir string) error {
	config := checkpoint.Adapter{
		PeftType: "LORA", TaskType: "CAUSAL_LM", Rank: a.Config.Rank, Alpha: a.Config.Alpha,
		Dropout: a.Config.Dropout, Bias: "none", InferenceMode: true, RSLoRA: a.Config.RSLoRA, Targets: a.targets(),
		RankPattern: a.ranks, AlphaPattern: a.alphas,
	}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return fmt.Errorf("adapter: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, AdapterConfigName), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("adapter: %w", err)
	}
	return SaveTensors(filepath.Join(dir, AdapterWeightsName), a.Parameters())
}

// targets are the configuration's as PEFT is to read them: all-linear is written out, since PEFT takes it to mean
// layers outside of the language model too.
func (a *Adapter) targets() checkpoint.Modules {
	if !slices.Equal(a.Config.Targets, []string{checkpoint.AllLinear}) {
		return checkpoint.Modules(slices.Clone(a.Config.Targets))
	}
	var names checkpoint.Modules
	for _, l := range a.layers {
		if name := l.path[strings.LastIndexByte(l.path, '.')+1:]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// SaveTensors writes parameters as Hugging Face's libraries do, with the metadata that they look for.
func SaveTensors(path string, parameters []Parameter) error {
	return safetensors.WriteFile(path, fileMetadata, stored(parameters))
}
