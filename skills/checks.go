package skills

import (
	"errors"
	"fmt"
	"slices"
)

func (p Place) check() error {
	for _, f := range []struct {
		name  string
		value int
	}{{"task", p.Task}, {"rollout", p.Rollout}} {
		if f.value < 0 || f.value > maxCount {
			return fmt.Errorf("%s: %d, expected 0 to %d", f.name, f.value, maxCount)
		}
	}
	return nil
}

func (p Outcome) checkPredicted() error {
	if p != "" && p != Success && p != Failure {
		return fmt.Errorf("predicted: %.40q, expected success, failure or nothing", string(p))
	}
	return nil
}

// share is a number between 0 and 1.
func share(name string, value float64) error {
	if !(value >= 0 && value <= 1) { // nor NaN
		return fmt.Errorf("%s: %v, expected 0 to 1", name, value)
	}
	return nil
}

func (b *Born) check() error {
	return errors.Join(b.Place.check(), b.Skill.Validate(), b.Predicted.checkPredicted())
}

func (m *Merged) check() error {
	err := errors.Join(m.Place.check(), m.Skill.Validate(), m.Predicted.checkPredicted(), share("before", m.Before), share("after", m.After))
	if bad := m.Into.Validate(); bad != nil {
		err = errors.Join(err, fmt.Errorf("into: %w", bad))
	}
	return err
}

func (u *Updated) check() error {
	return errors.Join(u.Place.check(), u.ID.Validate(), share("target", u.Target), share("before", u.Before), share("after", u.After))
}

func (r *Retired) check() error {
	err := errors.Join(r.ID.Validate(), share("utility", r.Utility))
	if !slices.Contains(retirements, r.Rule) {
		err = errors.Join(err, fmt.Errorf("rule: %.40q, expected one of %v", string(r.Rule), retirements))
	}
	return err
}
