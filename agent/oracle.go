package agent

import (
	"context"
	"errors"

	"github.com/hone-rl/hone/agent/internal/net"
	"github.com/hone-rl/hone/env"
)

// askOracle asks the expert how it would go on from here. What it cannot answer within the limits is noted and
// does not touch the game; only the clock ends it.
func (p *player) askOracle(ctx context.Context) error {
	expert, ok := p.episode.(env.Expert)
	if !ok {
		p.step.NoOracle = "no expert"
		return nil
	}
	kind := p.loop.cfg.Oracle
	plan, err := net.Do(ctx, &p.clock, func(ctx context.Context) ([]string, error) { return expert.Plan(ctx, kind) })
	switch {
	case err == nil && len(plan) > 0:
		p.step.Oracle = plan[0]
	case err == nil, errors.Is(err, env.ErrNoPlan):
		p.step.NoOracle = "no plan"
	case ctx.Err() != nil, errors.Is(err, net.ErrEnded):
		return p.fail(ctx, err)
	default:
		p.step.NoOracle = Failure(err)
	}
	return nil
}
