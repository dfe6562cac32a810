package decode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/scripts/bench"
)

// peerRequests is how many decisions a round takes.
const peerRequests = 60

// BenchmarkPython is decisions of the small teacher beside two ways in Python, all together and one at a time: prompts
// of 70 to 90 tokens, 27 candidates of two tokens, nine first ones with three second ones each. Choices must agree.
func BenchmarkPython(b *testing.B) {
	dir := teacher(b)
	all := peerChoices()
	program := bench.Program{Environment: ".venv", Script: "decode.py", Args: []string{dir, bench.WriteJSON(b, all)}}
	peer := bench.Start(b, program)
	program.Spinning = true
	spinning := bench.Start(b, program)
	for _, batch := range []int{1, peerRequests} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("batch=%d/threads=%d", batch, threads), func(b *testing.B) {
				e := torchtest.Threads(b, threads)
				m := loaded(b, e, dir)
				var rivals []bench.Rival
				for _, way := range []string{"generate", "loop"} {
					round := fmt.Sprintf("%s-%d-%d", way, batch, threads)
					rivals = append(rivals, bench.Rival{Name: way, Peer: peer, Round: round})
					if threads > 1 {
						rivals = append(rivals, bench.Rival{Name: way + "-spinning", Peer: spinning, Round: round})
					}
				}
				bench.Comparison{
					Unit: "decisions", Work: peerRequests, Peers: rivals,
					Ours: func(c *bench.Clock) (any, error) {
						var chosen []int
						decoder := batcher(b, e, m, decode.Config{}) // nothing is remembered from round to round
						err := c.Time(func() error {
							for at := 0; at < len(all); at += batch {
								part, err := decoder.Choose(context.Background(), all[at:at+batch])
								if err != nil {
									return err
								}
								for _, one := range part {
									chosen = append(chosen, one.Index)
								}
							}
							return nil
						})
						return chosen, err
					},
				}.Run(b)
			})
		}
	}
}

func peerChoices() []gpu.Choice {
	rng := rand.New(rand.NewPCG(6, 6))
	all := make([]gpu.Choice, peerRequests)
	for i := range all {
		all[i].Prompt = make([]int32, 70+rng.IntN(21))
		for j := range all[i].Prompt {
			all[i].Prompt[j] = rng.Int32N(2048)
		}
		first, second := rng.Perm(2048), rng.Perm(2048)
		for j := range 27 {
			all[i].Candidates = append(all[i].Candidates, []int32{int32(first[j/3]), int32(second[j])})
		}
	}
	return all
}
