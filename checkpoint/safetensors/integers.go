package safetensors

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// integers reads a JSON list of at most so many whole numbers; never nil. encoding/json would take null for one.
func integers(text []byte, most int) ([]int64, error) {
	inner, list := bytes.CutPrefix(text, []byte("["))
	inner = bytes.TrimSpace(bytes.TrimSuffix(inner, []byte("]")))
	all := make([]int64, 0, min(most, 4))
	if !list {
		return nil, errors.New("expected a list of numbers")
	}
	if len(inner) == 0 {
		return all, nil
	}
	for part := range bytes.SplitSeq(inner, []byte(",")) {
		if len(all) == most {
			return nil, fmt.Errorf("expected at most %d numbers", most)
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(part)), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("expected a whole number: %w", err)
		}
		if n == 0 && bytes.ContainsRune(part, '-') { // which the reference takes for a fraction
			return nil, errors.New("-0: expected a whole number")
		}
		all = append(all, n)
	}
	return all, nil
}
