package lineage

import (
	"context"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// toldEpisode is an episode of an update or a panel, as it was found there.
type toldEpisode struct {
	place, rollout int // of its game in the list
	line           int
	digest         artifacts.Digest // of its line
}

// endings compares the episodes of a training with those that were named as they ended: one that is left out or exchanged
// is found by its name.
func (a *Auditor) endings(ctx context.Context, key, outcome artifacts.Digest) error {
	m, err := artifacts.GetManifest(ctx, a.Store, outcome)
	if err != nil {
		return err
	}
	for i, d := range a.trained[outcome] {
		a.expect(ctx, activities.UpdateName(key, i+1), d, fmt.Sprintf("%s %s", artifacts.KindPolicy, outcome))
		update, err := artifacts.GetManifest(ctx, a.Store, d)
		if err != nil {
			return err
		}
		in, err := activities.UpdateOf(d, update)
		if err != nil {
			return err
		}
		if in.Distil != nil {
			return nil // trajectories are stored together
		}
		prefix := activities.EpisodePrefix(key, purposeTrain, i+1)
		// A step that had ended is not taken again, but one that the clock had excluded may be named since.
		late, err := a.late(ctx, inputOf(m, "games"), prefix, in.Excluded)
		if err != nil {
			return err
		}
		if err := a.ended(ctx, fmt.Sprintf("%s %s (step %d)", artifacts.KindUpdate, d, i+1), d, prefix, late); err != nil {
			return err
		}
	}
	if err := a.panels(ctx, key, outcome, m); err != nil {
		return err
	}
	for _, in := range m.Inputs {
		line, err := activities.ReadValidation(ctx, a.Store, in.Digest)
		if err != nil || line.Role() != in.Role {
			continue // no panel, or found before
		}
		where := fmt.Sprintf("%s %s (%s)", artifacts.KindRollouts, in.Digest, in.Role)
		if err := a.ended(ctx, where, in.Digest, activities.EpisodePrefix(key, purposeOf(line.With), line.Step), nil); err != nil {
			return err
		}
	}
	return nil
}

// panels compares the validations of a training with the panels that were played in its steps: one that is left out, with
// its line, is found by the names of its episodes.
func (a *Auditor) panels(ctx context.Context, key, outcome artifacts.Digest, m *artifacts.Manifest) error {
	told := map[string]bool{}
	for _, in := range m.Inputs {
		told[in.Role] = true
	}
	for step := range len(a.trained[outcome]) + 1 {
		for _, with := range []bool{true, false} {
			if told[activities.Validation{Step: step, With: with}.Role()] {
				continue
			}
			names, err := a.Store.Names(ctx, activities.EpisodePrefix(key, purposeOf(with), step))
			if err != nil {
				return err
			}
			if len(names) > 0 {
				a.found(fmt.Sprintf("%s %s", artifacts.KindPolicy, outcome),
					fmt.Errorf("the panel of step %d was played, and no validation of it is there, such as %s", step, names[0]))
			}
		}
	}
	return ctx.Err()
}

// late are the names of episodes that were excluded, and so may have ended after that.
func (a *Auditor) late(ctx context.Context, games artifacts.Digest, prefix string, lost []activities.ExcludedEpisode) (map[string]bool, error) {
	if len(lost) == 0 {
		return nil, nil
	}
	listed, err := activities.ReadGameList(ctx, a.Store, games)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range lost {
		place := slices.IndexFunc(listed, func(g activities.ListedGame) bool { return g.ID == e.Game })
		names[episodeName(prefix, place, e.Rollout)] = true
	}
	return names, nil
}

func episodeName(prefix string, place, rollout int) string {
	return fmt.Sprintf("%s%06d-%04d", prefix, place, rollout)
}

// ended compares the episodes of an artifact with those below prefix, where only those that are late may be there in vain.
func (a *Auditor) ended(ctx context.Context, where string, of artifacts.Digest, prefix string, late map[string]bool) error {
	told, read := a.told[of]
	if !read {
		return nil // found before
	}
	names, err := a.Store.Names(ctx, prefix)
	if err != nil {
		return err
	}
	seen := map[string]bool{} // a game may be played more than once in a step: it is the same then
	for _, e := range told {
		name := episodeName(prefix, e.place, e.rollout)
		seen[name] = true
		a.expect(ctx, name, e.digest, fmt.Sprintf("%s line %d of %s", activities.EpisodesFile, e.line, where))
	}
	left := slices.DeleteFunc(names, func(name string) bool { return seen[name] || late[name] })
	if len(left) > 0 {
		a.found(where, fmt.Errorf("%s: %d episodes have ended and are not there, the first is %s", activities.EpisodesFile, len(left), left[0]))
	}
	return ctx.Err()
}
