package qwen2

import (
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
)

// Init writes a new model into dir, which is there: weights normal with deviation InitStd, norms 1, biases 0. Each
// tensor has a generator of its own, from the seed and its name. No tensor library is involved.
func Init(m gpu.ModelConfig, seed uint64, dir string) error {
	text, err := marshal(m)
	if err != nil {
		return fmt.Errorf("qwen2: new model: %w", err)
	}
	return nn.Create(text, seed, dir)
}

// config is config.json as a new model gets it.
type config struct {
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

// marshal is the config.json of a new model.
func marshal(m gpu.ModelConfig) ([]byte, error) {
	if m.Heads < 1 || m.Hidden%m.Heads != 0 {
		return nil, fmt.Errorf("hidden %d: expected a multiple of heads %d", m.Hidden, m.Heads)
	}
	file := config{
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
	return append(text, '\n'), err
}
