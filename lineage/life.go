package lineage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/skills"
)

// ErrAmbiguous is in the error of the beginning of an id that several skills have.
var ErrAmbiguous = errors.New("expected the beginning of one")

// skillPrefix begins every skill's id; a person may leave it out.
const skillPrefix = "skill-"

// CheckSkill says whether text has the form of a skill's id or of its beginning, with or without "skill-".
func CheckSkill(text string) error {
	digits := strings.TrimPrefix(text, skillPrefix)
	if digits == "" || len(digits) > 16 || strings.Trim(digits, hexDigits) != "" {
		return fmt.Errorf("%.40q: expected a skill's id or its beginning, such as %s0a1b2c or 0a1b2c", text, skillPrefix)
	}
	return nil
}

// Life is the life of the one skill whose id begins so, through all steps of the chain: of those that are there no longer
// too. skills.ErrUnknown where there never was one, ErrAmbiguous where there were several.
func (l *Libraries) Life(ctx context.Context, begin string) (*skills.Story, error) {
	if err := CheckSkill(begin); err != nil {
		return nil, err
	}
	first, err := l.read(ctx, 0)
	if err != nil {
		return nil, err
	}
	found := matching{begin: skillPrefix + strings.TrimPrefix(begin, skillPrefix), seen: map[skills.ID]bool{}}
	for _, s := range first.Skills() {
		found.see(s.ID)
	}
	lists := make([]skills.Changes, 0, l.Step())
	for step := 1; step <= l.Step(); step++ {
		c, err := l.changes(ctx, step)
		if err != nil {
			return nil, err
		}
		for _, one := range c.List {
			switch one := one.(type) {
			case *skills.Born:
				found.see(one.Skill.ID)
			case *skills.Merged:
				found.see(one.Skill.ID)
			}
		}
		lists = append(lists, c.About(found.first())) // nothing was about it before its birth
	}
	switch len(found.ids) {
	case 0:
		return nil, fmt.Errorf("%s in library %s and the %d before it: %w", begin, l.Digest(), l.Step(), skills.ErrUnknown)
	case 1:
		return skills.Life(found.first(), first, lists...)
	}
	return nil, fmt.Errorf("%s begins %s: %w", begin, found, ErrAmbiguous)
}

// matching are the skills whose id begins so, in the order of their births.
type matching struct {
	begin string
	ids   []skills.ID
	seen  map[skills.ID]bool
}

func (m *matching) see(id skills.ID) {
	if strings.HasPrefix(string(id), m.begin) && !m.seen[id] {
		m.ids, m.seen[id] = append(m.ids, id), true
	}
}

func (m *matching) first() skills.ID {
	if len(m.ids) == 0 {
		return ""
	}
	return m.ids[0]
}

// mostListed is how many ids an error lists.
const mostListed = 16

func (m matching) String() string {
	var names []string
	for _, id := range m.ids[:min(len(m.ids), mostListed)] {
		names = append(names, string(id))
	}
	text := strings.Join(names, ", ")
	if more := len(m.ids) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
