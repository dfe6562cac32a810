package skills

import (
	"errors"
	"fmt"
	"slices"
)

// draft is a library on its way to the next step. Changes are checked and applied one by one, whether they have just
// been worked out or were read.
type draft struct {
	rules Rules
	step  int // the one being made
	rows  int // numbers of a vector

	skills  []Skill // those of the library before, then those born; nobody leaves before the end
	vectors []float32
	index   map[ID]int
	births  map[ID]bool // of the step, merged ones too
	gone    map[ID]bool
	leaving []*Retired // who retires, once it is known

	at       Place   // of the last change
	last     ID      // updated at this place; "" if none
	target   float64 // of its updates
	selected bool    // one of them
	born     bool    // a skill at this place
	list     []Change
}

func newDraft(l *Library) *draft {
	d := &draft{
		rules: l.rules, step: l.step + 1, rows: l.dimension,
		skills:  slices.Clone(l.skills),
		vectors: slices.Clip(l.vectors), // what is appended is appended to a copy
		index:   make(map[ID]int, len(l.skills)), births: map[ID]bool{}, gone: map[ID]bool{},
		at: Place{-1, -1},
	}
	for i, s := range d.skills {
		d.index[s.ID] = i
	}
	return d
}

// add checks and applies a change.
func (d *draft) add(c Change) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.apply(d); err != nil {
		return err
	}
	d.list = append(d.list, c)
	return nil
}

// move goes on to an episode's changes.
func (d *draft) move(to Place) error {
	if d.leaving != nil {
		return errors.New("an episode's change behind the first retired skill, expected it before")
	}
	switch order := to.Compare(d.at); {
	case order < 0:
		return fmt.Errorf("task %d, rollout %d behind task %d, rollout %d: expected the order of task and rollout", to.Task, to.Rollout, d.at.Task, d.at.Rollout)
	case order > 0:
		d.at, d.last, d.selected, d.born = to, "", false, false
	}
	return nil
}

// old is a skill that was there before the step, which is what episodes retrieve from.
func (d *draft) old(id ID) (*Skill, error) {
	at, there := d.index[id]
	switch {
	case !there:
		return nil, fmt.Errorf("%.40q: %w", string(id), ErrUnknown)
	case d.births[id]:
		return nil, fmt.Errorf("%s was born in this very step and cannot have been retrieved in it", id)
	}
	return &d.skills[at], nil
}

// newborn checks a skill that would enter, but not what stands in it (Skill.Validate).
func (d *draft) newborn(s Skill, predicted Outcome, vector []float32) error {
	if s.Utility != BirthUtility || s.Count != BirthCount || s.Selected != 0 || s.Born != d.step {
		return fmt.Errorf("%s: utility %v, count %d, selected %d, born %d: expected %v, %d, 0, %d at birth",
			s.ID, s.Utility, s.Count, s.Selected, s.Born, BirthUtility, BirthCount, d.step)
	}
	if !d.rules.Admit.admits(s.Outcome, predicted) {
		return fmt.Errorf("%s: outcome %s, predicted %q: not admitted by the rule %s", s.ID, s.Outcome, string(predicted), d.rules.Admit)
	}
	if _, there := d.index[s.ID]; there || d.births[s.ID] {
		return fmt.Errorf("%s is born twice", s.ID)
	}
	if err := checkVector(vector, d.rows); err != nil {
		return fmt.Errorf("%s: %w", s.ID, err)
	}
	return nil
}

// twin is the skill that a newborn is to become one with and the cosine of their keys, nil if there is none: of those
// with its strategy the most alike, of equals the one with the lower id. Heads are compared with heads and tasks with
// tasks: the two are not about the same, and a cosine across says little.
func (d *draft) twin(newborn Skill, vector []float32) (twin *Skill, similarity float64) {
	if d.rules.Merge == MergeNone {
		return nil, 0
	}
	for i := range d.skills {
		s := &d.skills[i]
		if s.Strategy != newborn.Strategy || (s.Head == "") != (newborn.Head == "") {
			continue
		}
		product := dot(vector, d.vectors[i*d.rows:(i+1)*d.rows])
		alike := float64(product)
		if product > float32(d.rules.MergeAbove) && (twin == nil || alike > similarity || alike == similarity && s.ID < twin.ID) {
			twin, similarity = s, alike
		}
	}
	return twin, similarity
}

// library is what the draft has become, without those who retire.
func (d *draft) library() (*Library, error) {
	l := &Library{rules: d.rules, step: d.step, dimension: d.rows, skills: d.skills, vectors: d.vectors}
	if len(d.gone) > 0 {
		l.skills, l.vectors = nil, make([]float32, 0, len(d.vectors))
		for i, s := range d.skills {
			if !d.gone[s.ID] {
				l.skills = append(l.skills, s)
				l.vectors = append(l.vectors, d.vectors[i*d.rows:(i+1)*d.rows]...)
			}
		}
	}
	return l, l.finish("skill", 1)
}
