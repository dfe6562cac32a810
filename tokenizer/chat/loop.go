package chat

import (
	"errors"
	"fmt"
)

// loop is what a template knows as loop.
type loop struct {
	index    int
	items    []any
	lastSeen []any // of changed
}

// items are what for goes through: the items of a list, the keys of a dict, the characters of a text.
func (r *run) items(v any) ([]any, error) {
	switch v := v.(type) {
	case *list:
		return v.items, nil
	case *dict:
		return v.keys, nil
	case string:
		if err := r.made(16 * len(v)); err != nil {
			return nil, err
		}
		items := make([]any, 0, len(v))
		for _, c := range v {
			items = append(items, string(c))
		}
		return items, nil
	case undefined:
		return nil, nil
	}
	return nil, fmt.Errorf("%s cannot be gone through", kind(v))
}

func (r *run) loop(n *forNode) error {
	over, err := r.eval(n.over)
	if err != nil {
		return err
	}
	items, err := r.items(over)
	if err != nil {
		return err
	}
	outer := r.scope
	if n.condition != nil {
		var kept []any
		for _, item := range items {
			err := r.within(outer, func() error {
				if err := r.bind(n, item); err != nil {
					return err
				}
				v, err := r.eval(n.condition)
				if truth(v) {
					kept = append(kept, item)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		items = kept
	}
	if len(items) == 0 {
		return r.body(n.otherwise)
	}
	state := &loop{items: items}
	for i, item := range items {
		state.index = i
		err := r.within(outer, func() error {
			if err := r.bind(n, item); err != nil {
				return err
			}
			r.scope.names["loop"] = state
			return r.body(n.body)
		})
		switch {
		case errors.Is(err, errBreak):
			return nil
		case err != nil && !errors.Is(err, errContinue):
			return err
		}
	}
	return nil
}

// bind gives the item to the loop's names.
func (r *run) bind(n *forNode, item any) error {
	if err := r.step(); err != nil {
		return err
	}
	if len(n.names) == 1 {
		r.scope.names[n.names[0]] = item
		return nil
	}
	parts, err := r.items(item)
	if err != nil {
		return err
	}
	if len(parts) != len(n.names) {
		return fmt.Errorf("for: %d values for %d names", len(parts), len(n.names))
	}
	for i, name := range n.names {
		r.scope.names[name] = parts[i]
	}
	return nil
}

// attribute is loop.name.
func (l *loop) attribute(name string) any {
	n := len(l.items)
	switch name {
	case "index":
		return l.index + 1
	case "index0":
		return l.index
	case "revindex":
		return n - l.index
	case "revindex0":
		return n - l.index - 1
	case "first":
		return l.index == 0
	case "last":
		return l.index == n-1
	case "length":
		return n
	case "depth": // counts loops that call themselves, which are not supported
		return 1
	case "depth0":
		return 0
	case "previtem":
		if l.index > 0 {
			return l.items[l.index-1]
		}
		return undefined("there is no previous item")
	case "nextitem":
		if l.index < n-1 {
			return l.items[l.index+1]
		}
		return undefined("there is no next item")
	case "cycle":
		return function(func(_ *run, args []any, _ map[string]any) (any, error) {
			if len(args) == 0 {
				return nil, errors.New("loop.cycle: no items")
			}
			return args[l.index%len(args)], nil
		})
	case "changed":
		return function(func(r *run, args []any, _ map[string]any) (any, error) {
			same := false
			if l.lastSeen != nil {
				var err error
				if same, err = r.equal(&list{items: args}, &list{items: l.lastSeen}); err != nil {
					return nil, err
				}
			}
			l.lastSeen = append([]any{}, args...)
			return !same, nil
		})
	}
	return undefined("loop." + name)
}
