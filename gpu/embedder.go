package gpu

import "context"

// Embedder turns texts into vectors whose products say how alike they are. Close frees the device's memory.
type Embedder interface {
	// Embed is a vector of length 1 for each text, given as token ids as the model's tokenizer makes them: for
	// all-MiniLM-L6-v2 384 numbers, from [CLS] to [SEP] at most 256 ids. A text's vector does not depend on the
	// other texts; on a CPU it is the same bit for bit. A text that is empty, too long or has an unknown id is an
	// error that names it.
	Embed(ctx context.Context, texts [][]int32) ([][]float32, error)
	Close() error
}
