package reply

import "strings"

// Fault is why a reply is not in form. "" is none.
type Fault string

// The faults of an action. Where a reply has several, the first of this list counts.
const (
	NoAction Fault = "no action" // one of the tags <action> and </action> is missing
	Reversed Fault = "reversed"  // </action> stands before <action>
	NoThink  Fault = "no think"  // one of the tags <think> and </think> is missing
	Script   Fault = "script"    // a character of U+4E00 to U+9FFF: the model fell into Chinese
)

// Projection says how a reply becomes a command (verl-agent, env_package/*/projection.py).
type Projection struct {
	// Tail is how many characters of a reply without an action are sent to the game, from its end: 30 for ALFWorld and
	// 20 for WebShop in the published systems. They are hardly ever a command; the game says so.
	Tail int
	// Bare takes replies without <think> for valid: of models that think elsewhere or not at all.
	Bare bool
	// Literal reads reversed tags as published: an empty command, in form where the rest of the reply is.
	Literal bool `json:",omitempty"` // which keeps the keys of what was stored before
}

// Shop is the projection that is published for WebShop (verl-agent, env_package/webshop/projection.py).
var Shop = Projection{Tail: 20, Literal: true}

// Action is what a reply does.
type Action struct {
	Command string // for the game: lower case, without blanks around it
	Fault   Fault
}

// Valid says whether the reply is in form. Whether the command is admissible is not asked, as published.
func (a Action) Valid() bool { return a.Fault == "" }

// Action reads what stands between the first <action> and the first </action>, in lower case.
//
// Where the second stands before the first, the published code takes the empty text between them for a valid command.
// Here it is a fault, and the tail is sent as if there were no action, unless the projection is literal.
func (p Projection) Action(text string) Action {
	lower := strings.ToLower(text)
	open, shut := strings.Index(lower, "<action>"), strings.Index(lower, "</action>")
	switch {
	case open < 0 || shut < 0:
		return Action{tail(lower, p.Tail), NoAction}
	case shut < open && !p.Literal:
		return Action{tail(lower, p.Tail), Reversed}
	}
	from := open + len("<action>")
	a := Action{Command: strings.TrimSpace(lower[from:max(from, shut)])}
	switch {
	case !p.Bare && !thinks(text):
		a.Fault = NoThink
	case strings.ContainsFunc(text, chinese):
		a.Fault = Script
	}
	return a
}

func thinks(text string) bool {
	return strings.Contains(text, "<think>") && strings.Contains(text, "</think>")
}

func chinese(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

// tail is the last n characters of text.
func tail(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-max(0, n)):])
}
