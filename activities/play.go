package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// PlayParameters are what trajectories depend on beside games and model.
type PlayParameters struct {
	WithHint   bool           `json:"withHint"`
	MaxSteps   int            `json:"maxSteps"`
	History    int            `json:"history"`
	Oracle     env.PlanKind   `json:"oracle"`
	HintPlans  []env.PlanKind `json:"hintPlans"`        // as the teacher's dataset was made
	Prompt     agent.Format   `json:"prompt,omitempty"` // "" is "lite/1"
	StopCycles bool           `json:"stopCycles"`
	Limits     env.Limits     `json:"limits"`
	Deadline   time.Duration  `json:"deadline"`             // wall clock a game, in nanoseconds
	DType      string         `json:"dtype,omitempty"`      // of the model as it plays; "" is float32
	Decoding   agent.Decoding `json:"decoding,omitempty"`   // "" is greedy
	Offer      agent.Offer    `json:"candidates,omitempty"` // "" is admissible

	Temperature float32 `json:"temperature,omitempty"` // of what is drawn; 0 is 1
	Seed        uint64  `json:"seed,omitempty"`        // of the draws
}

// PlayInput asks for the episodes of games From up to To of a panel, or of Tasks.
type PlayInput struct {
	Games artifacts.Digest `json:"games"`
	Model artifacts.Digest `json:"model"`
	From  int              `json:"from"`
	To    int              `json:"to"`
	Tasks []int            `json:"tasks,omitempty"` // places in the list, in place of From and To
	PlayParameters
}

// PlayResult points at a shard's trajectories.
type PlayResult struct {
	Trajectories artifacts.Descriptor `json:"trajectories"`
	Work         Work                 `json:"work"`
}

// PlayShard plays a shard in closed loop. A retry plays it anew, from the same seeds and in the same company, so
// that it gives the same bytes.
func (a *Activities) PlayShard(ctx context.Context, in PlayInput) (*PlayResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	games, err := a.openGames(ctx, in.Games, in.places()...)
	if err != nil {
		return nil, classify(err)
	}
	beat.report(Beat{Of: len(games), Unit: "games", Note: "loading the model"})
	model, err := a.loaded(ctx, in.Model, in.DType, beat)
	if err != nil {
		return nil, classify(err)
	}
	cfg := in.config(model.positions)
	cfg.Policy, cfg.Tokens = heardPolicy{model.policy, beat}, model.tokens
	cfg.Progress = func(p agent.Progress) {
		beat.report(Beat{Done: p.Finished, Of: p.Games, Unit: "games", Note: fmt.Sprintf("%d won", p.Won)})
	}
	played, err := agent.Play(ctx, cfg, games)
	if err != nil {
		return nil, fmt.Errorf("play games %d to %d of %s: %w", in.From+1, in.To, in.Games.Short(), err)
	}
	var lines bytes.Buffer
	for _, t := range played {
		if err := agent.WriteTrajectory(&lines, t); err != nil {
			return nil, err
		}
	}
	d, err := artifacts.PutBytes(ctx, a.Store, mediaJSONL, lines.Bytes())
	if err != nil {
		return nil, classify(fmt.Errorf("store trajectories: %w", err))
	}
	return &PlayResult{Trajectories: d, Work: beat.work()}, nil
}

// places are those of the games in their list.
func (in PlayInput) places() []int {
	if len(in.Tasks) > 0 {
		return in.Tasks
	}
	var all []int
	for i := in.From; i < in.To; i++ {
		all = append(all, i)
	}
	return all
}

// config is how the games are played, without the model.
func (p PlayParameters) config(positions int) agent.PlayConfig {
	cfg := agent.PlayConfig{
		Prompt: p.Prompt, History: p.History, MaxSteps: p.MaxSteps, Positions: positions, Limits: p.Limits, Clock: p.Deadline,
		StopCycles: p.StopCycles, Oracle: p.Oracle, Decoding: p.Decoding, Offer: p.Offer, Temperature: p.Temperature, Seed: p.Seed,
	}
	if p.WithHint {
		cfg.Hint = hints.Hinter(hints.GenerateConfig{Plans: p.HintPlans, Limits: p.Limits, History: p.History})
	}
	return cfg
}

// openGames reads the games at places of a list; one that cannot be read is left to the player to fail.
func (a *Activities) openGames(ctx context.Context, list artifacts.Digest, places ...int) ([]env.Game, error) {
	listed, err := a.listed(ctx, list, places)
	if err != nil {
		return nil, err
	}
	var games []env.Game
	for _, one := range listed {
		game, err := a.openGame(ctx, one)
		if err != nil {
			return nil, err
		}
		games = append(games, game)
	}
	return games, nil
}

