package ask

import (
	"strings"

	"github.com/hone-rl/hone/agent"
)

// World is what a prompt says of the kind of game.
type World string

// The worlds.
const (
	Household World = "household" // ALFWorld and Hone's own households
	Shop      World = "shop"      // WebShop
)

// words are what prompts say differently from world to world, and what commands are called in lessons.
type words struct {
	role      string // who the model is, to begin with
	example   string // a query
	say       string // how one of the possible commands is given
	elsewhere string // where lessons come from
	subtasks  string // names of the parts of a task
	where     string // what the lesson on finding things is to say
	deed      func(command string) Deed
}

var (
	household = words{
		role:      "You do a task in a household by commands.",
		example:   "How is food warmed before it is served?",
		say:       "word for word,",
		elsewhere: "Other rooms, other times",
		subtasks:  "pick up, navigate, use appliance, place",
		where:     "where to go and look",
		deed:      inHousehold,
	}
	shop = words{
		role:      "You shop on a website by commands.",
		example:   "How is the right size of a garment found?",
		say:       "word for word, with words of your own in the place of <keywords>,",
		elsewhere: "Other goods, other wishes",
		subtasks:  "search, open product, choose options, buy",
		where:     "what to search for and where to look",
		deed:      inShop,
	}
)

func (w World) words() words {
	if w == Shop {
		return shop
	}
	return household
}

// shelf is a text of a shop as small models read it. Commands are read in lower case there (reply.Projection), so that what
// is to be clicked stands in the prompt as it is said, and each word is one word.
func shelf(text string) string { return strings.ReplaceAll(strings.ToLower(text), " [sep] ", " | ") }

// Scene is what a model knows at a step.
type Scene struct {
	World World
	X     agent.X // the task, the last turns, the observation and what can be said
	// Taken is how many commands were given before, those that History has forgotten too.
	Taken  int
	Skills []Skill // shown with the task, the best first
}

// Skill is what a prompt shows of one.
type Skill struct {
	Head     string // when it applies
	Strategy string // what to do
}

// Episode is what a lesson is drawn from.
type Episode struct {
	World World
	Task  string
	Won   bool
	Turns []agent.Turn // all
	Last  string       // what the game said to the last command
	// Other is an episode of the same task that ended the other way; nil where there is none.
	Other *Episode
}
