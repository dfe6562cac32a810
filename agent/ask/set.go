package ask

import "fmt"

// Set names the wording of all four prompts. A change of even one byte is a new name, since models are trained on it.
type Set string

// The sets.
const (
	// Full explains what is asked, for models that follow instructions.
	Full Set = "skill/1"
	// Brief has the same parts in a few tokens, for small models that learn from examples what is asked. Of a shop it is in
	// lower case.
	Brief Set = "skill-brief/1"
	// Turns is Brief as a conversation: a prompt for a command begins with the one before it and its answer, thoughts and
	// all, and that for the lesson with the last one's, so that an episode is computed once, in play as in training.
	Turns Set = "skill-turns/1"
)

// Grows says whether a prompt for a command begins with the one before it and its answer.
func (s Set) Grows() bool { return s == Turns }

// brief says whether what is asked is a word and not explained.
func (s Set) brief() bool { return s != Full }

// Validate refuses a name that stands for no set.
func (s Set) Validate() error {
	switch s {
	case Full, Brief, Turns:
		return nil
	}
	return fmt.Errorf("prompts %q: expected %s, %s or %s", string(s), Full, Brief, Turns)
}
