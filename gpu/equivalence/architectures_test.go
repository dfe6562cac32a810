package equivalence_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu/models"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// vocabulary and positions of every model below.
const vocabulary, positions = 300, 256

// architectures are configurations of small models. Widths are no multiples of the vectors' everywhere, so that loops
// have rests. New models of them are random; the deviation is large, so that choices are not all alike.
var architectures = []struct{ name, config string }{
	{"qwen2", `{"model_type":"qwen2","hidden_size":96,"num_hidden_layers":3,"num_attention_heads":6,"num_key_value_heads":2,
"intermediate_size":150,"vocab_size":300,"max_position_embeddings":256,"rope_theta":10000,"tie_word_embeddings":true,
"initializer_range":0.2}`},
	{"qwen2, untied", `{"model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":2,
"num_key_value_heads":2,"intermediate_size":96,"vocab_size":300,"max_position_embeddings":256,"rope_theta":10000,
"tie_word_embeddings":false,"initializer_range":0.2}`},
	{"qwen3_5", `{"model_type":"qwen3_5_text","hidden_size":64,"num_hidden_layers":5,"num_attention_heads":4,
"num_key_value_heads":2,"head_dim":32,"intermediate_size":100,"vocab_size":300,"max_position_embeddings":256,
"linear_num_key_heads":2,"linear_num_value_heads":4,"linear_key_head_dim":24,"linear_value_head_dim":20,
"rope_parameters":{"rope_theta":10000,"partial_rotary_factor":0.25},"tie_word_embeddings":true,"initializer_range":0.2}`},
	{"qwen3_5, untied", `{"model_type":"qwen3_5","text_config":{"hidden_size":48,"num_hidden_layers":2,"num_attention_heads":2,
"num_key_value_heads":1,"head_dim":16,"intermediate_size":64,"vocab_size":300,"max_position_embeddings":256,
"linear_num_key_heads":1,"linear_num_value_heads":2,"linear_key_head_dim":16,"linear_value_head_dim":64,
"full_attention_interval":2,"rope_parameters":{"rope_theta":10000},"initializer_range":0.2}}`},
}

// each runs a test over a new model of each architecture, on its engine's thread.
func each(t *testing.T, threads int, f func(t *testing.T, e *torch.Engine, m nn.Decoder, dir string)) {
	for _, a := range architectures {
		t.Run(a.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := nn.Create([]byte(a.config), 7, dir); err != nil {
				t.Fatal(err)
			}
			e := torchtest.Threads(t, threads)
			torchtest.Do(t, e, func() { f(t, e, load(e, dir), dir) })
		})
	}
}

// load is the model in dir; it ends with the test's engine.
func load(e *torch.Engine, dir string) nn.Decoder {
	m, err := models.Load(e, dir, nn.Options{})
	if err != nil {
		panic(err)
	}
	return m
}

func tokens(rng *rand.Rand, n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = rng.Int32N(vocabulary)
	}
	return all
}

// texts are n sequences of very different lengths.
func texts(rng *rand.Rand, n int) [][]int32 {
	all := make([][]int32, n)
	for i := range all {
		all[i] = tokens(rng, 1+rng.IntN(1+rng.IntN(140)))
	}
	return all
}
