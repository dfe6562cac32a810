package folder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// unknown is an error of tensors that neither the architecture has nor weights of it may hold besides: they belong to a
// model that computes something else than config.json says, and no loader would take them.
func unknown(m checkpoint.Model, tensors []safetensors.Tensor) error {
	var wrong []error
	extra := extras(m, tensors)
	for i, t := range extra {
		if i == mostWrong {
			wrong = append(wrong, fmt.Errorf("and %d tensors more", len(extra)-mostWrong))
			break
		}
		wrong = append(wrong, fmt.Errorf("tensor %s of shape %v: the architecture of %s has no place for it", t.Name, t.Shape, checkpoint.ConfigName))
	}
	return errors.Join(wrong...)
}

func extras(m checkpoint.Model, tensors []safetensors.Tensor) (extra []safetensors.Tensor) {
	known := map[string]bool{}
	for _, t := range m.Tensors() {
		known[t.Name] = true
	}
	for _, t := range tensors {
		if !known[t.Name] && !checkpoint.Spare(m, t.Name) {
			extra = append(extra, t)
		}
	}
	return extra
}

// alike names the tensor that a missing one may have been renamed to: of its shape, under a name that begins and ends
// as the missing one's does, for more than half of it. "" if there is none.
func alike(missing checkpoint.Tensor, m checkpoint.Model, tensors []safetensors.Tensor) string {
	best, most := "", len(missing.Name)/2
	for _, t := range extras(m, tensors) {
		if same := common(t.Name, missing.Name); slices.Equal(t.Shape, missing.Shape) && same > most {
			best, most = t.Name, same
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (is it %s?)", best)
}

// common is how many bytes two names have alike at their beginnings and ends together.
func common(a, b string) int {
	short := min(len(a), len(b))
	front := 0
	for front < short && a[front] == b[front] {
		front++
	}
	back := 0
	for back < short-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	return front + back
}
