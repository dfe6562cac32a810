package checkpoint

import (
	"encoding/json"
	"testing"
)

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
