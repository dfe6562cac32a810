package workflows

import (
	"errors"
	"strings"

	"go.temporal.io/sdk/temporal"
)

// Reason is what went wrong in a workflow, in the words of what failed: the activity's error, without the workflows
// and servers that carried it here. An activity's error holds its causes in its own text.
func Reason(err error) string {
	if err == nil {
		return "no reason was given"
	}
	var first *temporal.ApplicationError // the outermost below the last activity
	below := true
	last := err
	for e := err; e != nil; e = errors.Unwrap(e) {
		last = e
		switch e := e.(type) { //nolint:errorlint // the chain is gone through here, link by link
		case *temporal.ActivityError:
			first, below = nil, true
		case *temporal.ApplicationError:
			if below {
				first, below = e, false
			}
		case interface{ Unwrap() []error }:
			return reasons(e.Unwrap())
		}
	}
	if first != nil {
		return first.Message()
	}
	return last.Error()
}

// reasons are those of several errors, each once.
func reasons(all []error) string {
	var told []string
	seen := map[string]bool{}
	for _, err := range all {
		if text := Reason(err); !seen[text] {
			seen[text] = true
			told = append(told, text)
		}
	}
	return strings.Join(told, "; ")
}

// failures is the error of those that are not nil: one as it is, several as one that tells the reason of each. A join
// of them would reach whoever asks as one text, with all that Temporal says of each link.
func failures(all ...error) error {
	var some []error
	for _, err := range all {
		if err != nil {
			some = append(some, err)
		}
	}
	switch len(some) {
	case 0:
		return nil
	case 1:
		return some[0]
	}
	kind := ""
	var app *temporal.ApplicationError
	if errors.As(some[0], &app) {
		kind = app.Type()
	}
	return temporal.NewApplicationError(reasons(some), kind)
}
