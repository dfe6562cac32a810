package tokenizer_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/scripts/bench"
	"github.com/hone-rl/hone/tokenizer"
	"github.com/hone-rl/hone/tokenizer/reference"
)

// BenchmarkPython is this package beside Python's tokenizers, one thread each. Encoding by Qwen2.5's vocabulary, by
// all-MiniLM-L6-v2's and by a phrase vocabulary of 2,048: of 1,000 recorded ALFWorld games (encode), of 4,000 lines of
// mixed text (mixed), and of these with all words forgotten that were seen before (cold). And the learning of the phrase
// vocabulary from the games.
func BenchmarkPython(b *testing.B) {
	texts, bytes := recorded(b, 1000)
	lines, lineBytes := mixedText(b, 4000)
	config := tokenizer.TrainConfig{Vocabulary: 2048, Split: tokenizer.SplitPhrase, Special: []string{end, "<|pad|>"}}
	phrase, err := tokenizer.Train(config, slices.Values(texts))
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := phrase.Save(filepath.Join(dir, "phrase")); err != nil {
		b.Fatal(err)
	}
	data, err := reference.Unpack(outside.Shared(b, "model-fixtures", "tokenizer", "qwen2_5", "tokenizer.json.xz"))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "qwen2.5.json"), data, 0o600); err != nil {
		b.Fatal(err)
	}
	published, err := tokenizer.Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	words := miniLM(b)
	peer := bench.Start(b, bench.Program{Environment: ".venv", Script: "tokenizer.py", Args: []string{
		bench.WriteJSON(b, texts), bench.WriteJSON(b, lines), "qwen2.5=" + filepath.Join(dir, "qwen2.5.json"),
		"minilm=" + filepath.Join(outside.MiniLM(b), "tokenizer.json"), "phrase=" + filepath.Join(dir, "phrase", "tokenizer.json"),
	}})
	for _, v := range []struct {
		name   string
		encode func(string) []int32
		forget func()
	}{
		{"qwen2.5", published.Encode, published.Forget},
		{"minilm", func(text string) []int32 { ids := words.Encode(text); return ids[1 : len(ids)-1] }, words.Forget},
		{"phrase", phrase.Encode, phrase.Forget},
	} {
		for _, round := range []struct {
			name   string
			texts  []string
			bytes  int
			forget func()
		}{{"encode", texts, bytes, func() {}}, {"mixed", lines, lineBytes, func() {}}, {"cold", lines, lineBytes, v.forget}} {
			b.Run(round.name+"/"+v.name, func(b *testing.B) {
				bench.Comparison{
					Unit: "MB", Work: float64(round.bytes) / 1e6,
					Ours: func(c *bench.Clock) (any, error) {
						round.forget()
						return encodeAll(v.encode, round.texts, c)
					},
					Peers: []bench.Rival{{Name: "tokenizers", Peer: peer, Round: round.name + ":" + v.name}},
				}.Run(b)
			})
		}
	}
	b.Run("train/phrase", func(b *testing.B) {
		bench.Comparison{
			Unit: "vocabularies", Work: 1,
			Ours: func(c *bench.Clock) (any, error) {
				var tok *tokenizer.Tokenizer
				if err := c.Time(func() (err error) {
					tok, err = tokenizer.Train(config, slices.Values(texts))
					return err
				}); err != nil {
					return nil, err
				}
				return merged(tok, filepath.Join(dir, "again"))
			},
			Peers: []bench.Rival{{Name: "tokenizers", Peer: peer, Round: "train:phrase"}},
		}.Run(b)
	})
}

// encodeAll returns the number of ids and their sum by text.
func encodeAll(encode func(string) []int32, texts []string, c *bench.Clock) ([][]int, error) {
	ids := make([][]int32, len(texts))
	err := c.Time(func() error {
		for i, text := range texts {
			ids[i] = encode(text)
		}
		return nil
	})
	sums := make([][]int, len(ids))
	for i, all := range ids {
		sums[i] = []int{len(all), 0}
		for _, id := range all {
			sums[i][1] += int(id)
		}
	}
	return sums, err
}

// merged are the tokens that a vocabulary's merges make, in their order.
func merged(tok *tokenizer.Tokenizer, dir string) ([]string, error) {
	if err := tok.Save(dir); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		return nil, err
	}
	var file struct{ Model struct{ Merges [][2]string } }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	var tokens []string
	for _, m := range file.Model.Merges {
		tokens = append(tokens, m[0]+m[1])
	}
	return tokens, nil
}

// recorded are the first n recorded games, each as one text of commands and answers.
func recorded(b *testing.B, n int) (texts []string, bytes int) {
	b.Helper()
	f, err := os.Open(outside.Shared(b, "alfworld-episodes", "train_trajectories.jsonl.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		b.Fatal(err)
	}
	for rows := json.NewDecoder(z); len(texts) < n; {
		var game struct{ Actions, Observations []string }
		if err := rows.Decode(&game); err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		for i, seen := range game.Observations {
			if i > 0 {
				text.WriteString("did: " + game.Actions[i-1] + "\n")
			}
			text.WriteString("now: " + seen + "\n")
		}
		texts = append(texts, text.String())
		bytes += text.Len()
	}
	return texts, bytes
}

// mixedText are lines of scripts/parity/mixed_text.py.
func mixedText(b *testing.B, n int) (lines []string, bytes int) {
	b.Helper()
	outside.NewPython(b).Read(b, &lines, "mixed_text.py", strconv.Itoa(n), "bench")
	for _, line := range lines {
		bytes += len(line)
	}
	return lines, bytes
}
