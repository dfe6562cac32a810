package alfworld

import (
	"context"
	"fmt"
	"iter"
	"runtime"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/inorder"
)

// The kinds of trouble with a game that is imported all the same.
const (
	TroubleUnplayable  = "cannot be played" // a run excludes it
	TroubleFamily      = "task type is not the goal's"
	TroubleWalkthrough = "walkthrough does not win" // no plan of that kind can be made
)

// Trouble is what a check found in a game.
type Trouble struct {
	ID     string `json:"id"`
	File   string `json:"file"`
	Kind   string `json:"kind"` // one of the kinds above
	Reason string `json:"reason"`
}

// Checked is a game of a data set with what is wrong with it.
type Checked struct {
	Imported
	Troubles []Trouble
	Warnings []string // as Game.Warnings; the official files have five
}

// Check yields what Games yields, and as Games does, but each game is also parsed, started, compared with its task
// type and, where it has a walkthrough, replayed; its bytes stay as they are. Games are checked on all cores, some
// ahead of the one that is asked for. Progress, if not nil, is called before each game is yielded.
func (s *Source) Check(ctx context.Context, progress func(done, all int)) iter.Seq2[Checked, error] {
	return func(yield func(Checked, error) bool) {
		s.leftOut = nil
		done := 0
		for c, err := range inorder.Map(runtime.GOMAXPROCS(0), s.trials, func(read func() trial) checkedTrial { return s.check(ctx, read()) }) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Checked{}, err)
				return
			}
			if done++; progress != nil {
				progress(done, s.all)
			}
			if s.pass(c.trial) {
				continue
			}
			if !yield(Checked{c.game, c.troubles, c.warnings}, c.err) || c.err != nil {
				return
			}
		}
	}
}

type checkedTrial struct {
	trial
	troubles []Trouble
	warnings []string
}

func (s *Source) check(ctx context.Context, t trial) checkedTrial {
	c := checkedTrial{trial: t}
	if t.left != nil || t.err != nil {
		return c
	}
	add := func(kind, reason string) {
		c.troubles = append(c.troubles, Trouble{t.game.ID, t.game.File, kind, reason})
	}
	game, err := t.parsed, error(nil)
	if game == nil {
		if game, err = s.library.parse(t.game.ID, t.game.Data); err != nil {
			add(TroubleUnplayable, err.Error())
			return c
		}
	}
	episode, err := game.Start(ctx, env.Limits{})
	if err != nil {
		add(TroubleUnplayable, err.Error())
		return c
	}
	if game.family != t.game.Family {
		add(TroubleFamily, fmt.Sprintf("its task type is %s, its goal is of %s", t.game.Family, game.family))
	}
	if len(game.walkthrough) > 0 {
		if why := wins(ctx, episode, game.walkthrough); why != "" {
			add(TroubleWalkthrough, why)
		}
	}
	c.warnings = game.warnings
	return c
}

// wins plays commands and says why they do not end in the win, "" if they do.
func wins(ctx context.Context, episode env.Episode, commands []string) string {
	now := episode.Now()
	for i, command := range commands {
		before := now.Moves
		var err error
		if now, err = episode.Step(ctx, command); err != nil {
			return fmt.Sprintf("command %d of %d, %q: %v", i+1, len(commands), command, err)
		}
		if now.Moves == before {
			return fmt.Sprintf("command %d of %d, %q, is refused", i+1, len(commands), command)
		}
	}
	if !now.Won {
		return fmt.Sprintf("after its %d commands the game is not won", len(commands))
	}
	return ""
}
