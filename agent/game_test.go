package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/gpu"
)

// bytesEncoder has one token a byte.
type bytesEncoder struct{}

func (bytesEncoder) EncodePlain(text string) []int32 {
	ids := make([]int32, len(text))
	for i, b := range []byte(text) {
		ids[i] = int32(b)
	}
	return ids
}

func text(ids []int32) string {
	b := make([]byte, len(ids))
	for i, id := range ids {
		b[i] = byte(id)
	}
	return string(b)
}

// policy chooses as the func says, told the prompt and the candidates as text.
type policy func(prompt string, candidates []string) string

func (p policy) Choose(_ context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	chosen := make([]gpu.Chosen, len(requests))
	for i, r := range requests {
		names := make([]string, len(r.Candidates))
		for k, c := range r.Candidates {
			names[k] = strings.TrimSuffix(text(c), "\n")
		}
		want := p(text(r.Prompt), names)
		if chosen[i].Index = slices.Index(names, want); chosen[i].Index < 0 {
			return nil, fmt.Errorf("no candidate %q in %q", want, names)
		}
		chosen[i].LogProb = -0.5
	}
	return chosen, nil
}

func (policy) Sample(context.Context, []gpu.Sampling) ([]gpu.Sampled, error) {
	return nil, errors.New("not asked for here")
}

func (policy) Close() error { return nil }

// searcher looks on shelf 1, 2, 3 and brings the mug: what it does next follows from the prompt.
func searcher(prompt string, candidates []string) string {
	for _, c := range candidates {
		if strings.HasPrefix(c, "take ") || c == "move mug 1 to desk 1" {
			return c
		}
	}
	last := strings.LastIndex(prompt, "did: ")
	switch did, _, _ := strings.Cut(prompt[max(last, 0):], "\n"); {
	case strings.HasPrefix(did, "did: take"):
		return "go to desk 1"
	case did == "did: go to shelf 1":
		return "go to shelf 2"
	case did == "did: go to shelf 2":
		return "go to shelf 3"
	}
	return "go to shelf 1"
}

// looker never does anything.
func looker(string, []string) string { return "look" }

// wait is a fault that takes its time.
func wait(int) error { time.Sleep(20 * time.Millisecond); return context.DeadlineExceeded }
