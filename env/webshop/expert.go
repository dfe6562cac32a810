package webshop

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/hone-rl/hone/env"
)

var _ env.Expert = (*Episode)(nil)

// Plan implements env.Expert with the commands of Demonstrate, if they end with the full reward.
func (e *Episode) Plan(ctx context.Context, kind env.PlanKind) ([]string, error) {
	d, err := e.Demonstrate(ctx, kind)
	switch {
	case err != nil:
		return nil, err
	case d.Total != 1:
		return nil, fmt.Errorf("%w: the goal's own product brings a reward of %v", env.ErrNoPlan, d.Total)
	}
	return d.Commands, nil
}

// Goal implements env.Expert. The target is what the product is searched for with, unless that has a digit.
func (e *Episode) Goal() env.Goal {
	goal := e.session.goal
	g := env.Goal{Family: family(goal.Category), Text: strings.TrimSuffix(goal.Text, "."), Target: goal.Query, Count: 1}
	if strings.ContainsFunc(g.Target, unicode.IsDigit) {
		g.Target = ""
	}
	return g
}
