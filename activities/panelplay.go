package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// ValidationInput asks for a panel's episodes as one artifact.
type ValidationInput struct {
	Key      artifacts.Digest       `json:"key"`
	Step     int                    `json:"step"`
	Panel    string                 `json:"panel"`
	With     bool                   `json:"with"`  // with skills
	Games    artifacts.Digest       `json:"games"` // the panel's list
	Policy   artifacts.Digest       `json:"policy"`
	Library  artifacts.Digest       `json:"library,omitempty"`
	Group    int                    `json:"group"` // episodes of each game
	Episodes []artifacts.Descriptor `json:"episodes"`
	RolloutParameters
}

// ValidationResult is what a panel's episodes came to.
type ValidationResult struct {
	Digest artifacts.Digest `json:"digest"`
	Count  int              `json:"count"`
	Won    int              `json:"won"`
	Score  float64          `json:"score,omitempty"` // as in Validation
	Work   Work             `json:"work"`
}

// Validation says what a panel's episodes came to.
type Validation struct {
	Step     int              `json:"step"`
	Panel    string           `json:"panel"`
	With     bool             `json:"with"`
	Group    int              `json:"group"` // episodes asked for of each game
	Count    int              `json:"count"`
	Won      int              `json:"won"`
	Score    float64          `json:"score,omitempty"` // of an episode, mean; left out where it is the share of won
	Turns    float64          `json:"turns"`           // mean
	Excluded int              `json:"excluded,omitempty"`
	Families []FamilyEpisodes `json:"families"`
}

// FamilyEpisodes are a validation's figures for a task family.
type FamilyEpisodes struct {
	Family string `json:"family"`
	Count  int    `json:"count"`
	Won    int    `json:"won"`
}

// CollectRollouts joins the shards of a panel, replays each episode on its game anew and stores them with what they came
// to.
func (a *Activities) CollectRollouts(ctx context.Context, in ValidationInput) (*ValidationResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	res, err := a.collectRollouts(ctx, in, beat)
	if err != nil {
		return nil, classify(err)
	}
	res.Work = beat.work()
	return res, nil
}

func (a *Activities) collectRollouts(ctx context.Context, in ValidationInput, beat *beater) (*ValidationResult, error) {
	episodes, lines, err := a.readEpisodes(ctx, in.Episodes...)
	if err != nil {
		return nil, err
	}
	v, err := a.audit(ctx, in, episodes, beat)
	if err != nil {
		return nil, err
	}
	d, err := artifacts.PutBytes(ctx, a.Store, mediaJSONL, lines)
	if err != nil {
		return nil, fmt.Errorf("store episodes: %w", err)
	}
	m := artifacts.Manifest{
		Kind:    artifacts.KindRollouts,
		Inputs:  []artifacts.Input{{Role: "games", Digest: in.Games}, {Role: "policy", Digest: in.Policy}},
		Outputs: []artifacts.Output{{Name: EpisodesFile, Descriptor: d}},
	}
	if in.Library != "" {
		m.Inputs = append(m.Inputs, artifacts.Input{Role: "library", Digest: in.Library})
	}
	if m.Parameters, err = json.Marshal(in.RolloutParameters); err != nil {
		return nil, err
	}
	if m.Summary, err = json.Marshal(v); err != nil {
		return nil, err
	}
	stored, err := a.put(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("store validation %d: %w", in.Step, err)
	}
	return &ValidationResult{Digest: stored, Count: v.Count, Won: v.Won, Score: v.Score}, nil
}

// audit holds each episode against its game, and counts them.
func (a *Activities) audit(ctx context.Context, in ValidationInput, episodes []rollout.Episode, beat *beater) (Validation, error) {
	listed, err := ReadGameList(ctx, a.Store, in.Games)
	if err != nil {
		return Validation{}, err
	}
	tally := NewPanelTally(Validation{Step: in.Step, Panel: in.Panel, With: in.With, Group: in.Group}, listed)
	for i, e := range episodes {
		place, err := tally.Add(e)
		if err != nil {
			return Validation{}, final(ErrTypeAudit, err)
		}
		game, err := a.openGame(ctx, listed[place])
		if err != nil {
			return Validation{}, err
		}
		if err := agent.Replay(ctx, game, e.Trajectory, in.Limits); err != nil {
			if ctx.Err() != nil {
				return Validation{}, err
			}
			return Validation{}, final(ErrTypeAudit, err)
		}
		beat.report(Beat{Done: i + 1, Of: len(episodes), Unit: "replays"})
	}
	return tally.Validation(), nil
}
