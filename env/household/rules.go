package household

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
)

// Rules are the language that games are written in. The same games can be written in any: what lies where and what
// is asked for does not depend on it.
type Rules struct {
	// Domain is a PDDL domain with ALFWorld's types, predicates and actions, such as its own alfred.pddl.
	Domain string
	// Grammar is a TWL2 grammar such as its own alfred.twl2, with "UNKNOWN GOAL" where the task sentence goes. The
	// sentences are worded as ALFWorld words them.
	Grammar string
}

// goalMark stands for the task sentence in a grammar.
const goalMark = "UNKNOWN GOAL"

var (
	//go:embed household.pddl
	domain string
	//go:embed household.twl2
	grammar string
)

// language is Rules made ready to write in.
type language struct {
	domain, name  string // the domain and what it is called
	before, after string // the grammar around the task sentence
	wordings      map[string][2]string
	vessels       map[string]bool // the kinds of things that others can be in, where the rules know of such
}

// ours are the rules and texts of this package.
var ours = func() *language {
	before, after, _ := strings.Cut(grammar, "TASK SENTENCE")
	return &language{domain: domain, name: "household", before: before, after: after, wordings: ourWordings}
}()

// language checks the rules. The zero Rules are our own.
func (r Rules) language() (*language, error) {
	if r == (Rules{}) {
		return ours, nil
	}
	if r.Domain == "" || r.Grammar == "" {
		return nil, errors.New("household: rules with a domain alone or a grammar alone, expected both or none")
	}
	if n := strings.Count(r.Grammar, goalMark); n != 1 {
		return nil, fmt.Errorf("household: the grammar says %q %d times, expected once", goalMark, n)
	}
	l := &language{domain: r.Domain, wordings: officialWordings, vessels: vessels}
	l.before, l.after, _ = strings.Cut(r.Grammar, goalMark)
	if list := words(r.Domain); len(list) > 4 && strings.Join(list[:4], " ") == "( define ( domain" {
		l.name = list[4]
	}
	if l.name == "" || l.name == ")" {
		return nil, errors.New("household: the domain does not begin with (define (domain NAME)")
	}
	return l, nil
}

// ourWordings of the task sentence: O is the target with its article, o without, R the destination or lamp.
var ourWordings = map[string][2]string{
	"pick_and_place_simple":          {"bring O to the R", "see that O ends up at the R"},
	"look_at_obj_in_light":           {"hold O in the light of the R", "switch on the R and study O next to it"},
	"pick_clean_then_place_in_recep": {"wash O and bring it to the R", "see that O ends up clean at the R"},
	"pick_heat_then_place_in_recep":  {"warm up O and bring it to the R", "see that O ends up hot at the R"},
	"pick_cool_then_place_in_recep":  {"chill O and bring it to the R", "see that O ends up cold at the R"},
	"pick_two_obj_and_place":         {"bring O and then another o to the same R", "see that O and a second o end up together at one R"},
}

// officialWordings are the forms in which ALFWorld words its tasks, of which it draws one a game.
var officialWordings = map[string][2]string{
	"pick_and_place_simple":          {"put a o in R", "put some o on R"},
	"look_at_obj_in_light":           {"look at o under the R", "examine the o with the R"},
	"pick_clean_then_place_in_recep": {"put a clean o in R", "clean some o and put it in R"},
	"pick_heat_then_place_in_recep":  {"put a hot o in R", "heat some o and put it in R"},
	"pick_cool_then_place_in_recep":  {"put a cool o in R", "cool some o and put it in R"},
	"pick_two_obj_and_place":         {"put two o in R", "find two o and put them in R"},
}

// vessels are the kinds that ALFWorld calls receptacle objects. Looking at one tells what is in it.
var vessels = kinds("Bowl", "Box", "Cup", "Mug", "Pan", "Plate", "Pot")
