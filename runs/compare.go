package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
)

// Comparison is what a run has learnt, and how much more than another.
type Comparison struct {
	Runs    []Learnt            `json:"runs"`
	More    *lineage.Difference `json:"more,omitempty"`     // of the first run's last policies than of the second's
	LeftOut []string            `json:"left_out,omitempty"` // games that one of the validations has no episode of
}

// Learnt is what a run, or several taken together, have learnt.
type Learnt struct {
	Run    string             `json:"run"` // several with commas between them
	Seeds  int                `json:"seeds"`
	Skills bool               `json:"skills"` // the panel was played with skills
	Step   int                `json:"step"`   // of the last policies
	Before float64            `json:"before"` // share won
	After  float64            `json:"after"`
	Gain   lineage.Difference `json:"gain"`
	Each   []float64          `json:"each"` // gain of each seed

	panel         artifacts.Digest
	before, after []lineage.Shares // of each seed
	last          lineage.Shares
}

// Compare reads what the trainings of a run, or of two, have come to and compares them, game by game. Each is a run or, with
// commas between them, several that are taken together. An AskedError where they cannot be compared.
func Compare(ctx context.Context, store artifacts.Store, refs ...string) (*Comparison, error) {
	var c Comparison
	var all []lineage.Shares
	for _, ref := range refs {
		one, err := learnt(ctx, store, strings.Split(ref, ",")...)
		if err != nil {
			return nil, err
		}
		if len(c.Runs) > 0 && one.panel != c.Runs[0].panel {
			return nil, asked(fmt.Errorf("%s and %s cannot be compared: they have other panels (%s, %s), expected the same", refs[0], ref, c.Runs[0].panel.Short(), one.panel.Short()))
		}
		c.Runs = append(c.Runs, *one)
		all = slices.Concat(all, one.before, one.after)
	}
	c.LeftOut = lineage.Common(all...)
	for i := range c.Runs {
		if err := c.Runs[i].count(); err != nil {
			return nil, asked(fmt.Errorf("run %s: %w", c.Runs[i].Run, err))
		}
	}
	if len(c.Runs) == 2 {
		more, err := lineage.Between(c.Runs[1].last, c.Runs[0].last)
		if err != nil {
			return nil, asked(fmt.Errorf("%s beside %s: %w", refs[0], refs[1], err))
		}
		c.More = &more
	}
	return &c, nil
}

// learnt reads what the trainings of runs, one for each seed, have come to.
func learnt(ctx context.Context, store artifacts.Store, runs ...string) (*Learnt, error) {
	one := &Learnt{Run: strings.Join(runs, ",")}
	for _, run := range runs {
		had := len(one.before)
		if err := one.add(ctx, store, run); err != nil {
			return nil, err
		}
		if len(one.before) == had {
			return nil, noTraining(ctx, store, run)
		}
	}
	one.Seeds = len(one.before)
	return one, nil
}

// count takes the seeds together.
func (one *Learnt) count() error {
	for i := range one.before {
		one.Each = append(one.Each, one.after[i].Mean()-one.before[i].Mean())
	}
	first, err := lineage.Together(one.before...)
	if err == nil {
		one.last, err = lineage.Together(one.after...)
	}
	if err == nil {
		one.Gain, err = lineage.Between(first, one.last)
	}
	one.Before, one.After = first.Mean(), one.last.Mean()
	return err
}

// add reads the trainings of a run. All must have come as far, and have played with skills or all without.
func (one *Learnt) add(ctx context.Context, store artifacts.Store, run string) error {
	stages, err := Trainings(ctx, store, run)
	if err != nil {
		return err
	}
	for _, s := range stages {
		if s.Outcome == "" {
			return asked(fmt.Errorf("run %s: %s has not come to its end", run, s.Name))
		}
		training, err := lineage.OpenOutcome(ctx, store, s.Outcome)
		if err != nil {
			return err
		}
		skills := training.Library != ""
		first, err := training.Validation(ctx, 0, skills)
		if err != nil {
			return unplayed(fmt.Errorf("%s of run %s: %w", s.Name, run, err))
		}
		last, err := training.Validation(ctx, -1, skills)
		if err != nil {
			return unplayed(fmt.Errorf("%s of run %s: %w", s.Name, run, err))
		}
		if len(one.before) > 0 && (last.Step != one.Step || skills != one.Skills) {
			return asked(fmt.Errorf("%s of run %s ends after step %d, with skills: %v; the one before after step %d, %v: expected the same", s.Name, run, last.Step, skills, one.Step, one.Skills))
		}
		if len(one.before) > 0 && last.Panel != one.panel {
			return asked(fmt.Errorf("%s of run %s has another panel (%s) than the one before (%s): expected the same", s.Name, run, last.Panel.Short(), one.panel.Short()))
		}
		one.Step, one.Skills, one.panel = last.Step, skills, last.Panel
		one.before, one.after = append(one.before, first.Shares), append(one.after, last.Shares)
	}
	return nil
}

// unplayed is an error of a validation: that there is none is what was asked for.
func unplayed(err error) error {
	if errors.Is(err, lineage.ErrNoValidation) {
		return asked(err)
	}
	return err
}
