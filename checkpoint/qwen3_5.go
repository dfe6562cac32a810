package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// Kinds of layers, as layer_types names them.
const (
	LinearAttention = "linear_attention" // a gated delta net
	FullAttention   = "full_attention"
)

// Qwen35 is the language model of Qwen3.5 under its config's own keys, as far as they decide what is computed: the
// config.json of model_type qwen3_5_text, or the text_config inside one of model_type qwen3_5, whose vision tower is
// left alone.
type Qwen35 struct {
	Nested bool `json:"-"` // model_type qwen3_5: tensors are named under model.language_model.

	ModelType    string `json:"model_type"`
	Hidden       int    `json:"hidden_size"`
	Layers       int    `json:"num_hidden_layers"`
	Heads        int    `json:"num_attention_heads"`
	KVHeads      int    `json:"num_key_value_heads"`
	HeadDim      int    `json:"head_dim"` // 0: 256
	Intermediate int    `json:"intermediate_size"`
	Vocabulary   int    `json:"vocab_size"`
	Positions    int    `json:"max_position_embeddings"`

	LayerTypes []string `json:"layer_types"`             // of each layer; filled in where missing
	Interval   int      `json:"full_attention_interval"` // every so many layers one is full, without layer_types

	KeyHeads   int `json:"linear_num_key_heads"` // of the gated delta net
	ValueHeads int `json:"linear_num_value_heads"`
	KeyDim     int `json:"linear_key_head_dim"`
	ValueDim   int `json:"linear_value_head_dim"`
	Kernel     int `json:"linear_conv_kernel_dim"`

	RMSNormEps    float64         `json:"rms_norm_eps"`
	Rope          *RopeParameters `json:"rope_parameters"`
	RopeTheta     float64         `json:"rope_theta"`            // without rope_parameters
	Rotary        float64         `json:"partial_rotary_factor"` // part of a head that turns; that of rope_parameters first
	InitStd       float64         `json:"initializer_range"`
	TieEmbedding  bool            `json:"tie_word_embeddings"`
	Activation    string          `json:"hidden_act"`
	AttentionBias bool            `json:"attention_bias"`
	OutputGate    *bool           `json:"attn_output_gate"` // nil: there is one
	GateType      string          `json:"output_gate_type"` // of the gated delta net
	StateType     string          `json:"mamba_ssm_dtype"`
}

// ParseQwen35 reads a config.json, fills in what may be missing and refuses what cannot be computed here.
func ParseQwen35(text []byte) (*Qwen35, error) {
	var outer struct {
		ModelType string          `json:"model_type"`
		Text      json.RawMessage `json:"text_config"`
		Tie       *bool           `json:"tie_word_embeddings"`
	}
	if err := exact.Unmarshal(text, &outer); err != nil {
		return nil, err
	}
	c := Qwen35{
		ModelType: "qwen3_5_text", HeadDim: 256, Positions: 32768, Interval: 4, KeyHeads: 16, ValueHeads: 32, KeyDim: 128,
		ValueDim: 128, Kernel: 4, RMSNormEps: 1e-6, RopeTheta: 10000, Rotary: 0.25, InitStd: 0.02, Activation: "silu",
	}
	switch outer.ModelType {
	case "qwen3_5_text":
	case "qwen3_5":
		if len(outer.Text) == 0 || string(outer.Text) == "null" {
			return nil, errors.New("model_type qwen3_5 without text_config")
		}
		text, c.Nested = outer.Text, true
	default:
		return nil, fmt.Errorf("model_type %q: expected qwen3_5 or qwen3_5_text", outer.ModelType)
	}
	if c.Nested && outer.Tie != nil {
		c.TieEmbedding = *outer.Tie
	}
	if err := exact.Unmarshal(text, &c); err != nil {
		if c.Nested {
			return nil, fmt.Errorf("text_config: %w", err)
		}
		return nil, err
	}
	c.fill()
	wrong := c.check()
	if c.Nested && outer.Tie != nil && *outer.Tie != c.TieEmbedding {
		wrong = errors.Join(wrong, fmt.Errorf("tie_word_embeddings %v: text_config says %v", *outer.Tie, c.TieEmbedding))
	}
	return &c, wrong
}

