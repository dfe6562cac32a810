package webshop

import (
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// maxAction is how long an action may be, in bytes. Longer ones do nothing; the original knows no bound.
const maxAction = 64 << 10

// The two kinds of actions.
const (
	doSearch = "search"
	doClick  = "click"
)

// parse splits an action into its name and its argument, in lower case: name[argument] at the beginning of the first
// line, split at the last "[" that leaves something before the last "]". What follows that is ignored. An action of
// another form has no argument.
func parse(action string) (name, argument string, ok bool) {
	line, _, _ := strings.Cut(action, "\n")
	end := strings.LastIndexByte(line, ']')
	if end < 3 {
		return action, "", false
	}
	open := strings.LastIndexByte(line[:end-1], '[') // one character at least between the two
	if open < 1 {
		return action, "", false
	}
	return line[:open], python.Lower(line[open+1 : end]), true
}

// click is the action that clicks something, "" for what no action can name, such as a text with a bracket in it.
func click(clickable string) string {
	action := doClick + "[" + clickable + "]"
	if name, argument, ok := parse(action); !ok || name != doClick || argument != clickable || len(action) > maxAction {
		return ""
	}
	return action
}
