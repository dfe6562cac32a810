package checkpoint_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
)

// Sizes that are allowed each, but whose products or sums are more than 64 bits hold, are refused by their fields.
func TestTooManyParameters(t *testing.T) {
	const most = "expected at most 1125899906842624 parameters, which "
	for name, c := range map[string]struct{ text, sizes, tensor string }{
		"product": {
			`{"model_type":"qwen2","hidden_size":16777216,"num_hidden_layers":1,"num_attention_heads":16777216,"head_dim":16777216,` +
				`"intermediate_size":64,"vocab_size":16}`,
			"hidden_size 16777216, intermediate_size 64, num_attention_heads 16777216, head_dim 16777216", "layers.0.self_attn.q_proj.weight [281474976710656 16777216] goes",
		},
		"sum": {
			`{"model_type":"qwen2","hidden_size":16777216,"num_hidden_layers":1000,"num_attention_heads":64,"head_dim":64,` +
				`"intermediate_size":16777216,"vocab_size":16}`,
			"num_hidden_layers 1000, hidden_size 16777216, intermediate_size 16777216", "layers.1.mlp.gate_proj.weight",
		},
		"delta net": {
			`{"model_type":"qwen3_5_text","hidden_size":16777216,"num_hidden_layers":4,"num_attention_heads":4,"intermediate_size":64,"vocab_size":16,` +
				`"linear_num_key_heads":65536,"linear_num_value_heads":65536,"linear_key_head_dim":65536,"linear_value_head_dim":65536}`,
			"vocab_size 16, linear_num_value_heads 65536", "layers.0.linear_attn.in_proj_qkv.weight",
		},
	} {
		if _, err := checkpoint.Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.sizes) || !strings.Contains(err.Error(), most) || !strings.Contains(err.Error(), c.tensor) {
			t.Errorf("%s: %v, want an error with %q and %q", name, err, c.sizes, c.tensor)
		}
	}
}
