package hints

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// Recovery asks for records of an expert that has gone astray: some way along its plan, random commands are said,
// and what the expert then says to win is learned, too. Zero fields mean what is said beside them.
type Recovery struct {
	PerGame  int    `json:"per_game" yaml:"per_game"`               // detours of a game; 0: none
	Commands int    `json:"commands" yaml:"commands"`               // of a detour, at most; 3
	Share    int    `json:"share_per_mille" yaml:"share_per_mille"` // of the games, in thousandths; 1000
	Seed     uint64 `json:"seed" yaml:"seed"`
}

// The defaults of Recovery.
const (
	DefaultDetour = 3
	DefaultShare  = 1000
)

// Recover returns the records of the detours of a game whose records by Generate are ordinary, and the detours that
// the expert did not find back from, with the reason. What is drawn depends on seed, game and number of the detour
// alone: how much of the plan is followed first, how many commands are said, and which. A detour is made of what a
// player is offered, never of the command that the expert would say, and does not end the game. The expert goes by
// the first of cfg.Plans that wins from where it stands, or by what the planner finds.
func Recover(ctx context.Context, game env.Game, ordinary []Record, cfg GenerateConfig) ([]Record, []Excluded) {
	cfg = cfg.withDefaults()
	r := cfg.Recovery
	if r == nil || r.PerGame == 0 {
		return nil, nil
	}
	if draw := (dice{seed: r.Seed, game: game.ID()}); draw.below(1000) >= cmp.Or(r.Share, DefaultShare) {
		return nil, nil
	}
	if !slices.Contains(cfg.Plans, env.Planner) {
		cfg.Plans = append(slices.Clone(cfg.Plans), env.Planner)
	}
	var records []Record
	var failed []Excluded
	for n := 1; n <= r.PerGame; n++ {
		back, err := detour(ctx, game, ordinary, n, cfg)
		if err != nil {
			failed = append(failed, ExcludeDetour(game.ID(), n, fmt.Errorf("detour %d of %s: %w", n, game.ID(), err)))
		}
		records = append(records, back...)
	}
	return records, failed
}

// detour is the records of the way back from detour n.
func detour(ctx context.Context, game env.Game, ordinary []Record, n int, cfg GenerateConfig) ([]Record, error) {
	draw := &dice{seed: cfg.Recovery.Seed, game: game.ID(), detour: n}
	var gold []string
	for _, r := range ordinary {
		gold = append(gold, r.Y)
	}
	from := draw.below(len(gold))
	length := 1 + draw.below(cmp.Or(cfg.Recovery.Commands, DefaultDetour))
	w, err := start(ctx, game, cfg, gold[:from]...)
	if err != nil {
		return nil, err
	}
	own := gold[from] // what the expert would say
	for i := range length {
		if i > 0 {
			if own, err = w.own(ctx, cfg.Plans); err != nil {
				return nil, err
			}
		}
		if w, err = w.stray(ctx, own, draw, cfg); err != nil {
			return nil, err
		}
	}
	plan, err := w.plan(ctx, cfg.Plans)
	if err != nil {
		return nil, fmt.Errorf("after %q: %w", w.said[from:], err)
	}
	return w.follow(ctx, plan, Record{Detour: n, Astray: slices.Clone(w.said[from:]), H: ordinary[0].H})
}

// own is what the expert would say now; "" if it does not know.
func (w *walk) own(ctx context.Context, kinds []env.PlanKind) (string, error) {
	for _, kind := range kinds {
		plan, err := w.episode.(env.Expert).Plan(ctx, kind)
		if err == nil && len(plan) > 0 {
			return plan[0], nil
		}
		if err != nil && !errors.Is(err, env.ErrNoPlan) {
			return "", fmt.Errorf("%s plan: %w", kind, err)
		}
	}
	return "", nil
}

// stray says a command that is drawn from those on offer, but own and those that end the game.
func (w *walk) stray(ctx context.Context, own string, draw *dice, cfg GenerateConfig) (*walk, error) {
	offered := agent.Candidates(w.episode.Now().Actions.Commands)
	offered = slices.DeleteFunc(offered, func(c string) bool { return c == own })
	before := slices.Clone(w.said)
	for len(offered) > 0 {
		i := draw.below(len(offered))
		now, err := w.say(ctx, offered[i])
		if err != nil || !now.Won && !now.Done {
			return w, err
		}
		offered = slices.Delete(offered, i, i+1)
		if w, err = start(ctx, w.game, cfg, before...); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: after %d commands nothing else can be said than what the expert says or what ends the game",
		env.ErrNoPlan, len(before))
}

// dice draws numbers for one detour of one game, the same ones every time.
type dice struct {
	seed   uint64
	game   string
	detour int // 0: for the game
	drawn  int
}

// below is a number from 0 up to n, of 64 bits of a hash, so that no draw of use is likelier than another.
func (d *dice) below(n int) int {
	d.drawn++
	key := strings.Join([]string{
		"hone detour/1", strconv.FormatUint(d.seed, 10), d.game, strconv.Itoa(d.detour), strconv.Itoa(d.drawn),
	}, "\x00")
	sum := sha256.Sum256([]byte(key))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(n))
}
