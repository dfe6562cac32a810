package reward

import (
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/fuzzy"
	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// attributes counts the wanted attributes that are near one of the product's, or stand word for word in its texts.
func attributes(goal *Goal, bought *Purchase) int {
	got := make([]fuzzy.Words, len(bought.Attributes))
	for i, a := range bought.Attributes {
		got[i] = fuzzy.New(a)
	}
	texts := []string{
		python.Lower(bought.Title), python.Lower(strings.Join(bought.Bullets, " ")), python.Lower(bought.Description),
	}
	hits := 0
	for _, a := range goal.Attributes {
		if anyNear(got, fuzzy.New(a)) || anyHas(texts, a) {
			hits++
		}
	}
	return hits
}

func anyHas(texts []string, part string) bool {
	for _, t := range texts {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}
