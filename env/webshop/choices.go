package webshop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/internal/exact"
)

// bullets decodes a list of texts, or one text for a list of one.
func bullets(value []byte) (list []string, err error) {
	switch {
	case value == nil:
		return nil, errors.New("there is none, expected a list of texts")
	case value[0] == '"':
		one, err := exact.Text(value)
		return []string{one}, err
	}
	err = exact.Elements(value, func(element []byte) error {
		s, err := exact.Text(element)
		list = append(list, s)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%.60q, expected a text or a list of texts", value)
	}
	return list, nil
}

// options decodes what may be chosen: an object of lists, or an empty text for none. A name in two spellings that
// differ in case only has the place of the first and the values of the last, as in a Python dictionary.
func options(value []byte) (list []Option, err error) {
	switch {
	case value == nil:
		return nil, errors.New("there are none, expected an object of lists or an empty text")
	case isNull(value) || string(value) == `""`:
		return nil, nil
	case value[0] != '{':
		return nil, fmt.Errorf("%.60q, expected an object of lists or an empty text", value)
	}
	err = exact.Members(value, func(name string, contents []byte) error {
		if isNull(contents) {
			return nil
		}
		o := Option{Name: python.Lower(name)}
		if err := exact.Elements(contents, func(element []byte) error {
			v, err := optionValue(element)
			if err != nil {
				return fmt.Errorf("value %d: %w", len(o.Values)+1, err)
			}
			o.Values = append(o.Values, v)
			return nil
		}); err != nil {
			return fmt.Errorf("%.100q: %w", name, err)
		}
		if at := slices.IndexFunc(list, func(before Option) bool { return before.Name == o.Name }); at >= 0 {
			list[at] = o
		} else {
			list = append(list, o)
		}
		return nil
	})
	return list, err
}

func optionValue(element []byte) (v string, err error) {
	var value []byte
	if err := exact.Members(element, func(name string, member []byte) error {
		if name == "value" {
			value = member
		}
		return nil
	}); err != nil {
		return "", err
	}
	v, err = text("value", value)
	return python.Lower(strings.ReplaceAll(python.Strip(v), "/", " | ")), err
}
