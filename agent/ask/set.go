package ask

import "fmt"

// Set names the wording of all four prompts. A change of even one byte is a new name, since models are trained on it.
type Set string

// The sets.
const (
	// Full explains what is asked, for models that follow instructions.
	Full Set = "skill/1"
	// Brief has the same parts in a few tokens, for small models that learn from examples what is asked.
	Brief Set = "skill-brief/1"
)

// Validate refuses a name that stands for no set.
func (s Set) Validate() error {
	switch s {
	case Full, Brief:
		return nil
	}
	return fmt.Errorf("prompts %q: expected %s or %s", string(s), Full, Brief)
}
