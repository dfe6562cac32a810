package activities

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/skills"
)

// RolloutParameters are what episodes depend on beside games, model and library.
type RolloutParameters struct {
	Prompts    ask.Set               `json:"prompts"`
	World      ask.World             `json:"world,omitempty"` // "" is household
	Chat       *ChatParameters       `json:"chat,omitempty"`
	Projection reply.Projection      `json:"projection"`
	Query      bool                  `json:"query,omitempty"`
	Rank       bool                  `json:"rank,omitempty"`
	Distil     bool                  `json:"distil,omitempty"`
	Show       int                   `json:"show,omitempty"`      // skills shown, at most; 0 is 1
	Retrieval  *skills.Retrieval     `json:"retrieval,omitempty"` // nil: no skills
	History    int                   `json:"history,omitempty"`   // turns shown; 0 is 2
	MaxSteps   int                   `json:"maxSteps"`
	Answer     map[rollout.Phase]int `json:"answer"` // most tokens of an answer
	Draw       rollout.Draw          `json:"draw"`
	Limits     env.Limits            `json:"limits"`
	Deadline   time.Duration         `json:"deadline"` // wall clock a game, in nanoseconds
	DType      string                `json:"dtype,omitempty"`
	Seed       uint64                `json:"seed"`
	Bare       int                   `json:"bare,omitempty"` // of a group's episodes the last so many play without skills
}

// RolloutInput asks for the episodes of some tasks of a step.
type RolloutInput struct {
	Key     artifacts.Digest `json:"key"`  // of the stage
	Step    int              `json:"step"` // 0 is before the first update
	Purpose string           `json:"purpose"`
	Games   artifacts.Digest `json:"games"`
	Model   artifacts.Digest `json:"model"`
	Library artifacts.Digest `json:"library,omitempty"`
	Tasks   []int            `json:"tasks"` // places in the list
	Group   int              `json:"group"` // rollouts of each
	RolloutParameters
}

// RolloutResult points at a shard's episodes.
type RolloutResult struct {
	Episodes artifacts.Descriptor `json:"episodes"` // JSON lines, in the order of tasks and rollouts
	Count    int                  `json:"count"`
	Won      int                  `json:"won"`
	// Excluded are episodes that ended twice by the clock: they are in no group.
	Excluded []ExcludedEpisode `json:"excluded,omitempty"`
	Work     Work              `json:"work"`
}

// ExcludedEpisode is one that its game did not let end.
type ExcludedEpisode struct {
	Game    string `json:"game"`
	Rollout int    `json:"rollout"`
	Reason  string `json:"reason"`
}

// EpisodePrefix begins the names of a step's episodes as they end. A retry plays only those that are not named.
func EpisodePrefix(key artifacts.Digest, purpose string, step int) string {
	return fmt.Sprintf("episodes/%s/%s/%08d/", key.Hex(), purpose, step)
}

// PlayRollouts plays a shard. Each episode is stored and named as it ends, so that a retry plays only the missing ones;
// played anew it would be the same. An episode that ends by the clock is played once more and then excluded.
func (a *Activities) PlayRollouts(ctx context.Context, in RolloutInput) (*RolloutResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	r := &rolloutRun{
		RolloutInput: in, Activities: a, beat: beat, place: map[string]int{}, done: map[string]rollout.Episode{}, times: rollout.NewTimes(a.Now),
	}
	if err := r.find(ctx); err != nil {
		return nil, classify(err)
	}
	for range 2 { // the second time for those that the clock ended
		if err := r.play(ctx); err != nil {
			return nil, classify(err)
		}
	}
	res, err := r.collect(ctx)
	return res, classify(err)
}

// rolloutRun is one attempt at a shard.
type rolloutRun struct {
	RolloutInput
	*Activities
	beat  *beater
	games []ListedGame   // of the tasks
	place map[string]int // of the tasks, by game
	done  map[string]rollout.Episode

	times        *rollout.Times
	load, played time.Duration // passed
}

// name is an episode's, below the step's prefix.
func (r *rolloutRun) name(task, rollout int) string {
	return fmt.Sprintf("%06d-%04d", r.Tasks[task], rollout)
}

// find lists the tasks, and reads the episodes that were stored before.
func (r *rolloutRun) find(ctx context.Context) error {
	var err error
	if r.games, err = r.listed(ctx, r.Games, r.Tasks); err != nil {
		return err
	}
	for i, one := range r.games {
		r.place[one.ID] = i
	}
	prefix := EpisodePrefix(r.Key, r.Purpose, r.Step)
	there, err := r.Store.Names(ctx, prefix)
	if err != nil {
		return fmt.Errorf("look for episodes: %w", err)
	}
	for t := range r.Tasks {
		for k := range r.Group {
			name := r.name(t, k)
			if !slices.Contains(there, prefix+name) {
				continue
			}
			if r.done[name], err = r.read(ctx, prefix+name); err != nil {
				return err
			}
		}
	}
	if len(r.done) > 0 {
		r.beat.resumed(fmt.Sprintf("episode %d", len(r.done)+1))
	}
	return nil
}

// maxEpisode bounds an episode's line, in bytes.
const maxEpisode = 64 << 20

func (r *rolloutRun) read(ctx context.Context, name string) (e rollout.Episode, err error) {
	d, err := r.Store.Resolve(ctx, name)
	if err != nil {
		return e, fmt.Errorf("read episode %s: %w", name, err)
	}
	raw, err := artifacts.ReadAll(ctx, r.Store, d, maxEpisode)
	if err == nil {
		err = json.Unmarshal(raw, &e)
	}
	if err != nil {
		return e, fmt.Errorf("read episode %s: %w", d.Short(), err)
	}
	return e, nil
}

