package checkpoint_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
)

const published = `{"model_type":"qwen2","hidden_size":896,"num_hidden_layers":24,"num_attention_heads":14,` +
	`"num_key_value_heads":2,"intermediate_size":4864,"vocab_size":151936,"max_position_embeddings":32768,` +
	`"rms_norm_eps":1e-06,"rope_theta":1000000.0,"tie_word_embeddings":true,"hidden_act":"silu","use_sliding_window":false}`

func TestParseQwen2(t *testing.T) {
	c, err := checkpoint.ParseQwen2([]byte(published))
	if err != nil || c.RopeTheta != 1e6 || c.HeadDim != 64 || !c.TieEmbedding {
		t.Errorf("%+v, %v", c, err)
	}
	nested := strings.Replace(published, `"rope_theta":1000000.0`, `"rope_parameters":{"rope_theta":5000,"rope_type":"default"}`, 1)
	if c, err := checkpoint.ParseQwen2([]byte(nested)); err != nil || c.RopeTheta != 5000 {
		t.Errorf("rope_parameters: %+v, %v", c, err)
	}
	two := strings.NewReplacer(`"hidden_act"`, `"layer_types":["full_attention","full_attention"],"hidden_act"`, `layers":24`, `layers":2`).Replace(published)
	if c, err := checkpoint.ParseQwen2([]byte(two)); err != nil || c.Layers != 2 {
		t.Errorf("layer_types: %+v, %v", c, err)
	}
	other := strings.Replace(published, `"vocab_size"`, `"VOCAB_SIZE":2,"Rope_Theta":3,"vocab_size"`, 1)
	if c, err := checkpoint.ParseQwen2([]byte(other)); err != nil || c.Vocabulary != 151936 || c.RopeTheta != 1e6 {
		t.Errorf("keys of other letters: %+v, %v", c, err)
	}
	for name, r := range map[string][3]string{
		"type":        {`"qwen2"`, `"llama"`, "model_type"},
		"heads":       {`"num_attention_heads":14`, `"num_attention_heads":15`, "num_attention_heads 15"},
		"size":        {`"hidden_size":896`, `"hidden_size":-1`, "hidden_size -1"},
		"missing":     {`"vocab_size":151936,`, ``, "vocab_size 0 or missing: expected 1 to"},
		"act":         {`"silu"`, `"gelu"`, "hidden_act"},
		"window":      {`"use_sliding_window":false`, `"use_sliding_window":true`, "use_sliding_window"},
		"rope":        {`"hidden_act"`, `"rope_scaling":{"rope_type":"yarn"},"hidden_act"`, "yarn"},
		"rope, older": {`"hidden_act"`, `"rope_scaling":{"type":"yarn","factor":4},"hidden_act"`, "yarn"},
		"not json":    {`{`, ``, "invalid"},
		"eps":         {`1e-06`, `1e308`, "rms_norm_eps 1e+308: expected 1e-30 to 1"},
		"no eps":      {`1e-06`, `0`, "rms_norm_eps 0: expected"},
		"theta":       {`1000000.0`, `1e308`, "rope_theta 1e+308: expected 1 to 1e+12"},
		"no theta":    {`1000000.0`, `0`, "rope_theta 0: expected"},
		"theta below": {`"rope_theta":1000000.0`, `"rope_parameters":{"rope_theta":-1}`, "rope_theta -1: expected"},
		"theta 0":     {`"hidden_act"`, `"rope_parameters":{"rope_theta":0},"hidden_act"`, "rope_theta 0: expected"},
		"wide":        {`"hidden_act"`, `"initializer_range":1e308,"hidden_act"`, "initializer_range 1e+308: expected 1e-06 to 10"},
		"below":       {`"hidden_act"`, `"initializer_range":-1,"hidden_act"`, "initializer_range -1: expected"},
		"nothing":     {`"hidden_act"`, `"initializer_range":0,"hidden_act"`, "initializer_range 0: expected"},
		"no double":   {`"hidden_act"`, `"initializer_range":1e400,"hidden_act"`, "initializer_range"},
		"sliding":     {`"hidden_act"`, `"layer_types":["full_attention","sliding_attention"],"hidden_act"`, `layer_types[1] "sliding_attention": expected full_attention`},
		"letters":     {`"vocab_size"`, `"Vocab_Size"`, "vocab_size 0"},
		"twice":       {`"vocab_size"`, `"vocab_size":2,"vocab_size"`, `"vocab_size" stands twice`},
		"null":        {`"hidden_act"`, `"layer_types":[null],"hidden_act"`, "layer_types[0]: null"},
		"few types":   {`"hidden_act"`, `"layer_types":["full_attention"],"hidden_act"`, "layer_types names 1 layers: expected num_hidden_layers, 24"},
	} {
		if !strings.Contains(published, r[0]) {
			t.Fatalf("%s: %s is not in it", name, r[0])
		}
		if _, err := checkpoint.ParseQwen2([]byte(strings.Replace(published, r[0], r[1], 1))); err == nil || !strings.Contains(err.Error(), r[2]) {
			t.Errorf("%s: %v, want an error naming %q", name, err, r[2])
		}
	}
}

// What the parser accepts has sizes that a model can be made of.
func FuzzParseQwen2(f *testing.F) {
	f.Add([]byte(published))
	f.Add([]byte(`{"model_type":"qwen2","num_attention_heads":0,"num_key_value_heads":0}`))
	f.Add([]byte(`{"model_type":"qwen2","rope_parameters":null,"head_dim":-2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := checkpoint.ParseQwen2(text)
		if err == nil && (c.Hidden < 1 || c.Heads < 1 || c.KVHeads < 1 || c.Heads%c.KVHeads != 0 || c.HeadDim < 2 || c.RopeTheta <= 0 || checkpoint.Parameters(c) <= 0) {
			t.Errorf("accepted %+v", c)
		}
	})
}

// Published configurations have the published numbers of parameters, and LoRA of rank 16 on the seven projections of
// Qwen2.5-3B the 29,933,568 of the published teacher.
func TestQwen2Counts(t *testing.T) {
	for _, c := range []struct {
		name, hidden, layers, heads, kv, inner string
		tied                                   string
		want                                   int64
		lora                                   int64 // at rank 16
	}{
		{"0.5B", "896", "24", "14", "2", "4864", "true", 494_032_768, 8_798_208},
		{"3B", "2048", "36", "16", "2", "11008", "true", 3_085_938_688, 29_933_568},
	} {
		text := strings.NewReplacer(`:896`, ":"+c.hidden, `:24`, ":"+c.layers, `:14,`, ":"+c.heads+",", `heads":2`, `heads":`+c.kv,
			`:4864`, ":"+c.inner).Replace(published)
		m, err := checkpoint.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := checkpoint.Parameters(m); got != c.want {
			t.Errorf("%s: %d parameters, want %d", c.name, got, c.want)
		}
		rank := int64(0)
		for _, l := range m.Linears() {
			rank += l.In + l.Out
		}
		if got := 16 * rank; got != c.lora {
			t.Errorf("%s: %d parameters of LoRA, want %d", c.name, got, c.lora)
		}
	}
}
