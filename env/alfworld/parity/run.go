package parity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hone-rl/hone/env/alfworld"
)

// shrinkPlays bounds how often Python plays a game to shrink a difference; a play takes it a second or two.
const shrinkPlays = 120

// KeptPrefix begins the names of the folders in which differences are kept.
const KeptPrefix = "difference-"

// Config says how games are compared.
type Config struct {
	Seed  uint64
	Steps int      // commands drawn for each game
	Peers []Engine // the other engine, one for each game that is played at the same time
	// Keep is a folder in which every difference is kept as a golden game; "" keeps none.
	Keep string
	// Progress, if not nil, is called after every game, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far Run has come.
type Progress struct {
	Done, All   int // games
	Differences int
	Left        time.Duration // as long as the games so far took on average; 0 before the first
}

// Found is a difference, shrunk.
type Found struct {
	Difference
	Game     string
	Commands []string // the fewest that were found to differ
	Folder   string   // where it is kept, "" for nowhere
}

// Run draws commands for every game on our engine, plays them on both and compares the answers. The report does not
// depend on the number of peers. An error means that an engine cannot be asked at all.
func Run(ctx context.Context, cfg Config, games []Drawn) (*Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &runner{Config: cfg, begun: time.Now(), all: len(games), outcomes: make([]outcome, len(games))}
	next := make(chan int)
	var wg sync.WaitGroup
	for _, peer := range cfg.Peers {
		wg.Go(func() {
			for i := range next {
				if err := r.game(ctx, i, games[i], peer); err != nil {
					cancel(fmt.Errorf("game %s: %w", games[i].ID, err))
					return
				}
			}
		})
	}
feed:
	for i := range games {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	report := newReport()
	for i, o := range r.outcomes {
		report.add(games[i], o)
	}
	return report, nil
}

// outcome is what came of one game.
type outcome struct {
	commands []string
	rows     []Row // ours
	found    *Found
}

type runner struct {
	Config
	begun    time.Time
	all      int
	outcomes []outcome

	mu   sync.Mutex
	done Progress
}

func (r *runner) game(ctx context.Context, i int, g Drawn, peer Engine) error {
	o := &r.outcomes[i]
	game, err := alfworld.Parse(g.ID, g.Data)
	if err == nil {
		o.commands, err = Draw(ctx, r.Seed, g.ID, game, r.Steps)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// What our engine cannot read or play on is compared all the same: perhaps the other one can.
	_ = err
	var d *Difference
	if o.rows, d, err = r.compare(ctx, g, o.commands, peer); err != nil {
		return err
	}
	if d != nil {
		if o.found, err = r.shrink(ctx, g, *d, o.commands[:min(d.Step, len(o.commands))], peer); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done.Done++
	r.done.All = r.all
	if o.found != nil {
		r.done.Differences++
	}
	r.done.Left = time.Since(r.begun) / time.Duration(r.done.Done) * time.Duration(r.all-r.done.Done)
	if r.Progress != nil {
		r.Progress(r.done)
	}
	return nil
}

func (r *runner) compare(ctx context.Context, g Drawn, commands []string, peer Engine) ([]Row, *Difference, error) {
	want, err := peer.Play(ctx, g.Data, commands)
	if err != nil {
		return nil, nil, err
	}
	got, err := Ours{}.Play(ctx, g.Data, commands)
	if err != nil {
		return nil, nil, err
	}
	return got.Rows, Compare(want, got), nil
}

// shrink finds the fewest commands that differ and keeps them.
func (r *runner) shrink(ctx context.Context, g Drawn, first Difference, commands []string, peer Engine) (*Found, error) {
	f := &Found{Difference: first, Game: g.ID, Commands: commands}
	again, err := r.replay(ctx, f, g, peer)
	if err != nil || !again {
		f.Field += " (once: played again, the two agree)"
		return f, err
	}
	f.Commands, err = Shrink(commands, shrinkPlays, func(shorter []string) (bool, error) {
		_, d, err := r.compare(ctx, g, shorter, peer)
		return d != nil, err
	})
	if err != nil {
		return nil, err
	}
	if _, err := r.replay(ctx, f, g, peer); err != nil || r.Keep == "" {
		return f, err
	}
	digest := sha256.Sum256(append([]byte(g.ID+"\x00"), g.Data...))
	f.Folder = filepath.Join(r.Keep, KeptPrefix+hex.EncodeToString(digest[:4]))
	want, err := peer.Play(ctx, g.Data, f.Commands)
	if err != nil {
		return nil, err
	}
	return f, Keep(f.Folder, g.Data, []Walk{{"shrunk", f.Commands, want.Rows}})
}

// replay reports whether the commands differ, and notes how.
func (r *runner) replay(ctx context.Context, f *Found, g Drawn, peer Engine) (bool, error) {
	_, d, err := r.compare(ctx, g, f.Commands, peer)
	if d != nil {
		f.Difference = *d
	}
	return d != nil, err
}
