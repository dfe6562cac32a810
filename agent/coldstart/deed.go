package coldstart

import (
	"strings"

	"github.com/hone-rl/hone/agent"
)

// What is done in a shop, by types.
const (
	searchFor    = "search"
	openProduct  = "open the product"
	chooseOption = "choose an option"
	readMore     = "read more"
	nextPage     = "next page"
	lastPage     = "page before"
	backToSearch = "back to search"
	buy          = "buy"
)

// clicks are the buttons of a shop that are on many pages.
var clicks = map[string]string{
	"buy now": buy, "next >": nextPage, "< prev": lastPage, "back to search": backToSearch,
	"description": readMore, "features": readMore, "reviews": readMore, "attributes": readMore,
}

// deed is a command by types. Of what can be clicked in a shop, a product is told from a value of an option by its number.
func deed(command string) string {
	what, ok := strings.CutPrefix(command, "click[")
	if !ok {
		return agent.Template(command)
	}
	what = strings.TrimSuffix(what, "]")
	if known := clicks[what]; known != "" {
		return known
	}
	if isASIN(what) {
		return openProduct
	}
	return chooseOption
}

// isASIN says whether text is a product's number as pages offer it: ten letters and digits, a digit among them.
func isASIN(text string) bool {
	digit := false
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digit = true
		case r < 'a' || r > 'z':
			return false
		}
	}
	return digit && len(text) == 10
}
