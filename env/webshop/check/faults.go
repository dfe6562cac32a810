package check

import (
	"errors"
	"fmt"
	"slices"
)

// errNoted is the error of a case whose part cannot be compared, which is noted.
var errNoted = errors.New("noted")

// faults are why something of a kind cannot be compared.
type faults struct {
	kind  Kind
	first []error // at most keptDifferences
	more  int
}

func (c *checker) fault(kind Kind, err error) {
	i := slices.IndexFunc(c.faults, func(f *faults) bool { return f.kind == kind })
	if i < 0 {
		i = len(c.faults)
		c.faults = append(c.faults, &faults{kind: kind})
	}
	if f := c.faults[i]; len(f.first) < keptDifferences {
		f.first = append(f.first, fmt.Errorf("%s: %w", kind, err))
	} else {
		f.more++
	}
}

// faulty is all that cannot be compared, nil for nothing.
func (c *checker) faulty() error {
	var all []error
	for _, f := range c.faults {
		all = append(all, f.first...)
		if f.more > 0 {
			all = append(all, fmt.Errorf("%s: %d more", f.kind, f.more))
		}
	}
	return errors.Join(all...)
}
