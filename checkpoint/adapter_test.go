package checkpoint

import (
	"encoding/json"
	"strings"
	"testing"
)

// A missing r or lora_alpha is PEFT 0.21's default: LoraConfig() says 8 for both.
func TestAdapterDefaults(t *testing.T) {
	for text, want := range map[string][2]float64{
		`{"peft_type":"LORA","target_modules":["q_proj"]}`:                              {8, 8},
		`{"peft_type":"LORA","target_modules":["q_proj"],"r":16}`:                       {16, 8},
		`{"peft_type":"LORA","target_modules":["q_proj"],"r":4,"lora_alpha":-0.5}`:      {4, -0.5},
		`{"peft_type":"LORA","target_modules":["q_proj"],"r":65536,"lora_alpha":1e6}`:   {65536, 1e6},
		`{"peft_type":"LORA","target_modules":["q_proj"],"alpha_pattern":{"q_proj":3}}`: {8, 8},
	} {
		a, err := ParseAdapter([]byte(text))
		if err != nil || float64(a.Rank) != want[0] || a.Alpha != want[1] {
			t.Errorf("%s: %+v, %v, want rank and alpha %v", text, a, err, want)
		}
	}
}

// PEFT's beginnings that change the weights of the model belong to that changed model; the others end in the same LoRA.
// Whatever else is not known, or spelt otherwise, may change what is computed.
func TestAdapterSupported(t *testing.T) {
	for keys, says := range map[string]string{
		`"init_lora_weights":true`:            "",
		`"init_lora_weights":false`:           "",
		`"init_lora_weights":"gaussian"`:      "",
		`"init_lora_weights":"eva"`:           "",
		`"init_lora_weights":"orthogonal"`:    "",
		`"init_lora_weights":"pissa"`:         `init_lora_weights "pissa": the adapter belongs to a model whose weights were changed`,
		`"init_lora_weights":"pissa_niter_4"`: `init_lora_weights "pissa_niter_4": the adapter`,
		`"init_lora_weights":"olora"`:         `init_lora_weights "olora": the adapter`,
		`"init_lora_weights":"corda"`:         `init_lora_weights "corda": the adapter`,
		`"init_lora_weights":"loftq"`:         `init_lora_weights "loftq": the adapter`,
		`"init_lora_weights":"lora_ga"`:       `init_lora_weights "lora_ga": the adapter`,
		`"init_lora_weights":"mica"`:          `init_lora_weights "mica": the adapter`,
		`"init_lora_weights":"of tomorrow"`:   `init_lora_weights "of tomorrow": the adapter`,
		`"lora_alpha":16,"LORA_ALPHA":1`:      `"LORA_ALPHA" 1: the key is not known`,
		`"R":16`:                              `"R" 16: the key is not known`,
		`"r":4,"r":8`:                         `"r" stands twice`,
		`"use_of_tomorrow":true`:              `"use_of_tomorrow" true: the key is not known`,
		`"use_of_tomorrow":false`:             "",
		`"peft_version":"0.21.0","revision":"main","auto_mapping":{"unsloth_fixed":true},"loftq_config":{},"qalora_group_size":16,"megatron_core":"megatron.core"`: "",
		`"lora_alpha":null`:                      "lora_alpha null: expected a number",
		`"r":null`:                               "r null: expected a number",
		`"lora_dropout":null`:                    "lora_dropout null: expected a number",
		`"use_bdlora":null`:                      "",
		`"use_bdlora":{}`:                        "use_bdlora {}: not supported",
		`"velora_config":{"scale":2}`:            `velora_config {"scale":2}: not supported`,
		`"layers_pattern":"layers"`:              `layers_pattern "layers": not supported`,
		`"modules_to_save":[ ],"bias": "none" `:  "",
		"\"exclude_modules\":[\n  \"a\"\n]":      `exclude_modules ["a"]: not supported`,
		`"alpha_pattern":{"(?i)Q_PROJ":99}`:      `expression "(?i)Q_PROJ": (?i) is not supported there`,
		`"rank_pattern":{"q_proj":1,"q_proj":2}`: `pattern "q_proj" stands twice`,
	} {
		_, err := ParseAdapter([]byte(`{"peft_type":"LORA","target_modules":["q_proj"],` + keys + `}`))
		switch {
		case says == "" && err != nil:
			t.Errorf("%s: %v", keys, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v, want an error with %q", keys, err, says)
		}
	}
	if _, err := ParseAdapter([]byte(`{"peft_type":"LORA","target_modules":["q_proj",null]}`)); err == nil || !strings.Contains(err.Error(), "[1]: null") {
		t.Errorf("null among the targets: %v", err)
	}
}

// Numbers that make an adapter nothing, or a matrix that no memory holds, are refused by their keys.
func TestAdapterRefuses(t *testing.T) {
	for keys, says := range map[string]string{
		`"r":0`:                            "r 0: expected 1 to 65536",
		`"r":-1`:                           "r -1: expected",
		`"r":1099511627776`:                "r 1099511627776: expected",
		`"lora_alpha":0`:                   "lora_alpha 0: expected a number other than 0 of up to 1048576",
		`"lora_alpha":1e308`:               "lora_alpha 1e+308: expected",
		`"lora_alpha":"NaN"`:               "lora_alpha",
		`"lora_dropout":1`:                 "lora_dropout 1: expected 0 to below 1",
		`"rank_pattern":{"q_proj":1.5}`:    `rank_pattern "q_proj": rank 1.5: expected a whole number from 1 to 65536`,
		`"rank_pattern":{"q_proj":-4}`:     `rank_pattern "q_proj": rank -4: expected`,
		`"rank_pattern":{"q_proj":1e300}`:  `rank_pattern "q_proj": rank 1e+300: expected`,
		`"alpha_pattern":{"q_proj":0}`:     `alpha_pattern "q_proj": alpha 0: expected`,
		`"alpha_pattern":{"q_proj":1e300}`: `alpha_pattern "q_proj": alpha 1e+300: expected`,
	} {
		if _, err := ParseAdapter([]byte(`{"peft_type":"LORA","target_modules":["q_proj"],` + keys + `}`)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error with %q", keys, err, says)
		}
	}
}

// Whatever an adapter_config.json holds, it is read or refused; what is read can be written and read again.
func FuzzAdapter(f *testing.F) {
	for _, text := range []string{
		`{"peft_type":"LORA","r":16,"lora_alpha":32,"lora_dropout":0.05,"target_modules":["q_proj","v_proj"],"bias":"none"}`,
		`{"peft_type":"LORA","r":8,"lora_alpha":8,"use_rslora":true,"target_modules":".*_proj","rank_pattern":{"q_proj":4,"k_.*":2}}`,
		`{"peft_type":"LORA","r":8,"target_modules":"all-linear","modules_to_save":["lm_head"]}`,
		`{"peft_type":"LORA","r":8,"target_modules":null,"alpha_pattern":{"(":1}}`,
		`{"peft_type":"LORA","r":1e400}`, `[]`, `{`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ParseAdapter(text)
		if err != nil {
			return
		}
		wanted, err := NewTargetSet(a.Targets)
		if err == nil {
			wanted.Has("model.layers.0.self_attn.q_proj")
		}
		a.RankPattern.Of("model.layers.0.self_attn.q_proj", 1)
		again, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseAdapter(again); err != nil {
			t.Fatalf("%s, written as %s: %v", text, again, err)
		}
	})
}
