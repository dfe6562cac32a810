package agent

import (
	"fmt"
	"slices"
	"strings"
)

// Offer is which commands Play has its policy choose among.
type Offer string

// The offers. Both follow from the steps of the trajectory alone, so that an auditor can tell them again.
const (
	// Admissible is all admissible commands but help.
	Admissible Offer = "admissible"
	// Untried is, where a state looks like one before (the same text, the same commands), those of them that were given
	// there least often. A game does the same to the same command, and a policy that overlooks a thing once mostly
	// overlooks it in each round: with all of them on offer it would go round until its commands are spent.
	Untried Offer = "untried"
)

// Validate refuses a name that stands for no offer.
func (o Offer) Validate() error {
	switch o {
	case "", Admissible, Untried:
		return nil
	}
	return fmt.Errorf("candidates %q: expected %s or %s", string(o), Admissible, Untried)
}

// Rule names the exact rule, for reports. "" is Admissible.
func (o Offer) Rule() string {
	if o == Untried {
		return "least tried admissible but help/1"
	}
	return CandidateRule
}

// after is what is offered in the state now, after steps.
func (o Offer) after(steps []Step, now Step) []string {
	all := Candidates(now.Admissible)
	if o != Untried {
		return all
	}
	given := map[string]int{}
	for _, s := range steps {
		if s.Observation == now.Observation && slices.Equal(s.Admissible, now.Admissible) {
			given[s.Command]++
		}
	}
	if len(given) == 0 {
		return all
	}
	least := given[all[0]]
	for _, c := range all {
		least = min(least, given[c])
	}
	return slices.DeleteFunc(all, func(c string) bool { return given[c] > least })
}

// Audit says which command of t was not on offer, as Play would have told it: nil where each was.
func (o Offer) Audit(t Trajectory) error {
	if t.Free {
		return nil
	}
	for i, s := range t.Steps {
		if offered := o.after(t.Steps[:i], s); !slices.Contains(offered, s.Command) {
			r := replay{t: t, step: i}
			return r.differs("command", s.Command, "not on offer ("+o.Rule()+"): "+strings.Join(offered, " | "))
		}
	}
	return nil
}
