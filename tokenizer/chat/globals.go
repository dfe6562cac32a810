package chat

import (
	"errors"
	"fmt"
)

// maxRange is Jinja2's bound in its sandbox.
const maxRange = 100_000

// globals are the functions that transformers gives a template.
var globals = map[string]function{
	"range": func(r *run, args []any, _ map[string]any) (any, error) {
		bounds := make([]int, len(args))
		for i, a := range args {
			whole, ok := a.(int)
			if !ok {
				return nil, fmt.Errorf("range of %s, expected int", kind(a))
			}
			bounds[i] = whole
		}
		start, step, end := 0, 1, 0
		switch len(bounds) {
		case 1:
			end = bounds[0]
		case 2:
			start, end = bounds[0], bounds[1]
		case 3:
			start, end, step = bounds[0], bounds[1], bounds[2]
		default:
			return nil, fmt.Errorf("range takes 1 to 3 arguments, not %d", len(args))
		}
		if step == 0 {
			return nil, errors.New("range: the step is 0")
		}
		var items []any
		for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
			if len(items) == maxRange {
				return nil, fmt.Errorf("range of more than %d", maxRange)
			}
			items = append(items, i)
		}
		return r.newList(items, false)
	},
	"namespace": func(_ *run, args []any, named map[string]any) (any, error) {
		ns := &namespace{map[string]any{}}
		for _, a := range args {
			d, ok := a.(*dict)
			if !ok {
				return nil, fmt.Errorf("namespace of %s, expected dict", kind(a))
			}
			for key, value := range d.values {
				ns.values[fmt.Sprint(key)] = value
			}
		}
		for name, value := range named {
			ns.values[name] = value
		}
		return ns, nil
	},
	"raise_exception": func(r *run, args []any, _ map[string]any) (any, error) {
		if len(args) != 1 {
			return nil, fmt.Errorf("raise_exception takes 1 argument, not %d", len(args))
		}
		text, err := r.show(args[0])
		if err != nil {
			return nil, err
		}
		return nil, &RaisedError{text}
	},
	"strftime_now": func(*run, []any, map[string]any) (any, error) {
		return nil, errors.New("strftime_now is not supported: a prompt would change with the day")
	},
}

// RaisedError is what a template says of a conversation that it refuses, by raise_exception.
type RaisedError struct{ Message string }

func (e *RaisedError) Error() string { return "the template refuses the conversation: " + e.Message }
