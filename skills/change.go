package skills

import (
	"cmp"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
)

// Changes are all that a step does to a library, in order: by episode, in the order of task and rollout, first the
// skills that it retrieved by id, then those born of it; then who retires.
type Changes struct {
	Step   int              // the one that they make
	Before artifacts.Digest // of the library that they are for
	After  artifacts.Digest // of the library that they make
	List   []Change
}

// Change is a *Born, *Merged, *Updated or *Retired.
type Change interface {
	// Of is the skill that it changes.
	Of() ID
	check() error       // of itself, whatever the library
	apply(*draft) error // checked against the library
}

// Place is an episode's place in its step. The order of places is the order of changes, whoever finishes first.
type Place struct {
	Task    int `json:"task"`    // of the step's tasks, from 0
	Rollout int `json:"rollout"` // of the task's group, from 0
}

// Compare orders places by task, then rollout.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Task, other.Task), cmp.Compare(p.Rollout, other.Rollout))
}

// Born is a skill that enters.
type Born struct {
	Place
	Skill     Skill     `json:"skill"`               // as it is at birth
	Predicted Outcome   `json:"predicted,omitempty"` // what the policy had said of the episode, if that was asked
	Vector    []float32 `json:"-"`                   // of its key
}

// Merged is a skill that was born like one that is there, and becomes one with it.
type Merged struct {
	Place
	Into       ID        `json:"into"`                // the one that is there
	Skill      Skill     `json:"skill"`               // as it would have been born
	Predicted  Outcome   `json:"predicted,omitempty"` // as for Born
	Similarity float64   `json:"similarity"`          // cosine of their keys
	Before     float64   `json:"before"`              // utility of Into
	After      float64   `json:"after"`               // moved towards that of birth
	Count      int       `json:"count"`               // of Into, after
	Vector     []float32 `json:"-"`                   // of the newborn's key
}

// Updated is a skill that an episode had retrieved: its utility has moved towards the target.
type Updated struct {
	Place
	ID       ID      `json:"id"`
	Selected bool    `json:"selected,omitempty"` // the episode was played with it
	Target   float64 `json:"target"`             // 1 for success, 0 for failure
	Before   float64 `json:"before"`             // utility
	After    float64 `json:"after"`
	Count    int     `json:"count"` // after
}

// Retired is a skill that goes, with what it was judged by.
type Retired struct {
	ID       ID         `json:"id"`
	Rule     Retirement `json:"rule"` // the reason: worth least by it, in a library above its capacity
	Utility  float64    `json:"utility"`
	Count    int        `json:"count"`
	Selected int        `json:"selected"`
}

// Of is the skill that is born.
func (b *Born) Of() ID { return b.Skill.ID }

// Of is the skill that the newborn became one with.
func (m *Merged) Of() ID { return m.Into }

// Of is the skill that was retrieved.
func (u *Updated) Of() ID { return u.ID }

// Of is the skill that goes.
func (r *Retired) Of() ID { return r.ID }

// Figures are what a step did, counted.
type Figures struct {
	Born    int // skills that entered
	Merged  int
	Updated int // retrievals
	Retired int
}

// Figures counts the changes.
func (c Changes) Figures() Figures {
	var f Figures
	for _, one := range c.List {
		switch one.(type) {
		case *Born:
			f.Born++
		case *Merged:
			f.Merged++
		case *Updated:
			f.Updated++
		case *Retired:
			f.Retired++
		}
	}
	return f
}

func (p Place) String() string { return fmt.Sprintf("task %d, rollout %d", p.Task, p.Rollout) }
