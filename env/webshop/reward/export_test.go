package reward

import "github.com/hone-rl/hone/env/webshop/internal/fuzzy"

var (
	Normal      = normal
	Colours     = colours
	ColourAmong = colourAmong
)

// OptionScore is how near a chosen value is to a wanted option.
func OptionScore(chosen string, o Option, named bool) int {
	return fuzzy.Score(fuzzy.New(normal(chosen)), wanted(o, named))
}