// play plays the episodes that are not there.
func (r *rolloutRun) play(ctx context.Context) error {
	var tasks []rollout.Task
	for t, listed := range r.games {
		var game env.Game // read if an episode of it is missing
		for k := range r.Group {
			if _, there := r.done[r.name(t, k)]; there {
				continue
			}
			if game == nil {
				var err error
				if game, err = r.openGame(ctx, listed); err != nil {
					return err
				}
			}
			tasks = append(tasks, rollout.Task{Game: game, Rollout: k, Seed: r.seed(listed.ID, k), Bare: k >= r.Group-r.Bare})
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	begun := r.Now()
	cfg, err := r.config(ctx)
	if err != nil {
		return err
	}
	loaded := r.Now()
	r.load += loaded.Sub(begun)
	defer func() { r.played += r.Now().Sub(loaded) }()
	cfg.Times = r.times
	before := len(r.done)
	cfg.Progress = func(p rollout.Progress) {
		r.beat.report(Beat{Done: before + p.Finished, Of: before + p.Episodes, Unit: "episodes", Note: fmt.Sprintf("%d won", p.Won)})
	}
	return rollout.Play(ctx, cfg, tasks, func(e rollout.Episode) error {
		if e.Outcome.Cause() == agent.ReasonClock {
			return nil
		}
		name := r.name(r.place[e.Game], e.Rollout)
		raw, err := json.Marshal(e)
		if err != nil {
			return err
		}
		d, err := artifacts.PutBytes(ctx, r.Store, mediaJSONL, raw)
		if err == nil {
			err = r.Store.Name(ctx, EpisodePrefix(r.Key, r.Purpose, r.Step)+name, d.Digest)
		}
		if errors.Is(err, artifacts.ErrConflict) {
			// Another attempt, which was thought lost, has ended it first. Where devices differ in rounding, or on a GPU, it may
			// not be the same: the one that is named counts.
			r.beat.resumed("episodes of another attempt, which are not the same to the last bit")
			e, err = r.read(ctx, EpisodePrefix(r.Key, r.Purpose, r.Step)+name)
		}
		if err != nil {
			return fmt.Errorf("store rollout %d of %s: %w", e.Rollout, e.Game, err)
		}
		r.done[name] = e
		return nil
	})
}

// seed is that of an episode.
func (r *rolloutRun) seed(game string, k int) uint64 {
	return EpisodeSeed(r.Seed, r.Purpose, r.Step, game, k)
}

// EpisodeSeed is that of the k-th rollout of a game in a step of a training under a seed: of ids alone.
func EpisodeSeed(seed uint64, purpose string, step int, game string, k int) uint64 {
	b := binary.LittleEndian.AppendUint64([]byte("hone rollout/1\x00"+purpose+"\x00"+game+"\x00"), seed)
	b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(step)), uint64(k))
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}

func (r *rolloutRun) config(ctx context.Context) (rollout.Config, error) {
	r.beat.report(Beat{Of: len(r.Tasks) * r.Group, Unit: "episodes", Note: "loading the model"})
	model, err := r.loaded(ctx, r.Model, r.DType, r.beat)
	if err != nil {
		return rollout.Config{}, err
	}
	form, stop, err := formOf(ctx, model.base, model.tokens, r.Chat)
	if err != nil {
		return rollout.Config{}, fmt.Errorf("model %s: %w", r.Model.Short(), err)
	}
	cfg := r.Config(Speech{Tokens: model.tokens, Form: form, Stop: stop, Positions: model.positions})
	cfg.Policy, cfg.Clock = heardPolicy{model.policy, r.beat}, r.Deadline
	if r.Retrieval != nil && r.Library != "" {
		l, err := ReadLibrary(ctx, r.Store, r.Library)
		if err != nil {
			return cfg, err
		}
		if cfg.Skills, err = rollout.NewLibrary(l, *r.Retrieval, r.embed); err != nil {
			return cfg, final(ErrTypeBadInput, err)
		}
	}
	if err := cfg.Validate(); err != nil {
		return cfg, final(ErrTypeBadInput, fmt.Errorf("model %s: %w", r.Model.Short(), err))
	}
	return cfg, nil
}

// collect stores the episodes as one file.
func (r *rolloutRun) collect(ctx context.Context) (*RolloutResult, error) {
	var lines bytes.Buffer
	res := &RolloutResult{}
	for t := range r.Tasks {
		for k := range r.Group {
			e, ok := r.done[r.name(t, k)]
			if !ok {
				res.Excluded = append(res.Excluded, ExcludedEpisode{r.games[t].ID, k, agent.ReasonClock})
				continue
			}
			raw, err := json.Marshal(e)
			if err != nil {
				return nil, err
			}
			lines.Write(append(raw, '\n'))
			res.Count++
			if e.Outcome.Won {
				res.Won++
			}
		}
	}
	var err error
	if res.Episodes, err = artifacts.PutBytes(ctx, r.Store, mediaJSONL, lines.Bytes()); err != nil {
		return nil, fmt.Errorf("store episodes: %w", err)
	}
	res.Work = r.beat.work()
	res.Work.Phases = r.phases()
	return res, nil
}

// phases is where the time went; nil where nothing was played.
func (r *rolloutRun) phases() map[string]time.Duration {
	shares := r.times.Shares(r.played)
	if len(shares) == 0 {
		return nil
	}
	all := map[string]time.Duration{"load": r.load}
	for part, share := range shares {
		all[string(part)] = share
	}
	return all
}
