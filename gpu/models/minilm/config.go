// Package minilm is the sentence encoder all-MiniLM-L6-v2 (Wang et al. 2020; Reimers and Gurevych 2019): BERT's encoder
// (Devlin et al. 2018), the mean over a text's tokens, scaled to length 1.
package minilm

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/internal/exact"
)

// MaxTokens is how many tokens of a text the model was trained to see, [CLS] and [SEP] counted. Its table of positions
// is longer.
const MaxTokens = 256

// Config has the checkpoint's own keys, as far as they decide what is computed.
type Config struct {
	ModelType    string  `json:"model_type"`
	Hidden       int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	Intermediate int     `json:"intermediate_size"`
	Vocabulary   int     `json:"vocab_size"`
	Positions    int     `json:"max_position_embeddings"`
	Types        int     `json:"type_vocab_size"`
	LayerNormEps float64 `json:"layer_norm_eps"`
	Activation   string  `json:"hidden_act"`
	PositionType string  `json:"position_embedding_type"`
}

// ReadConfig reads dir's config.json.
func ReadConfig(dir string) (*Config, error) {
	path := filepath.Join(dir, checkpoint.ConfigName)
	text, err := checkpoint.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("minilm: %w", err)
	}
	c, err := ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("minilm: %s: %w", path, err)
	}
	return c, nil
}

// ParseConfig reads a config.json and refuses what cannot be computed here.
func ParseConfig(text []byte) (*Config, error) {
	c := Config{Types: 2, LayerNormEps: 1e-12, Activation: "gelu", PositionType: "absolute"}
	if err := exact.Unmarshal(text, &c); err != nil {
		return nil, err
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
	expect(c.ModelType == "bert", "model_type %q: expected bert", c.ModelType)
	for _, size := range []struct {
		name  string
		value int
	}{
		{"hidden_size", c.Hidden},
		{"num_hidden_layers", c.Layers},
		{"num_attention_heads", c.Heads},
		{"intermediate_size", c.Intermediate},
		{"vocab_size", c.Vocabulary},
		{"max_position_embeddings", c.Positions},
		{"type_vocab_size", c.Types},
	} {
		expect(size.value > 0 && size.value <= 1<<24, "%s %d: expected 1 to %d", size.name, size.value, 1<<24)
	}
	expect(c.Heads <= 0 || c.Hidden%c.Heads == 0, "hidden_size %d: expected a multiple of num_attention_heads %d", c.Hidden, c.Heads)
	expect(c.LayerNormEps > 0, "layer_norm_eps %v: expected above 0", c.LayerNormEps)
	expect(c.Activation == "gelu", "hidden_act %q: expected gelu", c.Activation)
	expect(c.PositionType == "absolute", "position_embedding_type %q: expected absolute", c.PositionType)
	return errors.Join(wrong...)
}
