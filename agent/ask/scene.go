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

// role is who the model is, to begin with.
func (w World) role() string {
	if w == Shop {
		return "You shop on a website by commands."
	}
	return "You do a task in a household by commands."
}

// example is a query in that world.
func (w World) example() string {
	if w == Shop {
		return "How is the right size of a garment found?"
	}
	return "How is food warmed before it is served?"
}

// say is how one of the possible commands is given.
func (w World) say() string {
	if w == Shop {
		return "word for word, with words of your own in the place of <keywords>,"
	}
	return "word for word,"
}

// elsewhere is where lessons come from.
func (w World) elsewhere() string {
	if w == Shop {
		return "Other goods, other wishes"
	}
	return "Other rooms, other times"
}

// subtasks are the names of the parts of a task.
func (w World) subtasks() string {
	if w == Shop {
		return "search, open product, choose options, buy"
	}
	return "pick up, navigate, use appliance, place"
}

// where is what the lesson on finding things is to say.
func (w World) where() string {
	if w == Shop {
		return "what to search for and where to look"
	}
	return "where to go and look"
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
