package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent/internal/net"
	"github.com/hone-rl/hone/env"
)

// ReplayError says where a trajectory is not what the game does.
type ReplayError struct {
	Game string
	Step int    // 1 for the first choice; the state before it is compared first
	What string // "observation", "admissible commands", "command", "outcome", …
	Want string // what the trajectory says
	Got  string // what the game says
}

// Error implements error.
func (e *ReplayError) Error() string {
	return fmt.Sprintf("replaying %s: step %d: %s: trajectory has %q, game has %q", e.Game, e.Step, e.What, e.Want, e.Got)
}

// Replay plays the commands of t on game anew, without model, prompt or oracle, and compares all that the game
// says: observations, admissible commands, that each command is admissible (but where t is Free), and the success. A trajectory that
// ended by a limit must meet the same limit again. The error is a *ReplayError where the two differ.
func Replay(ctx context.Context, game env.Game, t Trajectory, limits env.Limits) error {
	r := replay{t: t}
	if t.Game != game.ID() {
		return r.differs("game", t.Game, game.ID())
	}
	if t.Family != game.Family() {
		return r.differs("family", t.Family, game.Family())
	}
	episode, err := net.Guard(func() (env.Episode, error) { return game.Start(ctx, limits) })
	if err != nil {
		return r.failed(ctx, err, len(t.Steps) == 0 && t.Last == nil)
	}
	now := episode.Now()
	for i, s := range t.Steps {
		r.step = i
		if err := r.same(State{Observation: s.Observation, Admissible: s.Admissible, Forms: s.Forms}, now, false); err != nil {
			return err
		}
		if now.Won || now.Done {
			return r.differs("command", s.Command, "the game had ended")
		}
		if !t.Free && !(env.Actions{Commands: s.Admissible, Forms: s.Forms}).Allow(s.Command) {
			return r.differs("command", s.Command, "not admissible: "+strings.Join(s.Admissible, " | "))
		}
		if now, err = net.Guard(func() (env.Observation, error) { return episode.Step(ctx, s.Command) }); err != nil {
			return r.failed(ctx, err, i == len(t.Steps)-1 && t.Last == nil)
		}
	}
	return r.ending(now)
}

// replay is the place in t that is being compared.
type replay struct {
	t    Trajectory
	step int // counted from 0
}

func (r *replay) differs(what, want, got string) error {
	return &ReplayError{Game: r.t.Game, Step: r.step + 1, What: what, Want: want, Got: got}
}

// failed judges an error of the game: fine if the trajectory ends here for the same reason.
func (r *replay) failed(ctx context.Context, err error, last bool) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("replaying %s: step %d: %w", r.t.Game, r.step+1, err)
	}
	if got := Failure(err); !last || got != r.t.Outcome.Reason {
		return r.differs("reason", r.t.Outcome.Reason, got)
	}
	return nil
}

// same compares a state; score and ending only where the trajectory has them.
func (r *replay) same(want State, now env.Observation, whole bool) error {
	got := *StateOf(now)
	switch {
	case want.Observation != got.Observation:
		return r.differs("observation", want.Observation, got.Observation)
	case !slices.Equal(want.Admissible, got.Admissible):
		return r.differs("admissible commands", strings.Join(want.Admissible, " | "), strings.Join(got.Admissible, " | "))
	case !slices.Equal(want.Forms, got.Forms):
		return r.differs("forms", fmt.Sprint(want.Forms), fmt.Sprint(got.Forms))
	case whole && want.Score != got.Score:
		return r.differs("score", fmt.Sprint(want.Score), fmt.Sprint(got.Score))
	case whole && (want.Won != got.Won || want.Done != got.Done):
		return r.differs("won and done", fmt.Sprint(want.Won, want.Done), fmt.Sprint(got.Won, got.Done))
	}
	return nil
}

// ending compares the state after the last step and what the trajectory says of it.
func (r *replay) ending(now env.Observation) error {
	r.step = len(r.t.Steps)
	out, cause := r.t.Outcome, r.t.Outcome.Cause()
	if r.t.Last == nil {
		if cause == ReasonClock {
			return nil // the game did not answer in time then; it does now
		}
		return r.differs("last state", "none: "+out.Reason, now.Text)
	}
	if err := r.same(*r.t.Last, now, true); err != nil {
		return err
	}
	if out.Steps != len(r.t.Steps) {
		return r.differs("steps", fmt.Sprint(out.Steps), fmt.Sprint(len(r.t.Steps)))
	}
	if out.Won != now.Won || (cause == ReasonWon) != now.Won {
		return r.differs("outcome", fmt.Sprint(out.Won, " ", out.Reason), fmt.Sprint(now.Won))
	}
	if lost := now.Done && !now.Won; (cause == ReasonLost) != lost {
		return r.differs("outcome", out.Reason, fmt.Sprint("done ", now.Done))
	}
	return nil
}
