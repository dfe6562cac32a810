// Package checkpoint is what the files of a model say without any tensor library: which architecture a config.json
// describes, which tensors its weights have, which of its layers are linear. Loading, planning and import stand on
// it; the weights themselves are read by [safetensors].
package checkpoint

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

// ConfigName is the file of the configuration in a model's folder.
const ConfigName = "config.json"

// Model is a language model as its config.json describes it.
type Model interface {
	// Architecture is the published name: "qwen2".
	Architecture() string
	// Tensors are those of the language model, in its order, named as in a checkpoint; a tied head is not among them.
	Tensors() []Tensor
	// Linears are the linear layers of the blocks, in the order of the model: what an adapter may stand beside.
	Linears() []Linear
	// Limits are the number of tokens and the longest sequence.
	Limits() (vocabulary, positions int)
	// Deviation is that of a new model's normal weights, the configuration's initializer_range.
	Deviation() float64
}

// Tensor is a tensor's name and shape.
type Tensor struct {
	Name  string
	Shape []int64
	Kind  Kind // what a new model puts there
}

// Kind says how a new model's tensor begins.
type Kind int

// Kinds of tensors. Normal ones are drawn with the configuration's initializer_range.
const (
	Normal Kind = iota
	Zeros
	Ones
	LogUniform // the logarithm of a number between 0.01 and 16
)

// Elements is the number of elements. [Parse] takes no configuration by which a model's would not fit.
func (t Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Carrier is a Model whose checkpoints may hold more than the language model.
type Carrier interface {
	Model
	// Carried says whether a tensor of that name is no part of the language model and goes unchanged into every
	// checkpoint made from one that has it.
	Carried(name string) bool
}

// Spare says whether weights of m may hold a tensor of that name beside those of [Model]: one that is carried, a tied
// head's copy of the embedding, or frequencies that old files hold. Whatever else there is belongs to a model that
// computes something else, and no loader takes it.
func Spare(m Model, name string) bool {
	if c, is := m.(Carrier); is && c.Carried(name) {
		return true
	}
	return name == HeadName || strings.HasSuffix(name, ".rotary_emb.inv_freq")
}

// HeadName is the tensor of the output's weights, which a model with tied ones has not.
const HeadName = "lm_head.weight"

// Linear is a linear layer: x [rows, In] gives [rows, Out].
type Linear struct {
	Path    string // of the module in transformers' causal language model, which adapters name
	In, Out int64
}

// Parameters is the number of elements of all tensors.
func Parameters(m Model) int64 {
	n := int64(0)
	for _, t := range m.Tensors() {
		n += t.Elements()
	}
	return n
}

// families are the readers of config.json by model_type.
var families = map[string]func(text []byte) (Model, error){
	"qwen2":        func(text []byte) (Model, error) { return ParseQwen2(text) },
	"qwen3_5":      func(text []byte) (Model, error) { return ParseQwen35(text) },
	"qwen3_5_text": func(text []byte) (Model, error) { return ParseQwen35(text) },
}

// maxText is the longest JSON file beside weights that is taken; published ones have some kilobytes.
const maxText = 16 << 20

// ReadText reads a file of JSON that stands beside weights. What is no file, or too long to be one of these, is an
// error before it is read.
func ReadText(path string) ([]byte, error) {
	return regular.Read(path, maxText)
}

// Read reads dir's config.json.
func Read(dir string) (Model, error) {
	path := filepath.Join(dir, ConfigName)
	text, err := ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", path, err)
	}
	return m, nil
}

// Parse reads a config.json, fills in what may be missing and refuses what cannot be computed here.
func Parse(text []byte) (Model, error) {
	var c struct {
		ModelType string `json:"model_type"`
	}
	if err := exact.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	family, ok := families[c.ModelType]
	if !ok {
		return nil, fmt.Errorf("model_type %q: expected one of %q", c.ModelType, slices.Sorted(maps.Keys(families)))
	}
	return family(text)
}
