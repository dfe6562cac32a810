package activities

import (
	"bytes"
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
	Turns    float64          `json:"turns"` // mean
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
	if err := a.audit(ctx, in, episodes, beat); err != nil {
		return nil, err
	}
	v := in.figures(episodes)
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
	return &ValidationResult{Digest: stored, Count: v.Count, Won: v.Won}, nil
}

// audit holds each episode against its game: the panel's, in order, as often as asked for and no more.
func (a *Activities) audit(ctx context.Context, in ValidationInput, episodes []rollout.Episode, beat *beater) error {
	listed, err := ReadGameList(ctx, a.Store, in.Games)
	if err != nil {
		return err
	}
	at := 0
	for i, e := range episodes {
		for at < len(listed) && listed[at].ID != e.Game {
			at++
		}
		if at == len(listed) || e.Rollout < 0 || e.Rollout >= in.Group {
			return final(ErrTypeAudit, fmt.Errorf("episode %d is rollout %d of %s: expected %d of each of the panel's games, in order", i+1, e.Rollout, e.Game, in.Group))
		}
		game, err := a.openGame(ctx, listed[at])
		if err != nil {
			return err
		}
		if err := agent.Replay(ctx, game, e.Trajectory, in.Limits); err != nil {
			if ctx.Err() != nil {
				return err
			}
			return final(ErrTypeAudit, err)
		}
		beat.report(Beat{Done: i + 1, Of: len(episodes), Unit: "replays"})
	}
	return nil
}

// figures are those of the episodes.
func (in ValidationInput) figures(episodes []rollout.Episode) Validation {
	v := Validation{Step: in.Step, Panel: in.Panel, With: in.With, Group: in.Group, Count: len(episodes), Families: []FamilyEpisodes{}}
	place := map[string]int{}
	turns := 0
	for _, e := range episodes {
		i, there := place[e.Family]
		if !there {
			i = len(v.Families)
			place[e.Family] = i
			v.Families = append(v.Families, FamilyEpisodes{Family: e.Family})
		}
		v.Families[i].Count++
		turns += len(e.Steps)
		if e.Outcome.Won {
			v.Families[i].Won++
			v.Won++
		}
	}
	if len(episodes) > 0 {
		v.Turns = float64(turns) / float64(len(episodes))
	}
	return v
}

// validation is what a stored validation says.
func (a *Activities) validation(ctx context.Context, d artifacts.Digest) (Validation, *artifacts.Manifest, error) {
	var v Validation
	m, err := a.manifest(ctx, d, artifacts.KindRollouts)
	if err != nil {
		return v, nil, err
	}
	if err := json.NewDecoder(bytes.NewReader(m.Summary)).Decode(&v); err != nil {
		return v, nil, final(ErrTypeCorrupt, fmt.Errorf("validation %s: %w", d.Short(), err))
	}
	return v, m, nil
}
