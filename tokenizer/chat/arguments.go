package chat

import "fmt"

// call is the arguments of a filter, a test or a method.
type call struct {
	name  string
	args  []any
	named map[string]any
}

// take returns the arguments for parameters in order; one that is missing is its default. Others are an error.
func (c call) take(params ...param) ([]any, error) {
	if len(c.args) > len(params) {
		return nil, fmt.Errorf("%s takes %d arguments, not %d", c.name, len(params), len(c.args))
	}
	values := make([]any, len(params))
	known := 0
	for i, p := range params {
		named, given := c.named[p.name]
		if given {
			known++
		}
		switch {
		case i < len(c.args):
			values[i] = c.args[i]
		case given:
			values[i] = named
		case p.needed:
			return nil, fmt.Errorf("%s: the argument %s is missing", c.name, p.name)
		default:
			values[i] = p.missing
		}
	}
	if known < len(c.named) {
		return nil, fmt.Errorf("%s has an argument that is not supported", c.name)
	}
	return values, nil
}

// param is a parameter, by its name in Python.
type param struct {
	name    string
	missing any
	needed  bool
}

func need(name string) param { return param{name: name, needed: true} }

func or(name string, missing any) param { return param{name: name, missing: missing} }

// text is an argument that must be one.
func (c call) text(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s: %s, expected str", c.name, kind(v))
	}
	return s, nil
}

func (c call) whole(v any) (int, error) {
	i, ok := v.(int)
	if !ok {
		return 0, fmt.Errorf("%s: %s, expected int", c.name, kind(v))
	}
	return i, nil
}
