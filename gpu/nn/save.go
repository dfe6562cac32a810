package nn

import (
	"fmt"
	"io"

	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/torch"
)

// fileMetadata is what Hugging Face's libraries look for in a file before they read it.
var fileMetadata = map[string]string{"format": "pt"}

// SaveModel writes a model's weights into dir, which holds none: model.safetensors, or shards of at most limit bytes
// of tensors and their index. limit 0 is [safetensors.ShardSize]. Behind the parameters come the carried tensors, as
// they are.
func SaveModel(dir string, parameters []Parameter, limit int64, carried ...safetensors.Tensor) error {
	return safetensors.WriteModel(dir, fileMetadata, append(stored(parameters), carried...), limit)
}

// WholeSize is the most bytes of tensors that SaveBFloat16 writes into one file: what transformers does from version 5 on,
// and more than a model of 20 billion parameters has in bf16.
const WholeSize = 50_000_000_000

// SaveBFloat16 is SaveModel with the parameters rounded to bf16, to the nearest and of two as near to the even one, in one
// file up to WholeSize. A tensor is rounded when it is its turn, so that no second model is in memory. Carried tensors are
// written as they are.
func SaveBFloat16(e *torch.Engine, dir string, parameters []Parameter, carried ...safetensors.Tensor) error {
	tensors := stored(parameters)
	for i, p := range parameters {
		tensors[i].DType, tensors[i].Source = safetensors.BF16, rounded{e, p.Tensor}
	}
	return safetensors.WriteModel(dir, fileMetadata, append(tensors, carried...), WholeSize)
}

// rounded is a tensor's elements in bf16.
type rounded struct {
	e *torch.Engine
	t *torch.Tensor
}

func (r rounded) WriteTo(w io.Writer) (n int64, err error) {
	r.e.Scope(func() []*torch.Tensor {
		n, err = r.t.To(torch.BFloat16).WriteTo(w)
		return nil
	})
	return n, err
}

// stored are the parameters as a file has them. Their elements go to the file when it is their turn, one tensor at a
// time.
func stored(parameters []Parameter) []safetensors.Tensor {
	tensors := make([]safetensors.Tensor, len(parameters))
	for i, p := range parameters {
		tensors[i] = safetensors.Tensor{Name: p.Name, DType: storedType(p.Tensor.DType()), Shape: p.Tensor.Shape(), Source: p.Tensor}
	}
	return tensors
}

func storedType(dtype torch.DType) safetensors.DType {
	for name, d := range dtypes {
		if d == dtype {
			return name
		}
	}
	panic(fmt.Errorf("nn: type %d has no name in a file", dtype))
}
