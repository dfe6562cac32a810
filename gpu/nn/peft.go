package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// peftConfig is adapter_config.json. What is neither here nor refused does not change what a LoRA adapter computes.
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
	Targets       modules  `json:"target_modules"`

	RankPattern  patterns `json:"rank_pattern,omitempty"`
	AlphaPattern patterns `json:"alpha_pattern,omitempty"`
}

// modules is target_modules: a list of names, or a string that is an expression or "all-linear".
type modules []string

// UnmarshalJSON implements json.Unmarshaler.
func (m *modules) UnmarshalJSON(text []byte) error {
	var one string
	if err := json.Unmarshal(text, &one); err != nil {
		return json.Unmarshal(text, (*[]string)(m))
	}
	switch one {
	case "": // null
		*m = nil
	case AllLinear:
		*m = modules{one}
	default:
		*m = modules{RegexpPrefix + one}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (m modules) MarshalJSON() ([]byte, error) {
	if len(m) == 1 {
		if expression, is := strings.CutPrefix(m[0], RegexpPrefix); is {
			return json.Marshal(expression)
		}
	}
	return json.Marshal([]string(m))
}

// refused are keys of adapter_config.json that change what is computed, or where, in ways that are not offered.
var refused = []string{
	"use_dora", "fan_in_fan_out", "modules_to_save", "bias", "lora_bias", "exclude_modules", "layers_to_transform",
	"layer_replication", "trainable_token_indices", "target_parameters", "megatron_config", "alora_invocation_tokens",
	"use_qalora", "use_bdlora", "arrow_config", "kasa_config",
}

// neutral are the values under which a refused key asks for nothing.
var neutral = []string{"null", "false", "[]", "{}", `""`, `"none"`}

// parsePEFT reads an adapter_config.json.
func parsePEFT(text []byte) (*Adapter, error) {
	var config peftConfig
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	if config.PeftType != "LORA" {
		return nil, fmt.Errorf("peft_type %q: expected LORA", config.PeftType)
	}
	for _, key := range refused {
		if value, is := keys[key]; is && !slices.Contains(neutral, string(value)) {
			return nil, fmt.Errorf("%s %.60s: not supported", key, value)
		}
	}
	if len(config.Targets) == 0 {
		return nil, errors.New("target_modules: expected names, an expression or all-linear")
	}
	const most = 1 << 16 // no layer is so narrow that a higher rank says more
	if config.Rank < 1 || config.Rank > most {
		return nil, fmt.Errorf("rank %d: expected 1 to %d", config.Rank, most)
	}
	for _, p := range config.RankPattern {
		if p.value > most {
			return nil, fmt.Errorf("rank_pattern %q: rank %v: expected at most %d", p.expression, p.value, most)
		}
	}
	return &Adapter{
		Config: gpu.LoRA{Rank: config.Rank, Alpha: config.Alpha, Dropout: config.Dropout, Targets: config.Targets, RSLoRA: config.RSLoRA},
		ranks:  config.RankPattern, alphas: config.AlphaPattern,
	}, nil
}

// LoadAdapter puts the PEFT adapter in dir around the model's layers and switches it on; none other may be.
func LoadAdapter(e *torch.Engine, model Decoder, dir string) (_ *Adapter, err error) {
	path := filepath.Join(dir, AdapterConfigName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	adapter, err := parsePEFT(text)
	if err != nil {
		return nil, fmt.Errorf("adapter %s: %w", path, err)
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
	config := peftConfig{
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
func (a *Adapter) targets() modules {
	if !slices.Equal(a.Config.Targets, []string{AllLinear}) {
		return slices.Clone(a.Config.Targets)
	}
	var names modules
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
