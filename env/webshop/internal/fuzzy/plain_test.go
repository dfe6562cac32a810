package fuzzy

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// plain is the score without short cuts: three ratios, all by difflib.
func plain(bought, wanted Words) int {
	if len(bought.list) == 0 || len(wanted.list) == 0 {
		return 0
	}
	shared, onlyBought, onlyWanted := split(bought, wanted)
	x := strings.Join(shared, " ")
	y := strings.TrimSpace(x + " " + strings.Join(onlyBought, " "))
	z := strings.TrimSpace(x + " " + strings.Join(onlyWanted, " "))
	return max(plainRatio(x, y), plainRatio(x, z), plainRatio(y, z))
}

func plainRatio(a, b string) int {
	switch {
	case a == b:
		return 100
	case a == "" || b == "":
		return 0
	}
	return percent(difflib.NewMatcher(strings.Split(a, ""), strings.Split(b, "")).Ratio())
}
