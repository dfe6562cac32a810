package nn

import (
	"fmt"

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
