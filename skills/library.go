package skills

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hone-rl/hone/artifacts"
)

// Library is the skills at the end of a step, in the order of their births, with their vectors. It never changes and may be
// used from many goroutines.
type Library struct {
	rules     Rules // with defaults
	step      int
	dimension int
	skills    []Skill
	vectors   []float32 // dimension for each skill, one behind the other
	index     map[ID]int
	counts    float64 // sum of the skills' counts; whole
	digest    func() (artifacts.Digest, error)
}

// Entry is a skill with the vector of its key, of length 1.
type Entry struct {
	Skill  Skill
	Vector []float32
}

// New is the library that a run begins with, at step 0: empty, or with a bank of skills that were born before, whose
// Born is 0. All vectors have dimension numbers. rules' zero fields mean the defaults. Nothing of bank is kept.
func New(rules Rules, dimension int, bank ...Entry) (*Library, error) {
	l := &Library{rules: rules.WithDefaults(), dimension: dimension}
	for _, e := range bank {
		if e.Skill.Born != 0 {
			return nil, fmt.Errorf("new library: %s: born %d, expected 0", e.Skill.ID, e.Skill.Born)
		}
		if err := checkVector(e.Vector, dimension); err != nil {
			return nil, fmt.Errorf("new library: %s: %w", e.Skill.ID, err)
		}
		l.skills = append(l.skills, e.Skill)
		l.vectors = append(l.vectors, e.Vector...)
	}
	if err := l.finish("skill", 1); err != nil {
		return nil, fmt.Errorf("new library: %w", err)
	}
	return l, nil
}

// finish checks what a library has been given, but for its vectors, and works out the rest. Errors count the skills as
// what they are to the reader, from first.
func (l *Library) finish(what string, first int) error {
	if err := l.rules.Validate(); err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	if l.dimension < 1 || l.dimension > MaxDimension {
		return fmt.Errorf("dimension: %d, expected 1 to %d", l.dimension, MaxDimension)
	}
	if l.step < 0 || l.step > maxCount {
		return fmt.Errorf("step: %d, expected 0 to %d", l.step, maxCount)
	}
	if len(l.skills) > l.rules.Capacity {
		return fmt.Errorf("%d skills: expected at most the capacity, %d", len(l.skills), l.rules.Capacity)
	}
	born := 0
	l.index = make(map[ID]int, len(l.skills))
	for i, s := range l.skills {
		err := s.Validate()
		_, twice := l.index[s.ID]
		switch {
		case err != nil:
			return fmt.Errorf("%s %d: %w", what, first+i, err)
		case twice:
			return fmt.Errorf("%s %d: id: %s stands there twice", what, first+i, s.ID)
		case s.Born < born || s.Born > l.step:
			return fmt.Errorf("%s %d: born: %d, expected %d to %d: the order is that of births", what, first+i, s.Born, born, l.step)
		}
		born = s.Born
		l.index[s.ID] = i
	}
	l.counts = 0
	for _, s := range l.skills {
		l.counts += float64(s.Count)
	}
	l.digest = sync.OnceValues(func() (artifacts.Digest, error) {
		snapshot, err := l.Encode()
		return artifacts.Of(snapshot.Skills), err
	})
	return nil
}

// Digest is that of the library's skills.jsonl, which names the vectors by theirs: it says all that the library is.
func (l *Library) Digest() (artifacts.Digest, error) { return l.digest() }

// Step is the last step whose changes are in it, 0 for a library that begins.
func (l *Library) Step() int { return l.step }

// Rules are those it lives by, the defaults in their places.
func (l *Library) Rules() Rules { return l.rules }

// Dimension is how many numbers its vectors have.
func (l *Library) Dimension() int { return l.dimension }

// Len is how many skills it has.
func (l *Library) Len() int { return len(l.skills) }

// Skills is a copy of the skills, in birth order.
func (l *Library) Skills() []Skill { return slices.Clone(l.skills) }

// Skill is the one of that id.
func (l *Library) Skill(id ID) (Skill, bool) {
	at, there := l.index[id]
	if !there {
		return Skill{}, false
	}
	return l.skills[at], true
}

// Vector is a copy of a skill's vector, nil if there is no such skill.
func (l *Library) Vector(id ID) []float32 {
	at, there := l.index[id]
	if !there {
		return nil
	}
	return slices.Clone(l.row(at))
}

func (l *Library) row(at int) []float32 { return l.vectors[at*l.dimension : (at+1)*l.dimension] }

// ErrUnknown means that there is no such skill.
var ErrUnknown = errors.New("no such skill")

// Find is the one skill whose id begins so, with or without "skill-" in front: what a person types. ErrUnknown if there
// is none, another error if there are several.
func (l *Library) Find(begin string) (Skill, error) {
	begin = strings.TrimPrefix(begin, idPrefix)
	var found []Skill
	for _, s := range l.skills {
		if strings.HasPrefix(string(s.ID), idPrefix+begin) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return Skill{}, fmt.Errorf("skill %.40q in the library at step %d: %w", begin, l.step, ErrUnknown)
	case 1:
		return found[0], nil
	}
	return Skill{}, fmt.Errorf("skill %.40q in the library at step %d: %d begin so, %s and %s among them: expected one", begin, l.step, len(found), found[0].ID, found[1].ID)
}

// MeanUtility is the mean of all skills' utility, 0 if there are none.
func (l *Library) MeanUtility() float64 {
	if len(l.skills) == 0 {
		return 0
	}
	sum := 0.0
	for _, s := range l.skills {
		sum += s.Utility
	}
	return sum / float64(len(l.skills))
}
