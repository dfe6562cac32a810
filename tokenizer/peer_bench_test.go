package tokenizer_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/hone-rl/hone/scripts/bench"
	"github.com/hone-rl/hone/tokenizer"
)

// BenchmarkPython is this tokenizer beside Python's tokenizers, one thread each, on 1,000 recorded ALFWorld games as
// texts: encoding by Qwen2.5's vocabulary and by a phrase vocabulary of 2,048 learned from them, and that learning.
func BenchmarkPython(b *testing.B) {
	texts, bytes := recorded(b, 1000)
	config := tokenizer.TrainConfig{Vocabulary: 2048, Split: tokenizer.SplitPhrase, Special: []string{end, "<|pad|>"}}
	phrase, err := tokenizer.Train(config, slices.Values(texts))
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := phrase.Save(filepath.Join(dir, "phrase")); err != nil {
		b.Fatal(err)
	}
	published, err := tokenizer.Parse(unpacked(b, filepath.Join(dir, "qwen2.5.json")))
	if err != nil {
		b.Fatal(err)
	}
	peer := bench.Start(b, bench.Program{Environment: ".venv", Script: "tokenizer.py", Args: []string{
		bench.WriteJSON(b, texts),
		"qwen2.5=" + filepath.Join(dir, "qwen2.5.json"), "phrase=" + filepath.Join(dir, "phrase", "tokenizer.json"),
	}})
	for _, v := range []struct {
		name string
		tok  *tokenizer.Tokenizer
	}{{"qwen2.5", published}, {"phrase", phrase}} {
		b.Run("encode/"+v.name, func(b *testing.B) {
			bench.Comparison{
				Unit: "MB", Work: float64(bytes) / 1e6,
				Ours:  func(c *bench.Clock) (any, error) { return encodeAll(v.tok, texts, c) },
				Peers: []bench.Rival{{Name: "tokenizers", Peer: peer, Round: "encode:" + v.name}},
			}.Run(b)
		})
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
func encodeAll(tok *tokenizer.Tokenizer, texts []string, c *bench.Clock) ([][]int, error) {
	ids := make([][]int32, len(texts))
	err := c.Time(func() error {
		for i, text := range texts {
			ids[i] = tok.Encode(text)
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
	f, err := os.Open(bench.Shared(b, "alfworld-episodes/train_trajectories.jsonl.gz"))
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

// unpacked is the published tokenizer.json, which it writes to path.
func unpacked(b *testing.B, path string) []byte {
	b.Helper()
	f, err := os.Open(bench.Shared(b, "model-fixtures/tokenizer/qwen2_5/tokenizer.json.xz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r, err := xz.NewReader(bufio.NewReader(f))
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	return data
}
