package checkpoint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
)

// What config.json of Qwen3.5-0.8B says of the language model, but for its layer_types.
const qwen35Text = `{"attention_bias":false,"attn_output_gate":true,"dtype":"bfloat16","full_attention_interval":4,` +
	`"head_dim":256,"hidden_act":"silu","hidden_size":1024,"initializer_range":0.02,"intermediate_size":3584,` +
	`"linear_conv_kernel_dim":4,"linear_key_head_dim":128,"linear_num_key_heads":16,"linear_num_value_heads":16,` +
	`"linear_value_head_dim":128,"max_position_embeddings":262144,"mlp_only_layers":[],"model_type":"qwen3_5_text",` +
	`"mtp_num_hidden_layers":1,"num_attention_heads":8,"num_hidden_layers":24,"num_key_value_heads":2,"rms_norm_eps":1e-06,` +
	`"tie_word_embeddings":true,"vocab_size":248320,"mamba_ssm_dtype":"float32","rope_parameters":{"mrope_interleaved":true,` +
	`"mrope_section":[11,11,10],"rope_type":"default","rope_theta":10000000,"partial_rotary_factor":0.25}}`

const qwen35 = `{"architectures":["Qwen3_5ForConditionalGeneration"],"model_type":"qwen3_5","text_config":` + qwen35Text +
	`,"tie_word_embeddings":true,"vision_config":{"model_type":"qwen3_5","depth":12}}`

func TestParseQwen35(t *testing.T) {
	for name, nested := range map[string]bool{qwen35: true, qwen35Text: false} {
		c, err := checkpoint.ParseQwen35([]byte(name))
		if err != nil || c.Nested != nested || !c.TieEmbedding || c.RopeTheta != 1e7 || c.RotaryDim() != 64 || c.Channels() != 6144 {
			t.Errorf("%+v, %v", c, err)
		}
		for i, kind := range c.LayerTypes {
			if want := i%4 == 3; c.Full(i) != want {
				t.Errorf("layer %d is %s", i, kind)
			}
		}
	}
	replaced := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%s is not in it", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	two := replaced(replaced(qwen35Text, `"hidden_act"`, `"layer_types":["full_attention","linear_attention"],"hidden_act"`),
		`"num_hidden_layers":24`, `"num_hidden_layers":2`)
	if c, err := checkpoint.ParseQwen35([]byte(two)); err != nil || !c.Full(0) || c.Full(1) {
		t.Errorf("layer_types: %+v, %v", c, err)
	}
	const rope = `"partial_rotary_factor":0.25}`
	outside := replaced(qwen35Text, rope, `"x":0},"partial_rotary_factor":0.5`)
	if c, err := checkpoint.ParseQwen35([]byte(outside)); err != nil || c.RotaryDim() != 128 {
		t.Errorf("partial_rotary_factor outside: %+v, %v", c, err)
	}
	for name, r := range map[string][3]string{
		"no text":       {`"text_config":`, `"other":`, "without text_config"},
		"type":          {`"qwen3_5","text_config"`, `"qwen3_next","text_config"`, `"qwen3_next"`},
		"text type":     {`"qwen3_5_text"`, `"qwen3_5_moe_text"`, "qwen3_5_moe_text"},
		"ties differ":   {`"tie_word_embeddings":true,"vision`, `"tie_word_embeddings":false,"vision`, "tie_word_embeddings false"},
		"bias":          {`"attention_bias":false`, `"attention_bias":true`, "attention_bias"},
		"no gate":       {`"attn_output_gate":true`, `"attn_output_gate":false`, "attn_output_gate"},
		"heads":         {`"num_attention_heads":8`, `"num_attention_heads":7`, "num_attention_heads 7"},
		"value heads":   {`"linear_num_value_heads":16`, `"linear_num_value_heads":24`, "linear_num_value_heads 24"},
		"no heads":      {`"linear_num_key_heads":16`, `"linear_num_key_heads":0`, "linear_num_key_heads 0"},
		"kernel":        {`kernel_dim":4`, `kernel_dim":1`, "linear_conv_kernel_dim 1"},
		"wide kernel":   {`kernel_dim":4`, `kernel_dim":400`, "linear_conv_kernel_dim 400"},
		"interval":      {`"full_attention_interval":4`, `"full_attention_interval":0`, "full_attention_interval 0"},
		"too few":       {`"hidden_act"`, `"layer_types":["full_attention"],"hidden_act"`, "layer_types names 1 layers: expected 24"},
		"unknown layer": {`"hidden_act"`, `"layer_types":["sliding_attention"],"hidden_act"`, `layer_types[0] "sliding_attention"`},
		"rope":          {`"rope_type":"default"`, `"rope_type":"yarn"`, "yarn"},
		"no part":       {rope, `"partial_rotary_factor":0.001}`, "partial_rotary_factor 0.001"},
		"odd part":      {rope, `"partial_rotary_factor":0.2541}`, "partial_rotary_factor 0.2541"},
		"act":           {`"silu"`, `"gelu"`, "hidden_act"},
		"gate type":     {`"hidden_act"`, `"output_gate_type":"sigmoid","hidden_act"`, "output_gate_type"},
		"state type":    {`"mamba_ssm_dtype":"float32"`, `"mamba_ssm_dtype":"bfloat16"`, "mamba_ssm_dtype"},
		"not a number":  {`"hidden_size":1024`, `"hidden_size":"x"`, "text_config"},
		"not json":      {`{`, ``, "invalid"},
		"eps":           {`1e-06`, `-1`, "rms_norm_eps -1: expected 1e-30 to 1"},
		"theta":         {`10000000,`, `1e300,`, "rope_theta 1e+300: expected 1 to 1e+12"},
		"no theta":      {`10000000,`, `0,`, "rope_theta 0: expected"},
		"part 0":        {rope, `"partial_rotary_factor":0}`, "partial_rotary_factor 0"},
		"deviation":     {`"initializer_range":0.02`, `"initializer_range":1e308`, "initializer_range 1e+308: expected 1e-06 to 10"},
	} {
		if _, err := checkpoint.Parse([]byte(replaced(qwen35, r[0], r[1]))); err == nil || !strings.Contains(err.Error(), r[2]) {
			t.Errorf("%s: %v, want an error naming %q", name, err, r[2])
		}
	}
}

