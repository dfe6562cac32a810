package reward

import (
	"slices"
	"strings"
)

// normal is a value with which options are compared: the first of the colours that it contains, or itself.
func normal(value string) string {
	for _, c := range colours {
		if strings.Contains(value, c) {
			return c
		}
	}
	return value
}

// colourAmong is the first of the colours that one of texts is. To contain one, as with a value alone, is not enough:
// the original asks whether a colour is in the pair.
func colourAmong(texts ...string) (string, bool) {
	for _, c := range colours {
		if slices.Contains(texts, c) {
			return c, true
		}
	}
	return "", false
}

// Colours are the words of colours in the order that decides where a value contains several.
func Colours() []string { return slices.Clone(colours) }

// colours are WebShop's (web_agent_site/engine/normalize.py, under the MIT licence of its authors), in its order, which
// decides where a value contains several: "standard" is tan, and "washed" is ash.
var colours = strings.Fields(`
	alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo
	caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream crystal
	dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather indigo ivory
	ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom
	mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire
	seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white
	wine yellow
`)
