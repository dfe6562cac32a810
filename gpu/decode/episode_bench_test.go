package decode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/decode"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/scripts/bench"
	"github.com/hone-rl/hone/tokenizer/reference"
)

const (
	episodes   = 6
	turnsAsked = 8
	commands   = 30
)

// BenchmarkPythonEpisode is decisions among 30 admissible commands in six recorded walks through real ALFWorld games,
// the whole text so far as the prompt, in Qwen2.5's tokens: one decision at a time, episode after episode, and the six
// episodes turn by turn. Beside it are two ways in Python. Choices must agree.
func BenchmarkPythonEpisode(b *testing.B) {
	walks := recorded(b)
	inOrder, byTurn := slices.Concat(walks...), []gpu.Choice(nil)
	for turn := range turnsAsked {
		for _, w := range walks {
			byTurn = append(byTurn, w[turn])
		}
	}
	dir := benchModel(b)
	for _, c := range []struct {
		batch    int
		requests []gpu.Choice
	}{{1, inOrder}, {episodes, byTurn}} {
		b.Run(fmt.Sprintf("batch=%d", c.batch), func(b *testing.B) {
			peer := bench.Start(b, bench.Program{
				Environment: ".venv", Script: "decode.py",
				Args: []string{dir, bench.WriteJSON(b, c.requests), fmt.Sprint(c.batch)},
			})
			e := torchtest.Engine(b)
			m := loaded(b, e, dir)
			var rivals []bench.Rival
			for _, way := range []string{"generate", "loop"} {
				rivals = append(rivals, bench.Rival{Name: way, Peer: peer, Round: fmt.Sprintf("%s-%d-1", way, c.batch)})
			}
			bench.Comparison{
				Unit: "decisions", Work: float64(len(c.requests)), Peers: rivals,
				Ours: func(clock *bench.Clock) (any, error) {
					decoder := batcher(b, e, m, decode.Config{}) // nothing is remembered from round to round
					var chosen []int
					err := clock.Time(func() error {
						for part := range slices.Chunk(c.requests, c.batch) {
							answers, err := decoder.Choose(b.Context(), part)
							if err != nil {
								return err
							}
							for _, a := range answers {
								chosen = append(chosen, a.Index)
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

// recorded are the first walks of the hand-coded expert that have turns enough with commands enough. Token ids are
// numbered anew in the order of their appearance, so that they fit a small vocabulary.
func recorded(b *testing.B) [][]gpu.Choice {
	b.Helper()
	tokens, err := reference.Load(outside.Shared(b, "model-fixtures", "tokenizer", "qwen2_5"))
	if err != nil {
		b.Fatal(err)
	}
	numbers := map[int32]int32{}
	encode := func(text string) []int32 {
		ids := tokens.Encode(text)
		for i, id := range ids {
			n, found := numbers[id]
			if !found {
				n = int32(len(numbers))
				numbers[id] = n
			}
			ids[i] = n
		}
		return ids
	}
	var walks [][]gpu.Choice
	for _, game := range bench.GoldenGames(b, outside.Shared(b, "alfworld-golden")) {
		var walk []gpu.Choice
		var prompt []int32
		for _, r := range game.Walk(b, "handcoded") {
			if r.Command != nil {
				prompt = append(prompt, encode(*r.Command+"\n")...)
			}
			prompt = append(prompt, encode(strings.TrimSpace(r.Feedback)+"\n\n>")...)
			if len(r.Admissible) < commands || len(walk) == turnsAsked {
				continue
			}
			c := gpu.Choice{Prompt: slices.Clone(prompt)}
			for _, command := range r.Admissible[:commands] {
				c.Candidates = append(c.Candidates, encode(" "+command+"\n"))
			}
			walk = append(walk, c)
		}
		if len(walk) == turnsAsked {
			walks = append(walks, walk)
		}
		if len(walks) == episodes {
			break
		}
	}
	if len(walks) < episodes || len(numbers) > 2048 {
		b.Fatalf("%d walks with %d different tokens: expected %d and at most 2048", len(walks), len(numbers), episodes)
	}
	return walks
}
