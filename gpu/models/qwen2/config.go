// Package qwen2 is the architecture of Qwen2 and Qwen2.5 (Yang et al. 2024): grouped-query attention with biases on
// q, k and v, rotary positions, RMSNorm before each part, a gated MLP.
package qwen2

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-rl/hone/gpu"
)

// ConfigName is the file of the configuration in a model's folder.
const ConfigName = "config.json"

// Config has the checkpoint's own keys, as far as they decide what is computed.
type Config struct {
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
	RopeTheta     float64         `json:"rope_theta"`      // in published files
	RopeScaling   *RopeParameters `json:"rope_scaling"`    // in published files
	Rope          *RopeParameters `json:"rope_parameters"` // in files of transformers 5
	TieEmbedding  bool            `json:"tie_word_embeddings"`
	Activation    string          `json:"hidden_act"`
	SlidingWindow bool            `json:"use_sliding_window"`
}

// RopeParameters are those of the rotary positions.
type RopeParameters struct {
	Theta float64 `json:"rope_theta"`
	Type  string  `json:"rope_type"`
	Older string  `json:"type"` // rope_type in older files
}

// ReadConfig reads dir's config.json.
func ReadConfig(dir string) (*Config, error) {
	path := filepath.Join(dir, ConfigName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("qwen2: %w", err)
	}
	c, err := ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("qwen2: %s: %w", path, err)
	}
	return c, nil
}

// ParseConfig reads a config.json, fills in what may be missing and refuses what cannot be computed here.
func ParseConfig(text []byte) (*Config, error) {
	c := Config{RMSNormEps: 1e-6, Activation: "silu", Positions: 32768}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if c.Rope != nil && c.Rope.Theta != 0 {
		c.RopeTheta = c.Rope.Theta
	}
	if c.RopeTheta == 0 {
		c.RopeTheta = 10000
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	return &c, c.check()
}

func (c *Config) check() error {
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
		expect(size.value > 0 && size.value <= 1<<24, "%s %d: expected 1 to %d", size.name, size.value, 1<<24)
	}
	expect(c.KVHeads <= 0 || c.Heads%c.KVHeads == 0, "num_attention_heads %d: expected a multiple of num_key_value_heads %d",
		c.Heads, c.KVHeads)
	expect(c.HeadDim%2 == 0, "head_dim %d: expected an even number", c.HeadDim)
	expect(c.RMSNormEps > 0, "rms_norm_eps %v: expected above 0", c.RMSNormEps)
	expect(c.RopeTheta > 0, "rope_theta %v: expected above 0", c.RopeTheta)
	expect(c.Activation == "silu", "hidden_act %q: expected silu", c.Activation)
	expect(!c.SlidingWindow, "use_sliding_window: not supported")
	for _, r := range []*RopeParameters{c.Rope, c.RopeScaling} {
		kind := typeOf(r)
		expect(kind == "" || kind == "default", "rope type %q: expected default", kind)
	}
	return errors.Join(wrong...)
}

func typeOf(r *RopeParameters) string {
	if r == nil {
		return ""
	}
	return cmp.Or(r.Type, r.Older)
}

// checkpoint is config.json as a new model gets it.
type checkpoint struct {
	Architectures    []string `json:"architectures"`
	AttentionDropout float64  `json:"attention_dropout"`
	BOS              *int     `json:"bos_token_id"`
	EOS              *int     `json:"eos_token_id"`
	HeadDim          int      `json:"head_dim"`
	Activation       string   `json:"hidden_act"`
	Hidden           int      `json:"hidden_size"`
	InitStd          float64  `json:"initializer_range"`
	Intermediate     int      `json:"intermediate_size"`
	Positions        int      `json:"max_position_embeddings"`
	ModelType        string   `json:"model_type"`
	Heads            int      `json:"num_attention_heads"`
	Layers           int      `json:"num_hidden_layers"`
	KVHeads          int      `json:"num_key_value_heads"`
	RMSNormEps       float64  `json:"rms_norm_eps"`
	RopeScaling      *int     `json:"rope_scaling"`
	RopeTheta        float64  `json:"rope_theta"`
	TieEmbedding     bool     `json:"tie_word_embeddings"`
	TorchType        string   `json:"torch_dtype"`
	UseCache         bool     `json:"use_cache"`
	UseSlidingWindow bool     `json:"use_sliding_window"`
	Vocabulary       int      `json:"vocab_size"`
}

// marshal is the config.json of a new model and its parsed form.
func marshal(m gpu.ModelConfig) ([]byte, *Config, error) {
	if m.Heads < 1 || m.Hidden%m.Heads != 0 {
		return nil, nil, fmt.Errorf("hidden %d: expected a multiple of heads %d", m.Hidden, m.Heads)
	}
	file := checkpoint{
		Architectures: []string{"Qwen2ForCausalLM"}, Activation: "silu", Hidden: m.Hidden, HeadDim: m.Hidden / m.Heads,
		InitStd: m.InitStd, Intermediate: m.Intermediate, Positions: m.Positions, ModelType: "qwen2", Heads: m.Heads,
		Layers: m.Layers, KVHeads: m.KVHeads, RMSNormEps: 1e-6, RopeTheta: m.RopeTheta, TieEmbedding: m.TieEmbedding,
		TorchType: "float32", UseCache: true, Vocabulary: m.Vocabulary,
	}
	for _, id := range []struct {
		from int
		to   **int
	}{{m.BOS, &file.BOS}, {m.EOS, &file.EOS}} {
		if id.from >= 0 && id.from < m.Vocabulary {
			*id.to = &id.from
		}
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	c, err := ParseConfig(text)
	return append(text, '\n'), c, err
}
