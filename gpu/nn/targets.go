package nn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Targets that are not names of layers.
const (
	AllLinear    = "all-linear" // every linear layer of the blocks
	RegexpPrefix = "regexp:"    // what follows is an expression that a whole path matches, as PEFT's string is
)

// targets says which linear layers an adapter stands beside, as PEFT reads target_modules: a name is the whole path,
// or its end from a dot on.
type targets struct {
	names   []string
	found   []bool
	pattern *regexp.Regexp // instead of names
	all     bool           // instead of names
	any     bool           // something was found
}

func newTargets(config []string) (*targets, error) {
	if len(config) == 1 && config[0] == AllLinear {
		return &targets{all: true}, nil
	}
	if expression, is := strings.CutPrefix(config[0], RegexpPrefix); is && len(config) == 1 {
		pattern, err := whole(expression)
		if err != nil {
			return nil, fmt.Errorf("targets: %w", err)
		}
		return &targets{pattern: pattern}, nil
	}
	for _, name := range config {
		if name == AllLinear || strings.HasPrefix(name, RegexpPrefix) {
			return nil, fmt.Errorf("targets %q: %s stands alone", config, name)
		}
	}
	return &targets{names: config, found: make([]bool, len(config))}, nil
}

// whole is an expression that all of a text must match.
func whole(expression string) (*regexp.Regexp, error) {
	pattern, err := regexp.Compile("^(?:" + expression + ")$")
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w (look-around and back references are not supported)", expression, err)
	}
	return pattern, nil
}

func (t *targets) has(path string) bool {
	is := t.all || t.pattern != nil && t.pattern.MatchString(path)
	for i, name := range t.names {
		if path == name || strings.HasSuffix(path, "."+name) {
			is, t.found[i] = true, true
		}
	}
	t.any = t.any || is
	return is
}

// check is an error where nothing was found, or with strict a name.
func (t *targets) check(strict bool) error {
	for i, found := range t.found {
		if !found && strict {
			return fmt.Errorf("lora: target %q: the model has no such linear layer", t.names[i])
		}
	}
	if !t.any {
		what := any(t.names)
		if t.pattern != nil {
			what = t.pattern
		}
		return fmt.Errorf("lora: targets %v: the model has no such linear layer", what)
	}
	return nil
}

// pattern gives a number to the layers whose path, from a dot on, matches.
type pattern struct {
	expression string
	matches    *regexp.Regexp
	value      float64
}

// number is the first matching pattern's, or otherwise the value for all others.
func number(patterns []pattern, path string, otherwise float64) float64 {
	for _, p := range patterns {
		if p.matches.MatchString(path) {
			return p.value
		}
	}
	return otherwise
}

// patterns is a JSON object in its own order, in which the first match counts.
type patterns []pattern

// UnmarshalJSON implements json.Unmarshaler.
func (p *patterns) UnmarshalJSON(text []byte) error {
	*p = nil
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("patterns %.60s: expected an object", text)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		one := pattern{expression: key.(string)} // a key of an object is a string
		if err := decoder.Decode(&one.value); err != nil {
			return fmt.Errorf("pattern %q: %w", one.expression, err)
		}
		if one.matches, err = whole(`(?:.*\.)?(?:` + one.expression + `)`); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p patterns) MarshalJSON() ([]byte, error) {
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
