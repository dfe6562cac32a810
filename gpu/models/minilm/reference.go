package minilm

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/hone-rl/hone/internal/exact"
)

// Reference is texts and their unit vectors as sentence-transformers gives them, in the file's order.
type Reference []struct {
	Text   string    `json:"text"`
	Vector []float32 `json:"embedding"`
}

// ReadReference reads a JSON list of objects with text and embedding.
func ReadReference(path string) (Reference, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("minilm reference: %w", err)
	}
	var r Reference
	if err := exact.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("minilm reference %s: %w", path, err)
	}
	if len(r) == 0 {
		return nil, fmt.Errorf("minilm reference %s: no texts", path)
	}
	return r, nil
}

// MinCosine is the least cosine of a vector with its reference: 0.99999997 and better were seen in fp32.
const MinCosine = 0.9999

// Compare embeds the reference's texts, made ids by encode, and returns the least cosine of a vector with its
// reference. embed is [Model.Embed] or a gpu.Embedder's.
func (r Reference) Compare(ctx context.Context, encode func(string) []int32,
	embed func(context.Context, [][]int32) ([][]float32, error),
) (least float64, err error) {
	texts := make([][]int32, len(r))
	for i, one := range r {
		texts[i] = encode(one.Text)
	}
	vectors, err := embed(ctx, texts)
	if err != nil {
		return 0, err
	}
	least = 1
	for i, one := range r {
		if len(vectors[i]) != len(one.Vector) {
			return 0, fmt.Errorf("minilm reference: text %d: a vector of %d numbers, ours has %d", i, len(one.Vector), len(vectors[i]))
		}
		c := cosine(vectors[i], one.Vector)
		if math.IsNaN(c) {
			return 0, fmt.Errorf("minilm reference: text %d: the vector is not finite", i)
		}
		least = min(least, c)
	}
	return least, nil
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
