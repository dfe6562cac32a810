package tokenizer_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/hone-rl/hone/tokenizer"
)

func TestQwen(t *testing.T) {
	for _, test := range []struct {
		name  string
		size  int
		think bool // <think> is a token
	}{
		{"qwen2_5", 151665, false},
		{"qwen3", 151669, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			tok := qwen(t, test.name)
			if got := tok.VocabSize(); got != test.size {
				t.Errorf("VocabSize() = %d, want %d", got, test.size)
			}
			all := lines(t)
			if len(all) != 600 {
				t.Fatalf("%d lines, want 600", len(all))
			}
			for i, l := range all {
				want := l.IDs[test.name]
				if got := tok.Encode(l.Text); !slices.Equal(got, want) {
					t.Errorf("line %d: Encode(%q)\n got %v\nwant %v", i+1, l.Text, got, want)
				}
				if got, text := tok.Decode(want), norm.NFC.String(l.Text); got != text {
					t.Errorf("line %d: Decode gave %q, want %q", i+1, got, text)
				}
			}
			_, think := tok.ID("<think>")
			if think != test.think {
				t.Errorf("ID(<think>) there: %t, want %t", think, test.think)
			}
			// Ids checked once against tokenizers 0.23.3.
			for text, want := range map[string][]int32{
				"":                        {},
				"<|im_start|>user\n":      {151644, 872, 198},
				"<|im_start|>\u0338a":     {151644, 136, 116, 64},
				"'ſa":                     {6, 144815, 64},
				"\x85 a":                  nil, // not UTF-8
				"a\u2028b":                {64, 378, 101, 65},
				"it'LLx":                  {275, 6, 4086, 87},
				"<|endoftext|><|im_end|>": {151643, 151645},
			} {
				if got := tok.Encode(text); want != nil && !slices.Equal(got, want) {
					t.Errorf("Encode(%q) = %v, want %v", text, got, want)
				}
				if got, want := tok.Decode(tok.Encode(text)), norm.NFC.String(text); got != want && !strings.Contains(text, "\u0338") {
					t.Errorf("Decode(Encode(%q)) = %q, want %q", text, got, want)
				}
			}
			if got := tok.EncodePlain("<|im_end|>"); len(got) < 2 || tok.Decode(got) != "<|im_end|>" {
				t.Errorf("EncodePlain(<|im_end|>) = %v, want it spelt out", got)
			}
			long(t, tok)
		})
	}
}

// long asserts that no text makes encoding quadratic: 100 kB without a place to cut took 35 ms when this was
// written and takes minutes if every merge looks at the whole text.
func long(t *testing.T, tok *tokenizer.Tokenizer) {
	t.Helper()
	for _, unit := range []string{"a", "ab", "æ", " ", "\n", "'", "<", "<|im_star", "\u0301", "\xff"} {
		text := strings.Repeat(unit, 100_000/len(unit))
		start := time.Now()
		ids := tok.Encode(text)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("100 kB of %q took %s", unit, took)
		}
		if got := tok.Decode(ids); unit != "\u0301" && got != text {
			t.Errorf("100 kB of %q do not come back", unit)
		}
	}
}

func TestDecodeUnknown(t *testing.T) {
	tok := small(t, tokenizer.SplitPhrase)
	ids := append([]int32{-1, 1 << 30, int32(tok.VocabSize())}, tok.Encode("go")...)
	if got := tok.Decode(ids); got != "go" {
		t.Errorf("Decode(%v) = %q, want %q", ids, got, "go")
	}
}

// TestGoroutines is for the race detector; the answers are those of one goroutine.
func TestGoroutines(t *testing.T) {
	tok := small(t, tokenizer.SplitPhrase)
	texts := make([]string, 200)
	want := make([][]int32, len(texts))
	alone := small(t, tokenizer.SplitPhrase)
	for i := range texts {
		texts[i] = strings.Repeat("go to shelf ", i%7) + strings.Repeat("take apple, ", i%5)
		want[i] = alone.Encode(texts[i])
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i, text := range texts {
				if got := tok.Encode(text); !slices.Equal(got, want[i]) {
					t.Errorf("Encode(%q) = %v, want %v", text, got, want[i])
				}
			}
		})
	}
	group.Wait()
}
