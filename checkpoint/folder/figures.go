package folder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// Figures are what a model's config and headers say of it.
type Figures struct {
	Architecture string           `json:"architecture"`
	Parameters   int64            `json:"parameters"` // of the language model; a tied head counts once
	Carried      int64            `json:"carried"`    // elements of what else is in the weights, such as a vision tower
	Types        map[string]int64 `json:"types"`      // elements by dtype
	Tensors      int              `json:"tensors"`
	Vocabulary   int              `json:"vocabulary"`
	Positions    int              `json:"positions"`
	Bytes        int64            `json:"bytes"` // of all files
}

func (f *Figures) model(m checkpoint.Model) {
	f.Architecture = m.Architecture()
	f.Vocabulary, f.Positions = m.Limits()
}

// Describe gathers figures of a model that is elsewhere, from its config and its weights' headers. Bytes stays 0.
func Describe(m checkpoint.Model, tensors []safetensors.Tensor) (Figures, error) {
	var f Figures
	f.model(m)
	err := f.weights(m, tensors)
	return f, err
}

// mostWrong is how many tensors an error names.
const mostWrong = 12

// weights counts tensors and compares them with the architecture's. What is more than those is carried.
func (f *Figures) weights(m checkpoint.Model, tensors []safetensors.Tensor) error {
	f.Tensors, f.Types = len(tensors), map[string]int64{}
	byName := make(map[string]*safetensors.Tensor, len(tensors))
	all := int64(0)
	for i, t := range tensors {
		n := checkpoint.Tensor{Shape: t.Shape}.Elements()
		f.Types[string(t.DType)] += n
		all += n
		byName[t.Name] = &tensors[i]
	}
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	for _, want := range m.Tensors() {
		got := byName[want.Name]
		switch {
		case got == nil:
			bad("no tensor %s, expected one of shape %v%s", want.Name, want.Shape, alike(want, m, tensors))
			continue
		case !slices.Equal(got.Shape, want.Shape):
			bad("tensor %s has shape %v, expected %v by %s", want.Name, got.Shape, want.Shape, checkpoint.ConfigName)
		case !floating(got.DType):
			bad("tensor %s has dtype %s, expected F32, F16 or BF16", want.Name, got.DType)
		}
		f.Parameters += want.Elements()
	}
	f.Carried = all - f.Parameters
	if more := len(wrong) - mostWrong; more > 0 {
		wrong = append(wrong[:mostWrong], fmt.Errorf("and %d tensors more", more))
	}
	return errors.Join(wrong...)
}

func floating(t safetensors.DType) bool {
	return t == safetensors.F32 || t == safetensors.F16 || t == safetensors.BF16
}
