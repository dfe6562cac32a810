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
		if err := x.Check(); err != nil {
			return nil, nil, fmt.Errorf("example %d: %w", i, err)
		}
		var wanted []int
		for a := range x.Answers() {
			for at := a.From; at < a.To; at++ {
				wanted = append(wanted, at-1)
				targets = append(targets, int64(x.Tokens[at]))
			}
		}
		b.AddWanted(x.Tokens[:len(x.Tokens)-1], 0, nn.Place{}, wanted)
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
