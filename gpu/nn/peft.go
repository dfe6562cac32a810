package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// Files of a PEFT adapter folder.
const (
	AdapterConfigName  = "adapter_config.json"
	AdapterWeightsName = "adapter_model.safetensors"
)

// peftConfig is adapter_config.json. What is not here does not change what a LoRA adapter computes.
type peftConfig struct {
	PeftType      string   `json:"peft_type"`
	TaskType      string   `json:"task_type"`
	Base          *string  `json:"base_model_name_or_path"`
	Rank          int      `json:"r"`
	Alpha         float64  `json:"lora_alpha"`
	Dropout       float64  `json:"lora_dropout"`
	Bias          string   `json:"bias"`
	FanInFanOut   bool     `json:"fan_in_fan_out"`
	InferenceMode bool     `json:"inference_mode"`
	RSLoRA        bool     `json:"use_rslora"`
	DoRA          bool     `json:"use_dora"`
	ModulesToSave []string `json:"modules_to_save"`
	Targets       []string `json:"target_modules"`

	RankPattern  map[string]any `json:"rank_pattern,omitempty"`
	AlphaPattern map[string]any `json:"alpha_pattern,omitempty"`
}

func (c peftConfig) lora() (gpu.LoRA, error) {
	switch {
	case c.PeftType != "LORA":
		return gpu.LoRA{}, fmt.Errorf("peft_type %q: expected LORA", c.PeftType)
	case c.RSLoRA, c.DoRA, c.FanInFanOut:
		return gpu.LoRA{}, errors.New("use_rslora, use_dora and fan_in_fan_out are not supported")
	case len(c.ModulesToSave) > 0:
		return gpu.LoRA{}, errors.New("modules_to_save is not supported")
	case len(c.RankPattern) > 0, len(c.AlphaPattern) > 0:
		return gpu.LoRA{}, errors.New("rank_pattern and alpha_pattern are not supported")
	case c.Bias != "" && c.Bias != "none":
		return gpu.LoRA{}, fmt.Errorf("bias %q: expected none", c.Bias)
	}
	return gpu.LoRA{Rank: c.Rank, Alpha: c.Alpha, Dropout: c.Dropout, Targets: c.Targets}, nil
}

// LoadAdapter puts the PEFT adapter in dir around the model's layers.
func LoadAdapter(e *torch.Engine, model Decoder, dir string) (_ *Adapter, err error) {
	path := filepath.Join(dir, AdapterConfigName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	var config peftConfig
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("adapter %s: %w", path, err)
	}
	lora, err := config.lora()
	if err != nil {
		return nil, fmt.Errorf("adapter %s: %w", path, err)
	}
	file, err := safetensors.Open(filepath.Join(dir, AdapterWeightsName))
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	load := NewLoader(e, file, peftPrefix, torch.Float32)
	adapter, err := attach(model, lora, func(path string, out, in int64) (*torch.Tensor, *torch.Tensor, error) {
		a := load.Tensor(path+".lora_A.weight", int64(lora.Rank), in)
		b := load.Tensor(path+".lora_B.weight", out, int64(lora.Rank))
		return a, b, nil
	})
	if err != nil {
		return nil, fmt.Errorf("adapter %s: %w", dir, errors.Join(err, load.Finish()))
	}
	if err := load.Finish(); err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return adapter, nil
}

// Save writes the adapter in PEFT's layout. The base model is left unnamed: its place differs from machine to
// machine, and the manifest names it by digest.
func (a *Adapter) Save(dir string) error {
	config := peftConfig{
		PeftType: "LORA", TaskType: "CAUSAL_LM", Rank: a.Config.Rank, Alpha: a.Config.Alpha,
		Dropout: a.Config.Dropout, Bias: "none", InferenceMode: true, Targets: slices.Clone(a.Config.Targets),
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

// SaveTensors writes parameters as Hugging Face's libraries do, with the metadata that they look for.
func SaveTensors(path string, parameters []Parameter) error {
	return safetensors.WriteFile(path, fileMetadata, stored(parameters))
}
