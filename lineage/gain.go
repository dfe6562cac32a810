package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// Shares are how much of each game's episodes was won, by the game's id.
type Shares map[string]float64

// Played is what a validation came to.
type Played struct {
	Panel  artifacts.Digest // the list of its games
	Step   int
	Shares Shares // of the games that are left: one that lost all episodes to the clock has none
}

// ErrNoValidation is in the error of a training whose panel was not played after a step.
var ErrNoValidation = errors.New("no validation")

// Validations are those of a training that has ended, in the order of steps, with skills before without.
func (t *Training) Validations(ctx context.Context) (all []activities.ValidationLine, err error) {
	m, err := manifestOf(ctx, t.store, t.Outcome, artifacts.KindPolicy)
	if err != nil {
		return nil, err
	}
	err = t.read(ctx, m, activities.ValidationsFile, func(text []byte) error { return appended(&all, text) })
	return all, err
}

// Validation reads a validation of a training that has ended. Step -1 is the last one.
func (t *Training) Validation(ctx context.Context, step int, with bool) (*Played, error) {
	all, err := t.Validations(ctx)
	if err != nil {
		return nil, err
	}
	var found activities.ValidationLine
	for _, line := range all {
		if line.With == with && (line.Step == step || step < 0) {
			found = line
		}
	}
	if found.Digest == "" {
		return nil, fmt.Errorf("policy %s: %w of step %d, skills %v", t.Outcome, ErrNoValidation, step, with)
	}
	played, err := manifestOf(ctx, t.store, found.Digest, artifacts.KindRollouts)
	if err != nil {
		return nil, err
	}
	raw, err := fileOf(ctx, t.store, found.Digest, played, activities.EpisodesFile)
	if err != nil {
		return nil, err
	}
	won, count := Shares{}, map[string]float64{}
	for line := range bytes.Lines(raw) {
		var e rollout.Episode
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", activities.EpisodesFile, found.Digest, err)
		}
		count[e.Game]++
		if e.Outcome.Won {
			won[e.Game]++
		}
	}
	for game, n := range count {
		won[game] /= n
	}
	p := &Played{Step: found.Step, Shares: won}
	for _, in := range played.Inputs {
		if in.Role == "games" {
			p.Panel = in.Digest
		}
	}
	return p, nil
}

// Mean is the mean over the games.
func (s Shares) Mean() float64 {
	sum := 0.0
	for _, game := range slices.Sorted(maps.Keys(s)) {
		sum += s[game]
	}
	return sum / float64(max(len(s), 1))
}

// Common leaves of several the games that all have, and tells the others.
func Common(all ...Shares) (left []string) {
	games := map[string]int{}
	for _, one := range all {
		for game := range one {
			games[game]++
		}
	}
	for _, game := range slices.Sorted(maps.Keys(games)) {
		if games[game] == len(all) {
			continue
		}
		left = append(left, game)
		for _, one := range all {
			delete(one, game)
		}
	}
	return left
}

// Together is the mean over several, each of the same games.
func Together(all ...Shares) (Shares, error) {
	if len(all) == 0 {
		return nil, errors.New("expected shares")
	}
	mean := Shares{}
	for _, one := range all {
		if len(one) != len(all[0]) {
			return nil, fmt.Errorf("%d games and %d: expected the same", len(all[0]), len(one))
		}
		for game, share := range one {
			if _, there := all[0][game]; !there {
				return nil, fmt.Errorf("game %s is in one of them only", game)
			}
			mean[game] += share / float64(len(all))
		}
	}
	return mean, nil
}

// Difference is how much more is won in one place than in another.
type Difference struct {
	Games int     `json:"games"`
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"` // of Student's interval of 95 %
	High  float64 `json:"high"`
}

// Between is the difference of shares, paired by game: how hard a game is cancels out.
func Between(before, after Shares) (Difference, error) {
	if _, err := Together(before, after); err != nil {
		return Difference{}, err
	}
	games := slices.Sorted(maps.Keys(before))
	d := Difference{Games: len(games)}
	n := float64(len(games))
	for _, game := range games {
		d.Mean += (after[game] - before[game]) / n
	}
	if len(games) < 2 {
		return d, fmt.Errorf("%d games: expected two at least", len(games))
	}
	squares := 0.0
	for _, game := range games {
		off := after[game] - before[game] - d.Mean
		squares += off * off
	}
	half := student(len(games)-1) * math.Sqrt(squares/(n-1)/n)
	d.Low, d.High = d.Mean-half, d.Mean+half
	return d, nil
}

// student is the 97.5 % point of Student's distribution, by the expansion of Cornish and Fisher around the normal one:
// within 0.001 from eight degrees of freedom on.
func student(freedom int) float64 {
	if few := [...]float64{12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004}; freedom >= 1 && freedom <= len(few) {
		return few[freedom-1] // for which the expansion is too small
	}
	const z = 1.959963984540054
	f := float64(freedom)
	z3, z5, z7 := z*z*z, math.Pow(z, 5), math.Pow(z, 7)
	return z + (z3+z)/(4*f) + (5*z5+16*z3+3*z)/(96*f*f) + (3*z7+19*z5+17*z3-15*z)/(384*f*f*f)
}
