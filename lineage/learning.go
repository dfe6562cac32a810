package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// Learning is how a training went, step by step.
type Learning struct {
	Steps       []LearningStep `json:"steps"`
	Validations []PanelPlay    `json:"validations"`
	Excluded    []LostEpisode  `json:"excluded,omitempty"` // of the steps, by the clock
}

// LostEpisode is one of a step that its game did not let end.
type LostEpisode struct {
	Step int `json:"step"`
	activities.ExcludedEpisode
}

// LearningStep is one step: its episodes, what the policy then learnt from them, and the skill library after them.
type LearningStep struct {
	Step     int      `json:"step"` // from 1
	Episodes int      `json:"episodes"`
	Won      int      `json:"won"`
	KL       *float64 `json:"kl,omitempty"`      // to the reference, nats, mean over learning tokens; nil where none learnt
	Entropy  *float64 `json:"entropy,omitempty"` // nats, likewise
	Skills   *int     `json:"skills,omitempty"`  // in the library; nil without one
	Utility  *float64 `json:"utility,omitempty"` // their mean
}

// PanelPlay is a panel that a policy played.
type PanelPlay struct {
	Step  int    `json:"step"` // of the policy; 0 is before the first update
	Panel string `json:"panel"`
	With  bool   `json:"with"` // with skills
	Count int    `json:"count"`
	Won   int    `json:"won"`
	// Score is the mean of the episodes', left out where it is the share of those won.
	Score float64 `json:"score,omitempty"`
	// Excluded are episodes that the clock ended. Of a training under way they are not known.
	Excluded int `json:"excluded,omitempty"`
}

// Learning reads how the training went. Of one under way, panels are counted from their episodes, up to the last step but
// the newest, whose panels may be half played.
func (t *Training) Learning(ctx context.Context) (*Learning, error) {
	lines, plays, err := t.lines(ctx)
	if err != nil {
		return nil, err
	}
	l, lost := &Learning{Validations: plays}, 0
	for i, line := range lines {
		if line.Step != i+1 {
			return nil, fmt.Errorf("update %s is of step %d, expected %d", line.Policy, line.Step, i+1)
		}
		one, err := stepOf(line)
		if err != nil {
			return nil, fmt.Errorf("update %s: %w", line.Policy, err)
		}
		l.Steps = append(l.Steps, one)
		if line.Figures != nil {
			lost += line.Figures.Excluded
		}
	}
	if lost > 0 {
		l.Excluded, err = t.excluded(ctx)
	}
	return l, err
}

// excluded are the episodes that the steps have lost, which the manifests of the updates name.
func (t *Training) excluded(ctx context.Context) (all []LostEpisode, err error) {
	err = t.walk(ctx, func(d artifacts.Digest, m *artifacts.Manifest) error {
		in, err := activities.UpdateOf(d, m)
		for _, e := range slices.Backward(in.Excluded) {
			all = append(all, LostEpisode{in.Step, e})
		}
		return err
	})
	slices.Reverse(all)
	return all, err
}

// Updates are the figures of all steps, in their order.
func (t *Training) Updates(ctx context.Context) ([]activities.StepLine, error) {
	lines, _, err := t.lines(ctx)
	return lines, err
}

func (t *Training) lines(ctx context.Context) ([]activities.StepLine, []PanelPlay, error) {
	if t.Outcome == "" {
		lines, err := t.updates(ctx)
		if err != nil {
			return nil, nil, err
		}
		plays, err := t.plays(ctx, len(lines))
		return lines, plays, err
	}
	m, err := manifestOf(ctx, t.store, t.Outcome, artifacts.KindPolicy)
	if err != nil {
		return nil, nil, err
	}
	var lines []activities.StepLine
	if err := t.read(ctx, m, activities.StepsFile, func(text []byte) error { return appended(&lines, text) }); err != nil {
		return nil, nil, err
	}
	plays := []PanelPlay{}
	err = t.read(ctx, m, activities.ValidationsFile, func(text []byte) error { return appended(&plays, text) })
	for i, p := range plays {
		if err == nil && (p.Won < 0 || p.Count < p.Won || p.Step < 0) {
			err = fmt.Errorf("%s line %d of policy %s: step %d, %d of %d won", activities.ValidationsFile, i+1, t.Outcome, p.Step, p.Won, p.Count)
		}
	}
	return lines, plays, err
}

