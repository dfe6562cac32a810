package reply

import (
	"strconv"
	"strings"
)

// Order is an order of n skills, each once, the best first, counted from 0.
type Order struct {
	Order []int
	// Parsed says whether the reply gave at least one place. An order that it did not give earns nothing.
	Parsed bool
}

// Rank reads the numbers, counted from 1, in the first <rank>…</rank>: those that stand twice or for no skill are left
// out, and skills that are not named follow in the order they were shown in. What is no number is passed over. With
// fewer than two skills there is nothing to order, and nothing is parsed.
func Rank(text string, n int) Order {
	o := Order{Order: make([]int, 0, max(0, n))}
	named := make([]bool, max(0, n))
	_, rest, open := strings.Cut(text, "<rank>")
	list, _, shut := strings.Cut(rest, "</rank>")
	if open && shut && n > 1 {
		for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r < '0' || r > '9' }) {
			i, err := strconv.Atoi(word)
			if err != nil || i < 1 || i > n || named[i-1] {
				continue
			}
			named[i-1] = true
			o.Order = append(o.Order, i-1)
		}
	}
	o.Parsed = len(o.Order) > 0
	for i := range named {
		if !named[i] {
			o.Order = append(o.Order, i)
		}
	}
	return o
}
