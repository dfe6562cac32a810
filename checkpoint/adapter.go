package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Adapter is the adapter_config.json of a LoRA adapter in PEFT's layout. What is neither here nor refused does not
// change what a LoRA adapter computes.
type Adapter struct {
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
	Targets       Modules  `json:"target_modules"`

	RankPattern  Patterns `json:"rank_pattern,omitempty"`
	AlphaPattern Patterns `json:"alpha_pattern,omitempty"`
}

// Modules is target_modules: a list of names, or a string that is an expression or "all-linear"; here as
// [NewTargetSet] reads it.
type Modules []string

// UnmarshalJSON implements json.Unmarshaler.
func (m *Modules) UnmarshalJSON(text []byte) error {
	var one string
	if err := json.Unmarshal(text, &one); err != nil {
		return json.Unmarshal(text, (*[]string)(m))
	}
	switch one {
	case "": // null
		*m = nil
	case AllLinear:
		*m = Modules{one}
	default:
		*m = Modules{RegexpPrefix + one}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (m Modules) MarshalJSON() ([]byte, error) {
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

// MaxRank is a bound on ranks, since no layer is so narrow that a higher one says more. MaxAlpha is one on alphas.
const (
	MaxRank  = 1 << 16
	MaxAlpha = 1 << 20
)

// ParseAdapter reads an adapter_config.json and refuses what asks for more than LoRA beside linear layers. Where r or
// lora_alpha is missing it is PEFT's default, 8.
func ParseAdapter(text []byte) (*Adapter, error) {
	config := Adapter{Rank: 8, Alpha: 8}
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
	if config.Rank < 1 || config.Rank > MaxRank {
		return nil, fmt.Errorf("r %d: expected 1 to %d", config.Rank, MaxRank)
	}
	if err := alpha("lora_alpha", config.Alpha); err != nil {
		return nil, err
	}
	if !(config.Dropout >= 0 && config.Dropout < 1) {
		return nil, fmt.Errorf("lora_dropout %v: expected 0 to below 1", config.Dropout)
	}
	for _, p := range config.RankPattern {
		if p.value != math.Trunc(p.value) || p.value < 1 || p.value > MaxRank {
			return nil, fmt.Errorf("rank_pattern %q: rank %v: expected a whole number from 1 to %d", p.expression, p.value, MaxRank)
		}
	}
	for _, p := range config.AlphaPattern {
		if err := alpha(fmt.Sprintf("alpha_pattern %q: alpha", p.expression), p.value); err != nil {
			return nil, err
		}
	}
	return &config, nil
}

// alpha checks one of a file. Below 0 it takes away what was learned; 0 would be an adapter that does nothing.
func alpha(name string, v float64) error {
	if v != 0 && math.Abs(v) <= MaxAlpha {
		return nil
	}
	return fmt.Errorf("%s %v: expected a number other than 0 of up to %d", name, v, MaxAlpha)
}
