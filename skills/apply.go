package skills

import (
	"errors"
	"fmt"
)

// ErrMisfit means that changes are not for the library that they were to be applied to, or not what its rules give.
var ErrMisfit = errors.New("the changes do not fit the library")

// Apply is the library after the changes, and the only way to it. Each change is held against l and its rules: what
// Next would not have said of the same episodes is ErrMisfit, and names the change. l stays as it is.
func (l *Library) Apply(c Changes) (*Library, error) {
	next, err := l.apply(c)
	if err != nil {
		return nil, fmt.Errorf("apply step %d: %w: %w", c.Step, ErrMisfit, err)
	}
	return next, nil
}

func (l *Library) apply(c Changes) (*Library, error) {
	if want := l.step + 1; c.Step != want {
		return nil, fmt.Errorf("step: %d, expected %d", c.Step, want)
	}
	before, err := l.Digest()
	if err != nil {
		return nil, err
	}
	if c.Before != before {
		return nil, fmt.Errorf("before: %s, expected %s, the library at step %d", c.Before, before, l.step)
	}
	d := newDraft(l)
	for i, one := range c.List {
		if err := d.add(one); err != nil {
			return nil, fmt.Errorf("change %d: %w", i+1, err)
		}
	}
	if missing := d.retiring(); len(missing) > 0 {
		return nil, fmt.Errorf("%d skills, expected the capacity, %d: %s is to retire", len(d.skills)-len(d.gone), d.rules.Capacity, missing[0].ID)
	}
	next, err := d.library()
	if err != nil {
		return nil, err
	}
	after, err := next.Digest()
	if err != nil {
		return nil, err
	}
	if c.After != after {
		return nil, fmt.Errorf("after: %s, expected %s, which these changes make", c.After, after)
	}
	return next, nil
}

// Rebuild is the library that the lists, of one step after the other, make of first.
func Rebuild(first *Library, lists ...Changes) (*Library, error) {
	l := first
	for _, c := range lists {
		next, err := l.Apply(c)
		if err != nil {
			return nil, err
		}
		l = next
	}
	return l, nil
}
