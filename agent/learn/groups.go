package learn

import (
	"fmt"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/rollout"
)

// Group is the episodes of one task, in the order of their rollouts.
type Group struct {
	Task     string
	Size     int // episodes asked for; fewer are there where a game was excluded
	Episodes []rollout.Episode
	// Best is Φ of RetroAgent's intrinsic reward before the step: the largest success rate that a group of the task has had.
	Best float64
}

// credited is the group as credit.Assign takes it: a sample for each answer, with its own reward.
func credited(g Group, by credit.Expect) (credit.Group, error) {
	c := credit.Group{Task: g.Task, Size: g.Size}
	won, library := make([]bool, len(g.Episodes)), make([]bool, len(g.Episodes))
	for i, e := range g.Episodes {
		won[i], library[i] = e.Outcome.Won, !e.Bare
	}
	query, err := credit.Contrastive(won, library)
	if err != nil {
		return c, fmt.Errorf("%s: %w", g.Task, err)
	}
	for _, e := range g.Episodes {
		one, err := samples(e, query, by)
		if err != nil {
			return c, fmt.Errorf("rollout %d of %s: %w", e.Rollout, g.Task, err)
		}
		c.Episodes = append(c.Episodes, one)
	}
	return c, nil
}

// samples are an episode's answers. A query earns what the library brought its group, an order its NDCG by the utilities
// at retrieval, a lesson what the episode gave beyond what was expected of the skills; a command nothing of its own.
func samples(e rollout.Episode, query float64, by credit.Expect) (credit.Episode, error) {
	utilities := make([]float64, len(e.Found))
	for i, f := range e.Found {
		utilities[i] = f.Utility
	}
	c := credit.Episode{Won: e.Outcome.Won}
	acts := 0
	for _, said := range e.Said {
		s := credit.Sample{Phase: credit.Phase(said.Phase), Invalid: said.Fault != ""}
		var err error
		switch said.Phase {
		case rollout.Query:
			s.Reward = query
		case rollout.Rank:
			order := e.Order
			if !e.Ranked {
				order = nil
			}
			s.Reward, err = credit.NDCG(utilities, order)
		case rollout.Act:
			if acts == len(e.Steps) {
				return c, fmt.Errorf("%d steps: expected one for each command", len(e.Steps))
			}
			s.Anchor = e.Steps[acts].Observation
			acts++
		case rollout.Distil:
			s.Reward, err = credit.DistilReward(e.Outcome.Won, utilities, by)
		}
		if err != nil {
			return c, err
		}
		c.Samples = append(c.Samples, s)
	}
	return c, nil
}
