package ask

import (
	"strings"

	"github.com/hone-rl/hone/agent"
)

// Deed is what a command does, by types.
type Deed struct {
	Name    string // "take mug from cabinet" of "take mug 1 from cabinet 3", "open the product" of a click on one
	Place   string // where it goes: to a place of a household, or another page of a shop; "" of what goes nowhere
	Subtask string // which part of a task it is, by the names that prompts ask for; of what goes nowhere
}

// Deed is what a command does in the world.
func (w World) Deed(command string) Deed { return w.words().deed(command) }

func inHousehold(command string) Deed {
	d := Deed{Name: agent.Template(command), Subtask: "use appliance"}
	switch word, rest, _ := strings.Cut(d.Name, " "); word {
	case "take":
		d.Subtask = "pick up"
	case "move", "put":
		d.Subtask = "place"
	case "go":
		if place, ok := strings.CutPrefix(rest, "to "); ok {
			d.Place, d.Subtask = place, ""
		}
	}
	return d
}

// clicks are the buttons of a shop.
var clicks = map[string]Deed{
	"buy now":        {Name: "buy", Subtask: "buy"},
	"next >":         going("next page"),
	"< prev":         going("page before"),
	"back to search": going("back to search"),
	"description":    readMore, "features": readMore, "reviews": readMore, "attributes": readMore,
}

var readMore = Deed{Name: "read more", Subtask: "open product"}

func going(name string) Deed { return Deed{Name: name, Place: name} }

// inShop tells, of what can be clicked, a product from a value of an option by its number.
func inShop(command string) Deed {
	what, ok := strings.CutPrefix(command, "click[")
	if !ok {
		return Deed{Name: agent.Template(command), Subtask: "search"}
	}
	what = strings.TrimSuffix(what, "]")
	switch known, ok := clicks[what]; {
	case ok:
		return known
	case isASIN(what):
		return going("open the product")
	}
	return Deed{Name: "choose an option", Subtask: "choose options"}
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
