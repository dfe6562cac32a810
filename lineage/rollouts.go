package lineage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// The purposes of a training's episodes, as their seeds and names have them.
const (
	purposeTrain   = "train"
	purposeWith    = "validation/with"
	purposeWithout = "validation/without"
)

func purposeOf(with bool) string {
	if with {
		return purposeWith
	}
	return purposeWithout
}

// rollouts plays the episodes of a panel again and counts them.
func (a *Auditor) rollouts(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	var params activities.RolloutParameters
	if err := json.Unmarshal(m.Parameters, &params); err != nil {
		return fmt.Errorf("its parameters: %w", err)
	}
	var said activities.Validation
	if err := json.Unmarshal(m.Summary, &said); err != nil {
		return fmt.Errorf("its summary: %w", err)
	}
	r, err := a.retell(ctx, inputOf(m, "policy"), inputOf(m, LibraryRole), inputOf(m, "games"), params)
	if err != nil {
		return err
	}
	r.purpose, r.step = purposeOf(said.With), said.Step
	tally := activities.NewPanelTally(said, r.listed)
	err = a.episodes(ctx, m, func(e episode) error {
		if _, err := tally.Add(e.Episode); err != nil {
			return err
		}
		if err := halved(e, said.Group, params.Bare); err != nil {
			return err
		}
		return r.again(ctx, d, e)
	})
	if err != nil {
		delete(a.told, d) // not all of them
		return err
	}
	return differs("its summary", said, tally.Validation())
}

// halved compares whether an episode was played without the library, as the last so many of a group are.
func halved(e episode, group, bare int) error {
	if want := e.Rollout >= group-bare; e.Bare != want {
		return fmt.Errorf("bare: it says %t, expected %t", e.Bare, want)
	}
	return nil
}
