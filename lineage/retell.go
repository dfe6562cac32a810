package lineage

import (
	"context"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/skills"
)

// reteller plays the episodes of a policy again.
type reteller struct {
	*Auditor
	params  activities.RolloutParameters
	cfg     rollout.Config
	library *skills.Library // nil: they were played without
	purpose string
	step    int
	listed  []activities.ListedGame
	place   map[string]int // in listed, by game

	last     string // the game that was opened last: a group's rollouts stand one behind the other
	game     env.Game
	unopened error
}

// retell reads all that episodes depend on beside what is asked of models: how the policy speaks, the library, the games.
func (a *Auditor) retell(ctx context.Context, policy, library, games artifacts.Digest, params activities.RolloutParameters) (*reteller, error) {
	speech, err := a.speech(ctx, policy, params.Chat)
	if err != nil {
		return nil, err
	}
	r := &reteller{Auditor: a, params: params, cfg: params.Config(speech), place: map[string]int{}}
	if r.listed, err = activities.ReadGameList(ctx, a.Store, games); err != nil {
		return nil, err
	}
	for i, g := range r.listed {
		r.place[g.ID] = i
	}
	if library != "" && params.Retrieval != nil {
		r.library, err = activities.ReadLibrary(ctx, a.Store, library)
	}
	return r, err
}

// speech is how a policy speaks. A training's policies all speak as their start does, so it is read once.
func (a *Auditor) speech(ctx context.Context, policy artifacts.Digest, chat *activities.ChatParameters) (activities.Speech, error) {
	m, err := artifacts.GetManifest(ctx, a.Store, policy)
	if err != nil {
		return activities.Speech{}, err
	}
	if m.Kind == artifacts.KindUpdate {
		if policy = inputOf(m, "start"); policy == "" {
			return activities.Speech{}, errors.New("its policy names no start")
		}
	}
	key := fmt.Sprint(policy, chat != nil, chat != nil && chat.Thinking)
	if known, ok := a.speeches[key]; ok {
		return known, nil
	}
	s, err := activities.ReadSpeech(ctx, a.Store, policy, chat)
	if err == nil {
		a.speeches[key] = s
	}
	return s, err
}

// again plays an episode again and notes that it was there.
func (r *reteller) again(ctx context.Context, of artifacts.Digest, e episode) error {
	place, there := r.place[e.Game]
	if !there {
		return fmt.Errorf("its game is none of the %d", len(r.listed))
	}
	if want := activities.EpisodeSeed(r.params.Seed, r.purpose, r.step, e.Game, e.Rollout); e.Seed != want {
		return fmt.Errorf("seed: it says %d, expected %d", e.Seed, want)
	}
	r.told[of] = append(r.told[of], toldEpisode{place, e.Rollout, e.line, e.digest})
	if err := r.open(ctx, r.listed[place]); err != nil {
		return err
	}
	if r.unopened != nil {
		if e.Outcome.Cause() == agent.ReasonError && len(e.Steps)+len(e.Said) == 0 {
			return nil // it could not be read then either
		}
		return r.unopened
	}
	if err := rollout.Again(ctx, r.cfg, r.library, r.game, e.Episode); err != nil {
		return err
	}
	r.result.Replays++
	r.Tick("replay of " + e.Game)
	return nil
}

// open makes a game the last.
func (r *reteller) open(ctx context.Context, listed activities.ListedGame) error {
	if r.last == listed.ID {
		return nil
	}
	data, err := artifacts.ReadAll(ctx, r.Store, listed.Digest, listed.Size)
	if err != nil {
		return err
	}
	r.last = listed.ID
	r.game, r.unopened = r.OpenGame(ctx, listed.ID, data)
	return nil
}
