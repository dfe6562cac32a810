package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// Qwen2 is the config.json of Qwen2 and Qwen2.5 under its own keys, as far as they decide what is computed.
type Qwen2 struct {
	ModelType    string `json:"model_type"`
	Hidden       int    `json:"hidden_size"`
	Layers       int    `json:"num_hidden_layers"`
	Heads        int    `json:"num_attention_heads"`
	KVHeads      int    `json:"num_key_value_heads"`
	HeadDim      int    `json:"head_dim"` // 0: Hidden / Heads
	Intermediate int    `json:"intermediate_size"`
	Vocabulary   int    `json:"vocab_size"`
	Positions    int    `json:"max_position_embeddings"`

	RMSNormEps    float64         `json:"rms_norm_eps"`
	RopeTheta     float64         `json:"rope_theta"`        // in published files
	RopeScaling   *RopeParameters `json:"rope_scaling"`      // in published files
	Rope          *RopeParameters `json:"rope_parameters"`   // in files of transformers 5
	InitStd       float64         `json:"initializer_range"` // of a new model's weights
	TieEmbedding  bool            `json:"tie_word_embeddings"`
	Activation    string          `json:"hidden_act"`
	SlidingWindow bool            `json:"use_sliding_window"`
	LayerTypes    []string        `json:"layer_types"` // in files of transformers 5: all full_attention
}

// RopeParameters are those of the rotary positions; what is nil stands elsewhere or nowhere.
type RopeParameters struct {
	Theta   *float64 `json:"rope_theta"`
	Type    string   `json:"rope_type"`
	Older   string   `json:"type"`                  // rope_type in older files
	Partial *float64 `json:"partial_rotary_factor"` // of Qwen3.5
}

// ParseQwen2 reads a config.json, fills in what may be missing and refuses what cannot be computed here.
func ParseQwen2(text []byte) (*Qwen2, error) {
	c := Qwen2{RMSNormEps: 1e-6, RopeTheta: 10000, InitStd: 0.02, Activation: "silu", Positions: 32768}
	if err := exact.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if c.Rope != nil && c.Rope.Theta != nil {
		c.RopeTheta = *c.Rope.Theta
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	return &c, c.check()
}

func (c *Qwen2) check() error {
	var wrong []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	expect(c.ModelType == "qwen2", "model_type %q: expected qwen2", c.ModelType)
	for _, size := range []struct {
		name  string
		value int
	}{
		{"hidden_size", c.Hidden},
		{"num_hidden_layers", c.Layers},
		{"num_attention_heads", c.Heads},
		{"num_key_value_heads", c.KVHeads},
		{"head_dim", c.HeadDim},
		{"intermediate_size", c.Intermediate},
		{"vocab_size", c.Vocabulary},
		{"max_position_embeddings", c.Positions},
	} {
		expect(size.value > 0 && size.value <= 1<<24, "%s %s: expected 1 to %d", size.name, said(size.value), 1<<24)
	}
	expect(c.Layers <= mostLayers, "num_hidden_layers %d: expected at most %d", c.Layers, mostLayers)
	expect(c.KVHeads <= 0 || c.Heads%c.KVHeads == 0, "num_attention_heads %d: expected a multiple of num_key_value_heads %d",
		c.Heads, c.KVHeads)
	expect(c.HeadDim%2 == 0, "head_dim %d: expected an even number", c.HeadDim)
	wrong = append(wrong, numbers(c.RMSNormEps, c.RopeTheta, c.InitStd))
	expect(c.Activation == "silu", "hidden_act %q: expected silu", c.Activation)
	expect(!c.SlidingWindow, "use_sliding_window: not supported")
	expect(c.LayerTypes == nil || len(c.LayerTypes) == c.Layers, "layer_types names %d layers: expected num_hidden_layers, %d",
		len(c.LayerTypes), c.Layers)
	if i := slices.IndexFunc(c.LayerTypes, func(kind string) bool { return kind != FullAttention }); i >= 0 {
		expect(false, "layer_types[%d] %q: expected %s", i, c.LayerTypes[i], FullAttention)
	}
	for _, r := range []*RopeParameters{c.Rope, c.RopeScaling} {
		kind := typeOf(r)
		expect(kind == "" || kind == "default", "rope type %q: expected default", kind)
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	return countable(c, fmt.Sprintf("num_hidden_layers %d, hidden_size %d, intermediate_size %d, num_attention_heads %d, head_dim %d, vocab_size %d",
		c.Layers, c.Hidden, c.Intermediate, c.Heads, c.HeadDim, c.Vocabulary))
}

func typeOf(r *RopeParameters) string {
	if r == nil {
		return ""
	}
	return cmp.Or(r.Type, r.Older)
}

// Architecture implements [Model].
func (c *Qwen2) Architecture() string { return "qwen2" }

// Limits implements [Model].
func (c *Qwen2) Limits() (vocabulary, positions int) { return c.Vocabulary, c.Positions }

// Deviation implements [Model].
func (c *Qwen2) Deviation() float64 { return c.InitStd }

// Tensors implements [Model].
func (c *Qwen2) Tensors() []Tensor {
	hidden, inner := int64(c.Hidden), int64(c.Intermediate)
	q, kv := int64(c.Heads*c.HeadDim), int64(c.KVHeads*c.HeadDim)
	all := []Tensor{{"model.embed_tokens.weight", []int64{int64(c.Vocabulary), hidden}, Normal}}
	for i := range c.Layers {
		for _, t := range []Tensor{
			{"input_layernorm.weight", []int64{hidden}, Ones},
			{"self_attn.q_proj.weight", []int64{q, hidden}, Normal},
			{"self_attn.q_proj.bias", []int64{q}, Zeros},
			{"self_attn.k_proj.weight", []int64{kv, hidden}, Normal},
			{"self_attn.k_proj.bias", []int64{kv}, Zeros},
			{"self_attn.v_proj.weight", []int64{kv, hidden}, Normal},
			{"self_attn.v_proj.bias", []int64{kv}, Zeros},
			{"self_attn.o_proj.weight", []int64{hidden, q}, Normal},
			{"post_attention_layernorm.weight", []int64{hidden}, Ones},
			{"mlp.gate_proj.weight", []int64{inner, hidden}, Normal},
			{"mlp.up_proj.weight", []int64{inner, hidden}, Normal},
			{"mlp.down_proj.weight", []int64{hidden, inner}, Normal},
		} {
			t.Name = fmt.Sprintf("model.layers.%d.%s", i, t.Name)
			all = append(all, t)
		}
	}
	all = append(all, Tensor{"model.norm.weight", []int64{hidden}, Ones})
	if !c.TieEmbedding {
		all = append(all, Tensor{"lm_head.weight", []int64{int64(c.Vocabulary), hidden}, Normal})
	}
	return all
}

// Linears implements [Model].
func (c *Qwen2) Linears() []Linear { return projections(c.Tensors()) }

// projections are the matrices among the layers' tensors.
func projections(tensors []Tensor) []Linear {
	var all []Linear
	for _, t := range tensors {
		path, weight := strings.CutSuffix(t.Name, ".weight")
		if weight && len(t.Shape) == 2 && strings.Contains(path, ".layers.") {
			all = append(all, Linear{Path: path, In: t.Shape[1], Out: t.Shape[0]})
		}
	}
	return all
}
