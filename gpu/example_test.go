package gpu_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu"
)

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		example gpu.Example
		want    []gpu.Span
	}{
		"one":   {gpu.Example{Tokens: make([]int32, 5), Answer: 3}, []gpu.Span{{3, 5}}},
		"three": {gpu.Example{Tokens: make([]int32, 9), Answer: 1, Read: []gpu.Span{{2, 4}, {6, 8}}}, []gpu.Span{{1, 2}, {4, 6}, {8, 9}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.example.Check(); err != nil {
				t.Fatal(err)
			}
			if got := slices.Collect(c.example.Answers()); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			n := 0
			for _, a := range c.want {
				n += a.To - a.From
			}
			if got := len(c.example.Learned()); got != n {
				t.Errorf("%d tokens, want %d", got, n)
			}
		})
	}
}

func TestExampleCheck(t *testing.T) {
	tokens := make([]int32, 9)
	for name, x := range map[string]gpu.Example{
		"nothing before the answer": {Tokens: tokens, Answer: 0},
		"no answer":                 {Tokens: tokens, Answer: 9},
		"read from the beginning":   {Tokens: tokens, Answer: 3, Read: []gpu.Span{{3, 4}}},
		"read to the end":           {Tokens: tokens, Answer: 3, Read: []gpu.Span{{5, 9}}},
		"read beyond the end":       {Tokens: tokens, Answer: 3, Read: []gpu.Span{{5, 10}}},
		"nothing read":              {Tokens: tokens, Answer: 3, Read: []gpu.Span{{5, 5}}},
		"no answer between":         {Tokens: tokens, Answer: 3, Read: []gpu.Span{{4, 6}, {6, 7}}},
		"descending":                {Tokens: tokens, Answer: 2, Read: []gpu.Span{{6, 7}, {3, 4}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := x.Check(); err == nil {
				t.Errorf("%+v: got no error", x)
			}
		})
	}
}
