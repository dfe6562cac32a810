package skills

import (
	"fmt"
	"slices"

	"github.com/hone-rl/hone/artifacts"
)

// Episode is what an episode of a step did with the library, and what it gave.
type Episode struct {
	Place
	Retrieved []ID    // what it retrieved, each once, in any order; all are updated, not the selected one alone
	Selected  ID      // the one of them that it was played with, "" if none
	Target    float64 // what the utilities move towards, 0 to 1: 1 for success, 0 for failure
	Births    []Birth // skills that could be parsed; whether they enter is for the rules
}

// Birth is a skill that an episode gave.
type Birth struct {
	Task, Type, Head, Strategy string           // as in Skill
	Episode                    string           // id of the episode
	Source                     artifacts.Digest // of what holds it
	Outcome                    Outcome          // of the episode
	Predicted                  Outcome          // what the policy had said of it, "" if that was not asked
	Vector                     []float32        // of the skill's key, of length 1
}

// Key is the text whose vector the skill is found by, as Skill.Key.
func (b Birth) Key() string { return b.skill(0).Key() }

func (b Birth) skill(step int) Skill {
	return Skill{
		ID: NewID(b.Episode, b.Source, b.Head, b.Strategy), Task: b.Task, Type: b.Type, Head: b.Head, Strategy: b.Strategy,
		Episode: b.Episode, Source: b.Source, Outcome: b.Outcome, Born: step, Utility: BirthUtility, Count: BirthCount,
	}
}

// Next is what the episodes of the next step change. It is a function of the library and the episodes, not of their
// order. Nothing of l changes: Apply makes the library after it. Episodes that retrieved what is not in l, or two of one
// place, are an error. Vectors of births are kept: they must not be written afterwards.
func (l *Library) Next(episodes []Episode) (Changes, error) {
	d := newDraft(l)
	sorted := slices.SortedFunc(slices.Values(episodes), func(a, b Episode) int { return a.Compare(b.Place) })
	for i, e := range sorted {
		err := error(nil)
		if i > 0 && e.Place == sorted[i-1].Place {
			err = fmt.Errorf("two episodes of one place")
		}
		if err == nil {
			err = d.episode(e)
		}
		if err != nil {
			return Changes{}, fmt.Errorf("changes of step %d: task %d, rollout %d: %w", d.step, e.Task, e.Rollout, err)
		}
	}
	for _, r := range d.retiring() {
		if err := d.add(r); err != nil {
			return Changes{}, fmt.Errorf("changes of step %d: %w", d.step, err)
		}
	}
	before, err := l.Digest()
	if err != nil {
		return Changes{}, fmt.Errorf("changes of step %d: %w", d.step, err)
	}
	next, err := d.library()
	if err != nil {
		return Changes{}, fmt.Errorf("changes of step %d: %w", d.step, err)
	}
	after, err := next.Digest()
	if err != nil {
		return Changes{}, fmt.Errorf("changes of step %d: %w", d.step, err)
	}
	return Changes{Step: d.step, Before: before, After: after, List: d.list}, nil
}

// episode adds what one episode changes.
func (d *draft) episode(e Episode) error {
	if e.Selected != "" && !slices.Contains(e.Retrieved, e.Selected) {
		return fmt.Errorf("%s was selected and not retrieved", e.Selected)
	}
	for _, id := range slices.Sorted(slices.Values(e.Retrieved)) {
		s, err := d.old(id)
		if err != nil {
			return err
		}
		err = d.add(&Updated{
			Place: e.Place, ID: id, Selected: id == e.Selected, Target: e.Target,
			Before: s.Utility, After: moved(s.Utility, e.Target, d.rules.Rate), Count: s.Count + 1,
		})
		if err != nil {
			return err
		}
	}
	for _, b := range e.Births {
		if err := d.birth(e.Place, b); err != nil {
			return err
		}
	}
	return nil
}

// birth adds a skill, or makes it one with its twin, if the rules admit it.
func (d *draft) birth(at Place, b Birth) error {
	if !d.rules.Admit.admits(b.Outcome, b.Predicted) {
		return nil
	}
	newborn := b.skill(d.step)
	if err := d.newborn(newborn, b.Predicted, b.Vector); err != nil {
		return err
	}
	twin, similarity := d.twin(newborn, b.Vector)
	if twin == nil {
		return d.add(&Born{Place: at, Skill: newborn, Predicted: b.Predicted, Vector: b.Vector})
	}
	return d.add(&Merged{
		Place: at, Into: twin.ID, Skill: newborn, Predicted: b.Predicted, Similarity: similarity, Before: twin.Utility,
		After: moved(twin.Utility, BirthUtility, d.rules.Rate), Count: twin.Count + 1, Vector: b.Vector,
	})
}