func appended[T any](to *[]T, text []byte) error {
	var one T
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	*to = append(*to, one)
	return nil
}

// read hands the lines of a file of the outcome to take.
func (t *Training) read(ctx context.Context, m *artifacts.Manifest, name string, take func([]byte) error) error {
	raw, err := fileOf(ctx, t.store, t.Outcome, m, name)
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if err := take(line); err != nil {
			return fmt.Errorf("%s line %d of policy %s: %w", name, n, t.Outcome, err)
		}
	}
	return nil
}

// updates are the steps' lines, in their order.
func (t *Training) updates(ctx context.Context) (lines []activities.StepLine, err error) {
	err = t.walk(ctx, func(d artifacts.Digest, m *artifacts.Manifest) error {
		raw, err := fileOf(ctx, t.store, d, m, activities.UpdateFile)
		if err != nil {
			return err
		}
		var line activities.StepLine
		if err := json.Unmarshal(raw, &line); err != nil {
			return fmt.Errorf("%s of update %s: %w", activities.UpdateFile, d, err)
		}
		line.Policy = d
		lines = append(lines, line)
		return nil
	})
	slices.Reverse(lines)
	return lines, err
}

// walk goes from the newest update back to the model that training began from.
func (t *Training) walk(ctx context.Context, at func(artifacts.Digest, *artifacts.Manifest) error) error {
	for d := t.Policy; ; {
		m, err := artifacts.GetManifest(ctx, t.store, d)
		if err != nil {
			return fmt.Errorf("policy %s: %w", d, err)
		}
		if m.Kind != artifacts.KindUpdate {
			return nil
		}
		if err := at(d, m); err != nil {
			return err
		}
		before := inputOf(m, "policy")
		if before == "" {
			return fmt.Errorf("update %s names no policy before it", d)
		}
		d = before
	}
}

// stepOf is what a step's figures say of how it went.
func stepOf(line activities.StepLine) (LearningStep, error) {
	one := LearningStep{Step: line.Step}
	if f := line.Figures; f != nil {
		if f.Won < 0 || f.Won > f.Episodes {
			return one, fmt.Errorf("%d of %d episodes won", f.Won, f.Episodes)
		}
		one.Episodes, one.Won = f.Episodes, f.Won
		if f.After != nil {
			one.Skills, one.Utility = &f.After.Skills, &f.After.Utility
		}
	}
	if line.Report == nil {
		return one, nil
	}
	tokens, kl, entropy := 0, 0.0, 0.0
	for _, s := range line.Report.Steps {
		tokens += s.Tokens
		kl += float64(s.Tokens) * s.KL
		entropy += float64(s.Tokens) * s.Entropy
	}
	if tokens > 0 {
		kl, entropy = kl/float64(tokens), entropy/float64(tokens)
		one.KL, one.Entropy = &kl, &entropy
	}
	return one, nil
}

// maxEpisode bounds a stored episode, in bytes. One of 50 turns has some 100 kB.
const maxEpisode = 64 << 20

// plays counts the panels that were played before the newest of so many steps, from the episodes' names.
func (t *Training) plays(ctx context.Context, steps int) ([]PanelPlay, error) {
	plays := []PanelPlay{}
	for step := range steps {
		for _, with := range []bool{true, false} {
			p := PanelPlay{Step: step, With: with}
			purpose := "validation/with"
			if !with {
				purpose += "out"
			}
			names, err := t.store.Names(ctx, activities.EpisodePrefix(t.Key, purpose, step))
			if err != nil {
				return nil, err
			}
			var scores rollout.Scores
			for _, name := range names {
				d, err := t.store.Resolve(ctx, name)
				if err != nil {
					return nil, fmt.Errorf("name %s: %w", name, err)
				}
				raw, err := artifacts.ReadAll(ctx, t.store, d, maxEpisode)
				if err != nil {
					return nil, fmt.Errorf("episode %s: %w", strings.TrimPrefix(name, "episodes/"), err)
				}
				var e rollout.Episode
				if err := json.Unmarshal(raw, &e); err != nil {
					return nil, fmt.Errorf("episode %s: %w", name, err)
				}
				p.Count++
				if e.Outcome.Won {
					p.Won++
				}
				scores.Add(e)
			}
			p.Score = scores.Mean()
			if p.Count > 0 {
				plays = append(plays, p)
			}
		}
	}
	return plays, nil
}
