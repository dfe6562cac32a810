package webshop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// noPrice is what a product without a price costs.
const noPrice = 100.0

// prices reads a price text: what follows each "$", of which only digits and dots count, so that no price is negative.
// The first two are kept.
func prices(text string) ([]float64, error) {
	if text == "" {
		return []float64{noPrice}, nil
	}
	pieces := strings.Split(text, "$")[1:]
	if len(pieces) == 0 {
		return nil, fmt.Errorf(`pricing %.100q has no "$", expected a price such as "$9.99" or nothing`, text)
	}
	list := make([]float64, 0, len(pieces))
	for _, piece := range pieces {
		digits := strings.Map(func(r rune) rune {
			if r == '.' || unicode.IsDigit(r) { // those of other scripts count for Python, and are refused below
				return r
			}
			return -1
		}, piece)
		price, err := strconv.ParseFloat(digits, 64)
		if err != nil || math.IsInf(price, 0) {
			return nil, fmt.Errorf(`pricing %.100q: %.40q after "$" is no number, expected one such as "9.99"`, text, piece)
		}
		list = append(list, price)
	}
	return list[:min(2, len(list))], nil
}

// tag is the price as pages show it.
func tag(prices []float64) string {
	text := "$" + python.Float(prices[0])
	if len(prices) > 1 {
		text += " to $" + python.Float(prices[1])
	}
	return text
}
