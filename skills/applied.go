package skills

import (
	"errors"
	"fmt"
)

func (b *Born) apply(d *draft) error {
	if err := d.move(b.Place); err != nil {
		return err
	}
	if err := d.newborn(b.Skill, b.Predicted, b.Vector); err != nil {
		return err
	}
	if twin, similarity := d.twin(b.Skill, b.Vector); twin != nil {
		return fmt.Errorf("%s enters, expected it to merge into %s (similarity %v)", b.Skill.ID, twin.ID, similarity)
	}
	d.index[b.Skill.ID] = len(d.skills)
	d.births[b.Skill.ID] = true
	d.skills = append(d.skills, b.Skill)
	d.vectors = append(d.vectors, b.Vector...)
	d.born = true
	return nil
}

func (m *Merged) apply(d *draft) error {
	if err := d.move(m.Place); err != nil {
		return err
	}
	if err := d.newborn(m.Skill, m.Predicted, m.Vector); err != nil {
		return err
	}
	twin, similarity := d.twin(m.Skill, m.Vector)
	switch {
	case twin == nil:
		return fmt.Errorf("%s merges into %.40q, expected it to enter: no skill is like it", m.Skill.ID, string(m.Into))
	case m.Into != twin.ID || m.Similarity != similarity:
		return fmt.Errorf("%s merges into %.40q (similarity %v), expected %s (%v)", m.Skill.ID, string(m.Into), m.Similarity, twin.ID, similarity)
	}
	if err := step(twin, m.Before, m.After, moved(twin.Utility, BirthUtility, d.rules.Rate), m.Count); err != nil {
		return err
	}
	twin.Utility, twin.Count = m.After, m.Count
	d.births[m.Skill.ID] = true
	d.born = true
	return nil
}

func (u *Updated) apply(d *draft) error {
	if err := d.move(u.Place); err != nil {
		return err
	}
	s, err := d.old(u.ID)
	switch {
	case err != nil:
		return err
	case d.born:
		return fmt.Errorf("%s is updated behind a birth of the same episode, expected it before", u.ID)
	case u.ID == d.last:
		return fmt.Errorf("%s is updated twice by one episode", u.ID)
	case u.ID < d.last:
		return fmt.Errorf("%s behind %s: expected the order of ids within an episode", u.ID, d.last)
	case u.Selected && d.selected:
		return fmt.Errorf("%s is selected, and another by the same episode: expected one", u.ID)
	case d.last != "" && u.Target != d.target:
		return fmt.Errorf("%s: target %v, expected %v as for the episode's other skills", u.ID, u.Target, d.target)
	}
	if err := step(s, u.Before, u.After, moved(s.Utility, u.Target, d.rules.Rate), u.Count); err != nil {
		return err
	}
	s.Utility, s.Count = u.After, u.Count
	if u.Selected {
		s.Selected++
	}
	d.last, d.target, d.selected = u.ID, u.Target, d.selected || u.Selected
	return nil
}

// step checks what a change says of a skill's utility and count.
func step(s *Skill, before, after, want float64, count int) error {
	switch {
	case before != s.Utility:
		return fmt.Errorf("%s: before %v, expected its utility, %v", s.ID, before, s.Utility)
	case after != want:
		return fmt.Errorf("%s: after %v, expected %v by the rule", s.ID, after, want)
	case count != s.Count+1:
		return fmt.Errorf("%s: count %d, expected %d", s.ID, count, s.Count+1)
	}
	return nil
}

// retiring is who has yet to retire. From the first call on no episode changes anything.
func (d *draft) retiring() []*Retired {
	if d.leaving == nil {
		d.leaving = []*Retired{}
		for _, at := range d.rules.retiring(d.skills, d.step) {
			s := d.skills[at]
			d.leaving = append(d.leaving, &Retired{ID: s.ID, Rule: d.rules.Retire, Utility: s.Utility, Count: s.Count, Selected: s.Selected})
		}
	}
	return d.leaving[len(d.gone):]
}

func (r *Retired) apply(d *draft) error {
	left := d.retiring()
	if len(left) == 0 {
		return errors.New("a skill retires, expected none: the library is within its capacity")
	}
	if *r != *left[0] {
		return fmt.Errorf("retired %+v, expected %+v", *r, *left[0])
	}
	d.gone[r.ID] = true
	return nil
}
