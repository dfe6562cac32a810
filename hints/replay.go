package hints

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// Replay plays the records of a game anew, without expert or hint, and compares all that they say of it: what is
// read and on offer at each step, that each command is on offer, that the last one wins and none before it, and the
// same of each detour. It does not ask whether the expert would say the same again.
func Replay(ctx context.Context, game env.Game, records []Record, cfg GenerateConfig) error {
	cfg = cfg.withDefaults()
	var gold []string
	for part := range byDetour(records) {
		if err := replay(ctx, game, gold, part, cfg); err != nil {
			return fmt.Errorf("replaying records of %s: %w", game.ID(), err)
		}
		if part[0].Detour == 0 {
			for _, r := range part {
				gold = append(gold, r.Y)
			}
		}
	}
	return nil
}

// replay plays the records of a plan, or those of the way back from a detour that leaves the plan gold.
func replay(ctx context.Context, game env.Game, gold []string, records []Record, cfg GenerateConfig) error {
	w, err := start(ctx, game, cfg)
	if err != nil {
		return err
	}
	first := records[0]
	from := first.from()
	if first.Detour == 0 && from != 0 || from < 0 || from >= max(1, len(gold)) {
		return fmt.Errorf("%s: it leaves a plan of %d commands after %d", first.at(), len(gold), from)
	}
	for _, command := range slices.Concat(gold[:from], first.Astray) {
		if err := w.check(ctx, command, false); err != nil {
			return fmt.Errorf("detour %d: %w", first.Detour, err)
		}
	}
	for i, r := range records {
		if r.Game != game.ID() || r.Family != game.Family() || r.Step != len(w.said)+1 || !slices.Equal(r.Astray, first.Astray) {
			return fmt.Errorf("%s of %s, family %s, where step %d of %s is expected, with astray %q",
				r.at(), r.Game, r.Family, len(w.said)+1, game.Family(), first.Astray)
		}
		if err := sameX(r.X, w.tracker.X()); err != nil {
			return fmt.Errorf("%s: %w", r.at(), err)
		}
		if err := w.check(ctx, r.Y, i == len(records)-1); err != nil {
			return fmt.Errorf("%s: %w", r.at(), err)
		}
	}
	return nil
}

// at is where r stands in its game.
func (r Record) at() string {
	if r.Detour > 0 {
		return fmt.Sprintf("detour %d, step %d", r.Detour, r.Step)
	}
	return fmt.Sprintf("step %d", r.Step)
}

// sameX says in what a record differs from its game.
func sameX(record, game agent.X) error {
	for _, f := range []struct {
		name         string
		record, game any
	}{
		{"goal", record.Goal, game.Goal},
		{"history", record.History, game.History},
		{"observation", record.Observation, game.Observation},
		{"admissible", record.Admissible, game.Admissible},
		{"forms", record.Forms, game.Forms},
	} {
		if !reflect.DeepEqual(f.record, f.game) {
			return fmt.Errorf("x.%s: the record has %.300q, the game %.300q", f.name, f.record, f.game)
		}
	}
	return nil
}

// check says command, which has to be on offer and to win or not.
func (w *walk) check(ctx context.Context, command string, wins bool) error {
	if !w.episode.Now().Actions.Allow(command) {
		return fmt.Errorf("%q is not admissible", command)
	}
	now, err := w.say(ctx, command)
	if err == nil && now.Won != wins {
		err = fmt.Errorf("%q: won is %v, expected %v", command, now.Won, wins)
	}
	return err
}
