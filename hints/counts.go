package hints

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/env"
)

// counted is a game of a dataset, or a detour of one.
type counted struct {
	Ref
	expert  env.PlanKind
	records int       // from the first state
	detours []counted // by number
	number  int       // of a detour
	astray  []string  // its commands
}

// of is the part of g that r belongs to, which begins with r if there is none yet.
func (g *counted) of(r Record) *counted {
	if r.Detour == 0 {
		return g
	}
	if n := len(g.detours); n == 0 || g.detours[n-1].number != r.Detour {
		g.detours = append(g.detours, counted{expert: r.Expert, number: r.Detour, astray: r.Astray})
	}
	return &g.detours[len(g.detours)-1]
}

// follows says whether r goes on from the detour g, which leaves a plan of so many commands.
func (g *counted) follows(r Record, plan int) error {
	if r.Detour == 0 {
		return nil
	}
	if from := r.from() - g.records; from >= plan || !slices.Equal(r.Astray, g.astray) {
		return fmt.Errorf("game %s detour %d step %d: astray %q after %d commands of %d, expected %q after fewer than all",
			r.Game, r.Detour, r.Step, r.Astray, from, plan, g.astray)
	}
	return nil
}

// all is the records of g, those of detours too.
func (g *counted) all() int {
	n := g.records
	for _, d := range g.detours {
		n += d.records
	}
	return n
}

// exclude counts a game without records, or a detour without.
func (d *dataset) exclude(m *Manifest, e Excluded) error {
	at, found := slices.BinarySearchFunc(d.games, e.Game, func(g counted, id string) int { return cmp.Compare(g.Game, id) })
	switch {
	case e.Detour == 0 && found:
		return fmt.Errorf("game %s is excluded and has records", e.Game)
	case e.Detour == 0:
		m.Excluded[e.Kind]++
	case m.Recovery == nil:
		return fmt.Errorf("detour %d of game %s is excluded: expected no detours", e.Detour, e.Game)
	case !found:
		return fmt.Errorf("detour %d of game %s is excluded, expected records of the game", e.Detour, e.Game)
	case slices.ContainsFunc(d.games[at].detours, func(d counted) bool { return d.number == e.Detour }):
		return fmt.Errorf("detour %d of game %s is excluded and has records", e.Detour, e.Game)
	default:
		m.Recovery.Failed[e.Kind]++
	}
	return nil
}

// count adds a game to what there is.
func (m *Manifest) count(g counted, held bool) error {
	c := m.Families[g.Family]
	parts := [...]*Part{&m.Split.Train, &c.Train}
	if held {
		parts = [...]*Part{&m.Split.Validation, &c.Validation}
	}
	for _, p := range parts {
		p.Games++
		p.Records += g.all()
	}
	m.Families[g.Family] = c
	m.Experts[g.expert]++
	m.ExpertRecords[g.expert] += g.records
	m.Plans.Games[g.records]++
	m.Plans.Max = max(m.Plans.Max, g.records)
	if m.Plans.Min == 0 || g.records < m.Plans.Min {
		m.Plans.Min = g.records
	}
	if len(g.detours) == 0 {
		return nil
	}
	if m.Recovery == nil {
		return fmt.Errorf("game %s has records of a detour: expected none", g.Game)
	}
	m.Recovery.Games++
	for _, d := range g.detours {
		m.Recovery.Detours++
		m.Recovery.Records += d.records
		m.Recovery.Experts[d.expert]++
		m.ExpertRecords[d.expert] += d.records
	}
	return nil
}