// listed are the games at places of a list.
func (a *Activities) listed(ctx context.Context, list artifacts.Digest, places []int) ([]ListedGame, error) {
	all, err := ReadGameList(ctx, a.Store, list)
	if err != nil {
		return nil, err
	}
	var some []ListedGame
	for _, place := range places {
		if place < 0 || place >= len(all) {
			return nil, final(ErrTypeBadInput, fmt.Errorf("game %d of %s: it has %d", place+1, list.Short(), len(all)))
		}
		some = append(some, all[place])
	}
	return some, nil
}

func (a *Activities) openGame(ctx context.Context, listed ListedGame) (env.Game, error) {
	data, err := artifacts.ReadAll(ctx, a.Store, listed.Digest, listed.Size)
	if err != nil {
		return nil, fmt.Errorf("read game %s: %w", listed.ID, err)
	}
	game, err := a.OpenGame(ctx, listed.ID, data)
	if errors.Is(err, ErrUnread) {
		return nil, fmt.Errorf("open game %s: %w", listed.ID, err)
	}
	if err != nil {
		return brokenGame{listed, err}, nil //nolint:nilerr // the game fails when it is started, like any faulty one
	}
	return game, nil
}

// brokenGame stands for a game file that cannot be read: it fails when it is started, like any other faulty game.
type brokenGame struct {
	listed ListedGame
	err    error
}

func (g brokenGame) ID() string     { return g.listed.ID }
func (g brokenGame) Family() string { return g.listed.Family }
func (g brokenGame) Start(context.Context, env.Limits) (env.Episode, error) {
	return nil, g.err
}

// loadedModel is a model on the device.
type loadedModel struct {
	digest    artifacts.Digest
	dtype     string
	base      string // its folder, or that of the model it is an adapter of
	policy    gpu.Policy
	tokens    *tokenizer.Tokenizer
	positions int
}

// policyCache keeps the model played last: the next shard usually wants it again.
type policyCache struct {
	mu   sync.Mutex
	last *loadedModel
}

// free takes the model played last off the device, before something else needs the room.
func (c *policyCache) free() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drop()
}

func (c *policyCache) drop() error {
	last := c.last
	if c.last = nil; last == nil {
		return nil
	}
	if err := last.policy.Close(); err != nil {
		return fmt.Errorf("free model %s: %w", last.digest.Short(), err)
	}
	return nil
}

// loaded returns the model, or the policy in training, ready to play. The device's queue has one slot, so no one else is
// using the last one.
func (a *Activities) loaded(ctx context.Context, d artifacts.Digest, dtype string, beat *beater) (*loadedModel, error) {
	runner, err := a.device()
	if err != nil {
		return nil, err
	}
	a.policy.mu.Lock()
	defer a.policy.mu.Unlock()
	if last := a.policy.last; last != nil && last.digest == d && last.dtype == dtype {
		return last, nil
	}
	if err := a.policy.drop(); err != nil {
		return nil, err
	}
	base, adapter, err := a.playFolders(ctx, d, beat)
	if err != nil {
		return nil, err
	}
	tokens, err := tokenizer.Load(filepath.Join(base, "tokenizer.json"))
	if err != nil {
		return nil, final(ErrTypeBadInput, fmt.Errorf("model %s: %w", d.Short(), err))
	}
	positions, err := a.positions(ctx, d)
	if err != nil {
		return nil, err
	}
	policy, err := runner.Policy(ctx, gpu.PolicyConfig{Model: base, Adapter: adapter, DType: dtype})
	if err != nil {
		return nil, unusable(ctx, fmt.Errorf("load model %s: %w", d.Short(), err))
	}
	a.policy.last = &loadedModel{digest: d, dtype: dtype, base: base, policy: policy, tokens: tokens, positions: positions}
	return a.policy.last, nil
}

// playFolders are a model's, as modelFolders has them, or of the weights of an update.
func (a *Activities) playFolders(ctx context.Context, d artifacts.Digest, beat *beater) (base, adapter string, err error) {
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		return "", "", fmt.Errorf("read model %s: %w", d.Short(), err)
	}
	if m.Kind == artifacts.KindUpdate {
		return a.exported(ctx, d, m, beat)
	}
	return a.modelFolders(ctx, d)
}

// playManifest is what CollectTrajectories publishes and WriteReport reads.
type playManifest struct {
	PlayParameters
	Conditions agent.Conditions `json:"conditions"`
}

func decodePlay(raw json.RawMessage) (playManifest, error) {
	var p playManifest
	err := json.Unmarshal(raw, &p)
	return p, err
}
