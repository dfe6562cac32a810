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
	orders := newOrders(d)
	for _, name := range names {
		for _, r := range g.symbols[name].rules {
			if r.condition != nil {
				g.resolve(orders, r.condition, "symbol "+name)
			}
			g.resolveParts(orders, r.rhs, "symbol "+name)
		}
	}
	lang := &language{grammar: g, actions: make([]wording, len(d.Actions))}
	for i, a := range d.Actions {
		w, ok := g.actions[a.Name]
		if !ok || w.template == nil {
			return nil, fmt.Errorf("%w: grammar: no template for action %q of the domain", env.ErrBadGame, a.Name)
		}
		g.resolveParts(orders, w.template, "template of action "+a.Name)
		g.resolveParts(orders, w.feedback, "feedback of action "+a.Name)
		for _, p := range a.Params {
			w.slots = append(w.slots, g.slot(variable{p.Name, d.Types[p.Type].Name}))
			w.types = append(w.types, p.Type)
		}
		w.depends(g, d)
		w.reads = slices.ContainsFunc(a.Condition(), func(l pddl.Literal) bool { return d.Predicates[l.Pred].Dynamic })
		lang.actions[i] = w
	}
	if err := orders.err(); err != nil {
		return nil, err
	}
	if g.fault != "" {
		return nil, fmt.Errorf("%w: grammar: together with the parameters of the domain's actions: %s", env.ErrBadGame, g.fault)
	}
	return lang, nil
}

func (g *grammar) resolveParts(o *orders, parts []part, of string) {
	for _, p := range parts {
		if p.query != nil {
			g.resolve(o, p.query, of)
		}
	}
}

func (g *grammar) resolve(o *orders, q *query, of string) {
	for i := range q.atoms {
		if o.err() != nil {
			return // which newLanguage says
		}
		if !q.atoms[i].resolve(g, o) {
			g.warnings = append(g.warnings, fmt.Sprintf(
				"grammar: %s: the domain has no predicate %s with %d arguments of these types, so it never matches",
				of, q.atoms[i].predicate, len(q.atoms[i].vars)))
			continue
		}
		list := &g.asked
		if q.atoms[i].deleted {
			list = &g.askedDeleted
		}
		if pred := q.atoms[i].pred; !slices.Contains(*list, pred) {
			*list = append(*list, pred)
		}
	}
}

// symbolsOf are those that a part tells: its own, and what a list is put together with.
func (g *grammar) symbolsOf(p *part) []*symbol {
	var list []*symbol
	if p.symbol != nil {
		list = append(list, p.symbol)
	}
	if p.list {
		list = append(list, g.existing("list_empty"), g.existing("list_separator"), g.existing("list_last_separator"))
	}
	return list
}

// reads are the queries of parts, and the variables that they tell.
type reads struct {
	queries []*query
	slots   map[int]bool
	seen    map[*symbol]bool
}

func (g *grammar) reads(parts []part, r *reads) {
	for i := range parts {
		p := &parts[i]
		if p.query != nil {
			r.queries = append(r.queries, p.query)
		}
		for _, s := range p.expr {
			for _, t := range s {
				if t.name >= 0 {
					for _, slot := range g.meant[t.name] {
						r.slots[slot] = true
					}
				}
			}
		}
		for _, s := range g.symbolsOf(p) {
			if r.seen[s] {
				continue
			}
			r.seen[s] = true
			for _, rule := range s.rules {
				if rule.condition != nil {
					r.queries = append(r.queries, rule.condition)
				}
				g.reads(rule.rhs, r)
			}
		}
	}
}

// depends works out on what the text of w's template depends.
func (w *wording) depends(g *grammar, d *pddl.Domain) {
	r := &reads{slots: map[int]bool{}, seen: map[*symbol]bool{}}
	g.reads(w.template, r)
	all := false
	for _, q := range r.queries {
		for _, a := range q.atoms {
			w.varies = w.varies || a.pred >= 0 && d.Predicates[a.pred].Dynamic
			for _, v := range a.vars {
				r.slots[v] = true
				// A variable that a query binds itself may be nothing to which another is bound.
				all = all || !slices.Contains(w.slots, v)
			}
		}
	}
	for i, s := range w.slots {
		if all || r.slots[s] {
			w.about = append(w.about, i)
		}
	}
}