func (c *Qwen35) fill() {
	if c.Rope != nil && c.Rope.Theta != nil {
		c.RopeTheta = *c.Rope.Theta
	}
	if c.Rope != nil && c.Rope.Partial != nil {
		c.Rotary = *c.Rope.Partial
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.LayerTypes != nil || c.Interval < 1 || c.Layers > mostLayers {
		return
	}
	for i := range c.Layers {
		kind := LinearAttention
		if (i+1)%c.Interval == 0 {
			kind = FullAttention
		}
		c.LayerTypes = append(c.LayerTypes, kind)
	}
}

// mostLayers is more than any model has: what is listed of each layer must fit into memory before a file is looked at.
const mostLayers = 1 << 12

func (c *Qwen35) check() error {
	var wrong []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	expect(c.ModelType == "qwen3_5_text", "model_type %q: expected qwen3_5_text", c.ModelType)
	for _, size := range []struct {
		name        string
		value, most int
	}{
		{"hidden_size", c.Hidden, 1 << 24},
		{"num_hidden_layers", c.Layers, mostLayers},
		{"num_attention_heads", c.Heads, 1 << 16},
		{"num_key_value_heads", c.KVHeads, 1 << 16},
		{"head_dim", c.HeadDim, 1 << 16},
		{"intermediate_size", c.Intermediate, 1 << 24},
		{"vocab_size", c.Vocabulary, 1 << 24},
		{"max_position_embeddings", c.Positions, 1 << 24},
		{"full_attention_interval", c.Interval, 1 << 24},
		{"linear_num_key_heads", c.KeyHeads, 1 << 16},
		{"linear_num_value_heads", c.ValueHeads, 1 << 16},
		{"linear_key_head_dim", c.KeyDim, 1 << 16},
		{"linear_value_head_dim", c.ValueDim, 1 << 16},
		{"linear_conv_kernel_dim", c.Kernel, 16},
	} {
		expect(size.value > 0 && size.value <= size.most, "%s %s: expected 1 to %d", size.name, said(size.value), size.most)
	}
	expect(c.KVHeads <= 0 || c.Heads%c.KVHeads == 0, "num_attention_heads %d: expected a multiple of num_key_value_heads %d",
		c.Heads, c.KVHeads)
	expect(c.KeyHeads <= 0 || c.ValueHeads%c.KeyHeads == 0,
		"linear_num_value_heads %d: expected a multiple of linear_num_key_heads %d", c.ValueHeads, c.KeyHeads)
	expect(c.Kernel != 1, "linear_conv_kernel_dim 1: expected at least 2")
	expect(len(c.LayerTypes) == c.Layers || c.Layers > mostLayers || c.Interval < 1, "layer_types names %d layers: expected %d",
		len(c.LayerTypes), c.Layers)
	for i, kind := range c.LayerTypes {
		if kind != LinearAttention && kind != FullAttention {
			expect(false, "layer_types[%d] %q: expected %s or %s", i, kind, LinearAttention, FullAttention)
			break
		}
	}
	expect(c.Rotary > 0 && c.Rotary <= 1 && c.RotaryDim() > 0 && c.RotaryDim()%2 == 0,
		"partial_rotary_factor %v of head_dim %d: expected an even number of up to %d", c.Rotary, c.HeadDim, c.HeadDim)
	wrong = append(wrong, numbers(c.RMSNormEps, c.RopeTheta, c.InitStd))
	expect(c.Activation == "silu", "hidden_act %q: expected silu", c.Activation)
	expect(!c.AttentionBias, "attention_bias: not supported")
	expect(c.OutputGate == nil || *c.OutputGate, "attn_output_gate false: not supported")
	expect(c.GateType == "" || c.GateType == "swish" || c.GateType == "silu", "output_gate_type %q: expected swish", c.GateType)
	expect(c.StateType == "" || c.StateType == "float32", "mamba_ssm_dtype %q: expected float32", c.StateType)
	kind := typeOf(c.Rope)
	expect(kind == "" || kind == "default", "rope type %q: expected default", kind)
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	return countable(c, fmt.Sprintf("num_hidden_layers %d, hidden_size %d, intermediate_size %d, num_attention_heads %d, head_dim %d, vocab_size %d, linear_num_value_heads %d",
		c.Layers, c.Hidden, c.Intermediate, c.Heads, c.HeadDim, c.Vocabulary, c.ValueHeads))
}

// RotaryDim is how many of a head's elements, from the first, turn with the position.
func (c *Qwen35) RotaryDim() int { return int(math.Floor(float64(c.HeadDim) * c.Rotary)) }

// Channels are those of a gated delta net's convolution: queries and keys, then values.
func (c *Qwen35) Channels() int { return 2*c.KeyHeads*c.KeyDim + c.ValueHeads*c.ValueDim }

// Full says whether a layer is one of full attention.
func (c *Qwen35) Full(layer int) bool { return c.LayerTypes[layer] == FullAttention }

// Prefix is what the names of all tensors but the head begin with.
func (c *Qwen35) Prefix() string {
	if c.Nested {
		return "model.language_model."
	}
	return "model."
}

// Carried implements [Carrier]: the vision tower and the head for several tokens at once.
func (c *Qwen35) Carried(name string) bool {
	return strings.HasPrefix(name, "model.visual.") || strings.HasPrefix(name, "mtp.")
}

// Architecture implements [Model].
func (c *Qwen35) Architecture() string { return "qwen3_5" }

// Limits implements [Model].
func (c *Qwen35) Limits() (vocabulary, positions int) { return c.Vocabulary, c.Positions }

// Deviation implements [Model].
func (c *Qwen35) Deviation() float64 { return c.InitStd }

// Tensors implements [Model]. The norms but for that inside the gated delta net multiply by 1 + weight.
func (c *Qwen35) Tensors() []Tensor {
	hidden, inner := int64(c.Hidden), int64(c.Intermediate)
	all := []Tensor{{c.Prefix() + "embed_tokens.weight", []int64{int64(c.Vocabulary), hidden}, Normal}}
	for i := range c.Layers {
		layer := []Tensor{{"input_layernorm.weight", []int64{hidden}, Zeros}}
		if c.Full(i) {
			layer = append(layer, c.attention()...)
		} else {
			layer = append(layer, c.deltaNet()...)
		}
		layer = append(
			layer,
			Tensor{"post_attention_layernorm.weight", []int64{hidden}, Zeros},
			Tensor{"mlp.gate_proj.weight", []int64{inner, hidden}, Normal},
			Tensor{"mlp.up_proj.weight", []int64{inner, hidden}, Normal},
			Tensor{"mlp.down_proj.weight", []int64{hidden, inner}, Normal},
		)
		for _, t := range layer {
			t.Name = fmt.Sprintf("%slayers.%d.%s", c.Prefix(), i, t.Name)
			all = append(all, t)
		}
	}
	all = append(all, Tensor{c.Prefix() + "norm.weight", []int64{hidden}, Zeros})
	if !c.TieEmbedding {
		all = append(all, Tensor{"lm_head.weight", []int64{int64(c.Vocabulary), hidden}, Normal})
	}
	return all
}

func (c *Qwen35) attention() []Tensor {
	hidden, width := int64(c.Hidden), int64(c.HeadDim)
	q, kv := int64(c.Heads)*width, int64(c.KVHeads)*width
	return []Tensor{
		{"self_attn.q_proj.weight", []int64{2 * q, hidden}, Normal}, // of each head the query, then its gate
		{"self_attn.k_proj.weight", []int64{kv, hidden}, Normal},
		{"self_attn.v_proj.weight", []int64{kv, hidden}, Normal},
		{"self_attn.o_proj.weight", []int64{hidden, q}, Normal},
		{"self_attn.q_norm.weight", []int64{width}, Zeros},
		{"self_attn.k_norm.weight", []int64{width}, Zeros},
	}
}

func (c *Qwen35) deltaNet() []Tensor {
	hidden, heads, channels := int64(c.Hidden), int64(c.ValueHeads), int64(c.Channels())
	values := heads * int64(c.ValueDim)
	return []Tensor{
		{"linear_attn.in_proj_qkv.weight", []int64{channels, hidden}, Normal},
		{"linear_attn.in_proj_z.weight", []int64{values, hidden}, Normal},
		{"linear_attn.in_proj_b.weight", []int64{heads, hidden}, Normal},
		{"linear_attn.in_proj_a.weight", []int64{heads, hidden}, Normal},
		{"linear_attn.conv1d.weight", []int64{channels, 1, int64(c.Kernel)}, Normal},
		{"linear_attn.dt_bias", []int64{heads}, Ones},
		{"linear_attn.A_log", []int64{heads}, LogUniform},
		{"linear_attn.norm.weight", []int64{int64(c.ValueDim)}, Ones},
		{"linear_attn.out_proj.weight", []int64{hidden, values}, Normal},
	}
}

// Qwen35Modules is what the paths of all linear layers begin with, in either layout: transformers opens both as its
// model of the text alone, and adapters are named after that model's modules.
const Qwen35Modules = "model."

// Linears implements [Model].
func (c *Qwen35) Linears() []Linear {
	all := projections(c.Tensors())
	for i := range all {
		all[i].Path = Qwen35Modules + strings.TrimPrefix(all[i].Path, c.Prefix())
	}
	return all
}
