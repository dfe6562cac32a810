package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// Adapter is the adapter_config.json of a LoRA adapter in PEFT's layout, as far as it decides what is computed.
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
		return exact.Unmarshal(text, (*[]string)(m))
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
	"layers_pattern", "layer_replication", "trainable_token_indices", "target_parameters", "megatron_config",
	"alora_invocation_tokens", "use_qalora",
}

// variants are such keys whose empty object PEFT takes for one with its defaults: null alone asks for nothing.
var variants = []string{"use_bdlora", "arrow_config", "kasa_config", "velora_config", "monteclora_config"}

// idle are keys that say where an adapter comes from, or how its training began and what it took.
var idle = []string{
	"peft_version", "auto_mapping", "revision", "init_lora_weights", "loftq_config", "eva_config", "corda_config",
	"lora_ga_config", "megatron_core", "qalora_group_size", "runtime_config", "ensure_weight_tying",
}

// neutral are the values under which any other key asks for nothing.
var neutral = []string{"null", "false", "[]", "{}", `""`, `"none"`}

// beginnings are the values of init_lora_weights (PEFT's layer.py) that leave the weights of the model as they are. All
// others take what the adapter begins with away from them: beside the model as it was published, it computes something else.
var beginnings = []string{"true", "false", "null", `"gaussian"`, `"eva"`, `"orthogonal"`}

// MaxRank is a bound on ranks, since no layer is so narrow that a higher one says more. MaxAlpha is one on alphas.
const (
	MaxRank  = 1 << 16
	MaxAlpha = 1 << 20
)

// ParseAdapter reads an adapter_config.json and refuses what asks for more than LoRA beside the linear layers of the
// published model, and what it does not know. Where r or lora_alpha is missing it is PEFT's default, 8.
func ParseAdapter(text []byte) (*Adapter, error) {
	config := Adapter{Rank: 8, Alpha: 8}
	if err := exact.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := exact.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	if config.PeftType != "LORA" {
		return nil, fmt.Errorf("peft_type %q: expected LORA", config.PeftType)
	}
	if err := supported(keys); err != nil {
		return nil, err
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

// supported looks at keys that may ask for more than LoRA, and at those that must be numbers where they are.
func supported(keys map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var compact bytes.Buffer // in a line, and [ ] is []
		if err := json.Compact(&compact, keys[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		value := compact.String()
		nothing := slices.Contains(neutral, value)
		switch {
		case slices.Contains(numeric, key) && value == "null":
			return fmt.Errorf("%s null: expected a number", key)
		case slices.Contains(variants, key) && value != "null", slices.Contains(refused, key) && !nothing:
			return fmt.Errorf("%s %.60s: not supported", key, value)
		case key == "init_lora_weights" && !slices.Contains(beginnings, value):
			return fmt.Errorf("init_lora_weights %.60s: the adapter belongs to a model whose weights were changed for it; expected one of %s, "+
				"as PEFT saves it with path_initial_model_for_weight_conversion", value, strings.Join(beginnings, ", "))
		case !nothing && !known(key):
			return fmt.Errorf("%.60q %.60s: the key is not known, and may change what is computed", key, value)
		}
	}
	return nil
}

var numeric = []string{"r", "lora_alpha", "lora_dropout"}

func known(key string) bool {
	for f := range reflect.TypeFor[Adapter]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == key {
			return true
		}
	}
	return slices.Contains(refused, key) || slices.Contains(variants, key) || slices.Contains(idle, key)
}
