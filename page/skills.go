package page

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"slices"

	"github.com/hone-rl/hone/internal/chart"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/skills"
)

// library is a training's skill library.
type library struct {
	Title  string
	ID     string
	Note   string
	Skills []skill // those that are there by utility, then the retired, the last first
	Left   int     // that are not shown
	Gone   int     // retired ones that are not shown
}

// skill is a skill with its life.
type skill struct {
	skills.Skill
	Place   string // id of its element
	Path    template.HTML
	Merged  int
	Retired string // why and when, "" of one that is there
	Origin  string // "#…" of the episode that it was born of, "" where the page does not have it
}

// Title is what a list shows of it.
func (s skill) Title() string { return clipped(s.Key(), 300) }

// skills reads the libraries of the run's trainings, with the lives of all that was ever in them.
func (r *run) skills(ctx context.Context) error {
	for i, t := range r.Trainings {
		if t.at == nil || t.at.Library == "" {
			continue
		}
		chain, err := lineage.OpenLibraries(ctx, r.store, t.at.Library)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		lives, err := chain.Lives(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		l := library{Title: t.Title, ID: fmt.Sprintf("%s-skills%d", r.ID, i+1)}
		r.collect(&l, t, lives, chain.Step())
		r.Libraries = append(r.Libraries, l)
	}
	return nil
}

// collect lists a library's skills, at the end of its last step.
func (r *run) collect(l *library, t *training, lives []*lineage.Lived, last int) {
	var there, gone []*lineage.Lived
	for _, one := range lives {
		r.known[string(one.Skill.ID)] = one
		if one.Retired != nil {
			gone = append(gone, one)
		} else {
			there = append(there, one)
			t.best = append(t.best, one.Skill)
		}
	}
	by := func(a, b skills.Skill) int {
		return cmp.Or(cmp.Compare(b.Utility, a.Utility), cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(t.best, by)
	slices.SortFunc(there, func(a, b *lineage.Lived) int { return by(a.Skill, b.Skill) })
	slices.SortFunc(gone, func(a, b *lineage.Lived) int {
		return cmp.Or(cmp.Compare(b.Gone, a.Gone), cmp.Compare(a.Skill.ID, b.Skill.ID))
	})
	l.Note = fmt.Sprintf("%s after step %d, %d retired.", counted(len(there), "skill"), last, len(gone))
	l.Left, l.Gone = max(0, len(there)-mostSkills), max(0, len(gone)-mostRetired)
	for _, one := range slices.Concat(there[:min(len(there), mostSkills)], gone[:min(len(gone), mostRetired)]) {
		s := skill{Skill: one.Skill, Place: r.skillPlace(string(one.Skill.ID)), Merged: one.Merged, Path: spark(one, last)}
		s.Strategy = clipped(s.Strategy, mostText)
		if one.Retired != nil {
			s.Retired = fmt.Sprintf("after step %d: worth least by %s in a library above its capacity", one.Gone, one.Retired.Rule)
		}
		l.Skills = append(l.Skills, s)
		r.listed[string(one.Skill.ID)] = true
	}
}

func spark(one *lineage.Lived, last int) template.HTML {
	points := make([]chart.Point, len(one.Path))
	for i, u := range one.Path {
		points[i] = chart.Point{X: float64(u.Step), Y: u.Value}
	}
	if one.Retired != nil {
		last = one.Gone
	}
	first, end := one.Path[0], one.Path[len(one.Path)-1]
	return drawn(chart.Spark(points, float64(last), 4, fmt.Sprintf("utility from %.2f after step %d to %.2f after step %d", first.Value, first.Step, end.Value, end.Step)))
}

// skillPlace is the id of a skill's element.
func (r *run) skillPlace(id string) string { return r.ID + "-" + id }

// shown is a skill that stood in an episode's prompts.
func (r *run) shown(id string) shownSkill {
	s := shownSkill{ID: clipped(id, 40)}
	if one := r.known[id]; one != nil {
		s.Head = clipped(one.Skill.Key(), 300)
	}
	if r.listed[id] {
		s.Href = "#" + r.skillPlace(id)
	}
	return s
}

// link joins skills with the episodes that they were born of.
func (r *run) link() {
	for i := range r.Libraries {
		for k := range r.Libraries[i].Skills {
			s := &r.Libraries[i].Skills[k]
			if id := r.origins[s.Episode]; id != "" {
				s.Origin = "#" + id
			}
		}
	}
}
