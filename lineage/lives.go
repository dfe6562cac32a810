package lineage

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/skills"
)

// Lived is a skill's life in short.
type Lived struct {
	Skill   skills.Skill    // as it last was
	Retired *skills.Retired // nil of one that is in the library
	Gone    int             // the step that it retired in
	Path    []Utility       // its utility, from its birth on, at the end of each step that changed it
	Merged  int             // newborn skills that became one with it
}

// Utility is a skill's at the end of a step.
type Utility struct {
	Step  int
	Value float64
}

// Lives are all skills that ever were in the chain, in the order of their births; those of the first library come first. Of a
// skill no more than its utility at the end of each step is kept.
func (l *Libraries) Lives(ctx context.Context) ([]*Lived, error) {
	first, err := l.read(ctx, 0)
	if err != nil {
		return nil, err
	}
	var all []*Lived
	at := map[skills.ID]*Lived{}
	enter := func(step int, s skills.Skill) {
		one := &Lived{Skill: s, Path: []Utility{{step, s.Utility}}}
		at[s.ID] = one
		all = append(all, one)
	}
	for _, s := range first.Skills() {
		enter(0, s)
	}
	for step := 1; step <= l.Step(); step++ {
		c, err := l.changes(ctx, step)
		if err != nil {
			return nil, err
		}
		for _, change := range c.List {
			if born, is := change.(*skills.Born); is {
				enter(step, born.Skill)
				continue
			}
			one := at[change.Of()]
			if one == nil {
				return nil, fmt.Errorf("%w: a change of step %d is of %s, which never was", ErrBroken, step, change.Of())
			}
			one.live(step, change)
		}
	}
	return all, nil
}

func (one *Lived) live(step int, change skills.Change) {
	switch c := change.(type) {
	case *skills.Merged:
		one.Merged++
		one.Skill.Utility, one.Skill.Count = c.After, c.Count
	case *skills.Updated:
		one.Skill.Utility, one.Skill.Count = c.After, c.Count
		if c.Selected {
			one.Skill.Selected++
		}
	case *skills.Retired:
		one.Retired, one.Gone = c, step
		return
	}
	if last := &one.Path[len(one.Path)-1]; last.Step == step {
		last.Value = one.Skill.Utility
	} else {
		one.Path = append(one.Path, Utility{step, one.Skill.Utility})
	}
}