// What the parser accepts has sizes that a model can be made of.
func FuzzParseQwen35(f *testing.F) {
	f.Add([]byte(qwen35))
	f.Add([]byte(qwen35Text))
	f.Add([]byte(`{"model_type":"qwen3_5","text_config":null}`))
	f.Add([]byte(`{"model_type":"qwen3_5_text","num_hidden_layers":1000000000,"rope_parameters":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := checkpoint.ParseQwen35(text)
		if err == nil && (c.Hidden < 1 || c.Heads < 1 || c.KVHeads < 1 || c.Heads%c.KVHeads != 0 || c.KeyHeads < 1 || c.KeyDim < 1 ||
			c.ValueHeads%c.KeyHeads != 0 || c.Kernel < 2 || c.RotaryDim() < 2 || c.RotaryDim() > c.HeadDim || checkpoint.Parameters(c) <= 0 || len(c.LayerTypes) != c.Layers) {
			t.Errorf("accepted %+v", c)
		}
	})
}

// The numbers are transformers' for the same configurations, those of the linear layers PEFT's for "all-linear".
func TestQwen35Counts(t *testing.T) {
	for _, c := range []struct {
		name                                            string
		hidden, inner, layers, heads, kv, values, count int
		tied                                            bool
		want, lora                                      int64
	}{
		{"0.8B", 1024, 3584, 24, 8, 2, 16, 186, true, 752_393_024, 10_822_656},
		{"9B", 4096, 12288, 32, 16, 4, 32, 248, false, 8_953_803_264, 43_278_336},
		{"27B", 5120, 17408, 64, 24, 4, 48, 496, false, 26_895_998_464, 116_727_808},
	} {
		text := strings.NewReplacer(
			`size":1024`, fmt.Sprintf(`size":%d`, c.hidden), `:3584`, fmt.Sprintf(":%d", c.inner),
			`layers":24`, fmt.Sprintf(`layers":%d`, c.layers), `attention_heads":8`, fmt.Sprintf(`attention_heads":%d`, c.heads),
			`key_value_heads":2`, fmt.Sprintf(`key_value_heads":%d`, c.kv), `num_value_heads":16`, fmt.Sprintf(`num_value_heads":%d`, c.values),
			`embeddings":true`, fmt.Sprintf(`embeddings":%v`, c.tied),
		).Replace(qwen35)
		m, err := checkpoint.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := checkpoint.Parameters(m); got != c.want {
			t.Errorf("%s: %d parameters, want %d", c.name, got, c.want)
		}
		lora := int64(0)
		for _, l := range m.Linears() {
			lora += 16 * (l.In + l.Out)
		}
		if lora != c.lora || len(m.Linears()) != c.count {
			t.Errorf("%s: %d parameters of LoRA at rank 16 on %d layers, want %d on %d", c.name, lora, len(m.Linears()), c.lora, c.count)
		}
	}
}

// The published layout's names, and what goes along unchanged.
func TestQwen35Names(t *testing.T) {
	nested, err := checkpoint.Parse([]byte(qwen35))
	if err != nil {
		t.Fatal(err)
	}
	flat, err := checkpoint.Parse([]byte(qwen35Text))
	if err != nil {
		t.Fatal(err)
	}
	names := func(m checkpoint.Model) (all []string) {
		for _, l := range m.Linears()[:8] {
			all = append(all, l.Path)
		}
		return all
	}
	var want []string
	for _, name := range []string{"linear_attn.in_proj_qkv", "linear_attn.in_proj_z", "linear_attn.in_proj_b", "linear_attn.in_proj_a", "linear_attn.out_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"} {
		want = append(want, "model.layers.0."+name)
	}
	if got := names(flat); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := names(nested); !slices.Equal(got, want) {
		t.Errorf("nested: got %v, want %v", got, want)
	}
	if got := nested.Tensors()[2].Name; got != "model.language_model.layers.0.linear_attn.in_proj_qkv.weight" {
		t.Errorf("nested: %s", got)
	}
	for name, want := range map[string]bool{"model.visual.blocks.0.norm1.bias": true, "mtp.fc.weight": true, "model.visualise": false, "lm_head.weight": false} {
		if nested.(checkpoint.Carrier).Carried(name) != want {
			t.Errorf("%s carried: %v", name, !want)
		}
	}
}
