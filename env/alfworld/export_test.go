package alfworld

import (
	"context"

	"github.com/hone-rl/hone/env"
)

// Deduce is the planner that stands in where no script fits.
func Deduce(ctx context.Context, ep env.Episode) ([]string, error) {
	return ep.(*Episode).deduce(ctx)
}
