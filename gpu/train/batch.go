package train

import (
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
)

// pack makes one batch of examples. The last token of each is only a target. Rows wanted are those that predict an
// answer token; targets are those tokens, in the same order.
func pack(examples []gpu.Example) (b *nn.Batch, targets []int64, err error) {
	b = nn.NewBatch()
	for i, x := range examples {
		if x.Answer < 1 || x.Answer >= len(x.Tokens) {
			return nil, nil, fmt.Errorf("example %d: answer at %d of %d tokens: expected 1 to below that", i, x.Answer, len(x.Tokens))
		}
		n := len(x.Tokens) - 1
		b.Add(x.Tokens[:n], 0, nn.Place{}, x.Answer-1, n)
		for _, t := range x.Tokens[x.Answer:] {
			targets = append(targets, int64(t))
		}
	}
	return b, targets, nil
}

// checked is pack with tokens and lengths held against the model.
func checked(model nn.Decoder, examples []gpu.Example) (*nn.Batch, []int64, error) {
	b, targets, err := pack(examples)
	if err != nil {
		return nil, nil, err
	}
	vocabulary, positions := model.Limits()
	if err := b.Check(vocabulary, positions); err != nil {
		return nil, nil, err
	}
	for _, t := range targets {
		if t < 0 || t >= int64(vocabulary) {
			return nil, nil, fmt.Errorf("token %d: the vocabulary has %d", t, vocabulary)
		}
	}
	return b, targets, nil
}
