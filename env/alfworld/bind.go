package alfworld

import (
	"fmt"
	"slices"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// newLanguage reads a grammar and joins it with a domain: every action gets its wording, every query its predicates.
func newLanguage(d *pddl.Domain, text string) (*language, error) {
	g, err := parseGrammar(text)
	if err != nil {
		return nil, err
	}
	if len(g.symbol("intro").rules) == 0 {
		return nil, fmt.Errorf("%w: grammar: no symbol \"intro\", expected the opening text", env.ErrBadGame)
	}
	names := make([]string, 0, len(g.symbols))
	for name := range g.symbols {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, r := range g.symbols[name].rules {
			if r.condition != nil {
				g.resolve(d, r.condition, "symbol "+name)
			}
			g.resolveParts(d, r.rhs, "symbol "+name)
		}
	}
	lang := &language{grammar: g, actions: make([]wording, len(d.Actions))}
	for i, a := range d.Actions {
		w, ok := g.actions[a.Name]
		if !ok || w.template == nil {
			return nil, fmt.Errorf("%w: grammar: no template for action %q of the domain", env.ErrBadGame, a.Name)
		}
		g.resolveParts(d, w.template, "template of action "+a.Name)
		g.resolveParts(d, w.feedback, "feedback of action "+a.Name)
		for _, p := range a.Params {
			w.slots = append(w.slots, g.slot(p.Name))
		}
		w.varies = varies(d, w.template, map[*symbol]bool{})
		lang.actions[i] = w
	}
	if g.fault != "" {
		return nil, fmt.Errorf("%w: grammar: together with the parameters of the domain's actions: %s", env.ErrBadGame, g.fault)
	}
	return lang, nil
}

func (g *grammar) resolveParts(d *pddl.Domain, parts []part, of string) {
	for _, p := range parts {
		if p.query != nil {
			g.resolve(d, p.query, of)
		}
	}
}

func (g *grammar) resolve(d *pddl.Domain, q *query, of string) {
	for i := range q.atoms {
		if !q.atoms[i].resolve(d) {
			g.warnings = append(g.warnings, fmt.Sprintf(
				"grammar: %s: the domain has no predicate %s with %d arguments of these types, so it never matches",
				of, q.atoms[i].predicate, len(q.atoms[i].vars)))
		}
	}
}

// varies reports whether the parts read anything that a step can change.
func varies(d *pddl.Domain, parts []part, seen map[*symbol]bool) bool {
	for _, p := range parts {
		if p.query != nil && p.query.varies(d) {
			return true
		}
		if p.symbol == nil || seen[p.symbol] {
			continue
		}
		seen[p.symbol] = true
		for _, r := range p.symbol.rules {
			if r.condition != nil && r.condition.varies(d) || varies(d, r.rhs, seen) {
				return true
			}
		}
	}
	return false
}

func (q *query) varies(d *pddl.Domain) bool {
	return slices.ContainsFunc(q.atoms, func(a queryAtom) bool { return a.pred >= 0 && d.Predicates[a.pred].Dynamic })
}
