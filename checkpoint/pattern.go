package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// Pattern gives a number to the layers whose path, from a dot on, matches.
type Pattern struct {
	expression string
	matches    *regexp.Regexp
	value      float64
}

// Of is the number of the first pattern that the path matches, or otherwise the value for all others.
func (p Patterns) Of(path string, otherwise float64) float64 {
	for _, p := range p {
		if p.matches.MatchString(path) {
			return p.value
		}
	}
	return otherwise
}

// Patterns are a JSON object in its own order, in which the first match counts.
type Patterns []Pattern

// UnmarshalJSON implements json.Unmarshaler.
func (p *Patterns) UnmarshalJSON(text []byte) error {
	*p = nil
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("patterns %.60s: expected an object", text)
	}
	seen := map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		one := Pattern{expression: key.(string)} // a key of an object is a string
		if seen[one.expression] {
			return fmt.Errorf("pattern %q stands twice", one.expression)
		}
		seen[one.expression] = true
		if err := decoder.Decode(&one.value); err != nil {
			return fmt.Errorf("pattern %q: %w", one.expression, err)
		}
		if one.matches, err = whole(`(?:.*\.)?`, one.expression); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p Patterns) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range p {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(one.expression)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}
