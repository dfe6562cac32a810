package reward

import (
	"fmt"
	"math"
)

const (
	maxList = 1000 // attributes or options
	maxText = 4096 // bytes of one; the time of a comparison grows with both lengths
)

// check says what of a goal or a purchase makes no sense. WebShop fails at such a goal, or never ends.
func check(goal *Goal, bought *Purchase) error {
	switch {
	case len(goal.Attributes) == 0:
		return fmt.Errorf("goal %.20q: no attributes, expected at least one", goal.ASIN)
	case !(goal.MaxPrice > 0):
		return fmt.Errorf("goal %.20q: highest price %v, expected more than 0 dollars", goal.ASIN, goal.MaxPrice)
	case math.IsNaN(bought.Price):
		return fmt.Errorf("purchase %.20q: price %v, expected dollars", bought.ASIN, bought.Price)
	}
	names, values := make([]string, len(goal.Options)), make([]string, len(goal.Options))
	for i, o := range goal.Options {
		names[i], values[i] = o.Name, o.Value
	}
	for _, l := range []struct {
		what, asin, field string
		list              []string
	}{
		{"goal", goal.ASIN, "attributes", goal.Attributes},
		{"goal", goal.ASIN, "names of options", names},
		{"goal", goal.ASIN, "values of options", values},
		{"purchase", bought.ASIN, "attributes", bought.Attributes},
		{"purchase", bought.ASIN, "options", bought.Options},
	} {
		if len(l.list) > maxList {
			return fmt.Errorf("%s %.20q: %d %s, expected at most %d", l.what, l.asin, len(l.list), l.field, maxList)
		}
		for i, text := range l.list {
			if len(text) > maxText {
				return fmt.Errorf("%s %.20q: %s: number %d has %d bytes, expected at most %d", l.what, l.asin, l.field, i+1, len(text), maxText)
			}
		}
	}
	return nil
}
