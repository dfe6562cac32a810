package alfworld

import (
	"context"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// Deduce is the planner that stands in where no script fits.
func Deduce(ctx context.Context, ep env.Episode) ([]string, error) {
	e := ep.(*Episode)
	return e.deduce(pddl.NewMeter(ctx, e.limits.Work))
}
