package workflows

import "strings"

// Again has stages of a run done anew, to compare what they come to with what they came to before.
type Again struct {
	Word string `json:"again,omitempty"`   // names the repetition; "" is none
	At   string `json:"againAt,omitempty"` // the stage, with those below it; "" is all
}

// of is the word for a stage, "" where it is not done anew.
func (a Again) of(stage string) string {
	if a.Has(stage) {
		return a.Word
	}
	return ""
}

// Has says whether a stage is done anew. The plays that a report counts are with it.
func (a Again) Has(stage string) bool {
	below := a.At + "/"
	if a.At == "report" {
		below = evaluations
	}
	return a.At == "" || a.At == stage || strings.HasPrefix(stage, below)
}

// evaluations begin the names of an evaluation's plays.
const evaluations = "evaluation/"
