package minilm

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// passRows is how many rows one pass takes, a text always whole: of 256 tokens and these sizes, 50 MB of activations.
const passRows = 8192

// Batch is packed texts.
type Batch struct {
	tokens []int64
	places []int64 // of each row in its text
	rows   torch.Sequences
}

// NewBatch packs texts of at least one token each. Texts of zeros, which are thrown away, pad it to rows rows.
func NewBatch(texts [][]int32, rows int) *Batch {
	b := &Batch{rows: torch.Sequences{Offset: []int64{0}}}
	for _, text := range texts {
		b.add(text)
	}
	for len(b.tokens) < rows {
		b.add(make([]int32, min(16, rows-len(b.tokens))))
	}
	return b
}

func (b *Batch) add(text []int32) {
	b.rows.KeyStart = append(b.rows.KeyStart, int64(len(b.tokens)))
	for i, t := range text {
		b.tokens = append(b.tokens, int64(t))
		b.places = append(b.places, int64(i))
		b.rows.Position = append(b.rows.Position, int64(len(text)-1)) // every row sees its whole text
	}
	b.rows.Offset = append(b.rows.Offset, int64(len(b.tokens)))
}

// Embed is the unit vector of each text, given as token ids with [CLS] and [SEP], at most [MaxTokens] of them. A
// text's vector does not depend on the others: on the CPU bit for bit. It runs inside the engine's Do.
func (m *Model) Embed(ctx context.Context, texts [][]int32) ([][]float32, error) {
	for i, text := range texts {
		if err := m.check(text); err != nil {
			return nil, fmt.Errorf("minilm: text %d: %w", i, err)
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for len(vectors) < len(texts) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, rows := len(vectors), 0
		to := from
		for to < len(texts) && (to == from || rows+len(texts[to]) <= passRows) {
			rows += len(texts[to])
			to++
		}
		m.e.Scope(func() []*torch.Tensor {
			b := NewBatch(texts[from:to], nn.MinRows(m.e))
			flat := m.Forward(b).MeanUnit(b.rows.Offset[:to-from+1]).Floats()
			for ; len(flat) > 0; flat = flat[m.Config.Hidden:] {
				vectors = append(vectors, flat[:m.Config.Hidden:m.Config.Hidden])
			}
			return nil
		})
	}
	return vectors, nil
}

func (m *Model) check(text []int32) error {
	if most := min(MaxTokens, m.Config.Positions); len(text) == 0 || len(text) > most {
		return fmt.Errorf("%d tokens: expected 1 to %d", len(text), most)
	}
	for i, t := range text {
		if t < 0 || int(t) >= m.Config.Vocabulary {
			return fmt.Errorf("token %d is %d: the vocabulary has %d", i, t, m.Config.Vocabulary)
		}
	}
	return nil
}
