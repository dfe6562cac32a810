package alfworld

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/env/pddl"
)

// query is a conjunction of atoms that is matched from left to right.
type query struct {
	atoms []queryAtom
	fault string // why it cannot be asked, "" if it can
}

// queryAtom is p(x:type, …) or not_p(…): facts that hold, or were deleted and not added since.
type queryAtom struct {
	predicate string
	vars      []int    // slots
	types     []string // "" for any

	pred    int       // of the domain, -1 for one that it does not have
	deleted bool      // not_p
	typeOf  []int     // of the domain, -1 for any
	order   typeOrder // nil where facts come in the order of their ids
}

// query reads "p(x:type) & q(y:type)". ALFWorld's engine reads a query only when it is asked, so one that cannot be
// read is a fault there.
func (g *grammar) query(text, of string) *query {
	q := &query{}
	bound := map[string]int{}
	for rest := text; ; rest = rest[1:] {
		a, after, ok := g.queryAtom(rest)
		if !ok {
			q.fault = fmt.Sprintf("%s: got %q, expected p(x:type, …) & q(…)", of, rest[:min(len(rest), shownText)])
			break
		}
		if v := g.conflict(bound, a); v != "" {
			q.fault = fmt.Sprintf("%s: variable %s has two types", of, v)
			break
		}
		if q.atoms = append(q.atoms, a); len(q.atoms) > maxQuery {
			g.wrong("a query of more than %d atoms", maxQuery)
			break
		}
		if rest = strings.TrimLeft(after, blanks); rest == "" {
			return q
		}
		if rest[0] != '&' {
			q.fault = fmt.Sprintf("%s: got %q, expected &", of, rest[:min(len(rest), shownText)])
			break
		}
	}
	if q.fault != "" {
		g.warnings = append(g.warnings, "grammar: "+q.fault)
	}
	return q
}

// conflict is the name of a variable of a that another one of the query has too, with another type; ALFWorld's engine
// reads no such query. Slots are those of the query's names so far.
func (g *grammar) conflict(slots map[string]int, a queryAtom) string {
	for _, v := range a.vars {
		name := g.vars[v].name
		if w, ok := slots[name]; ok && v != w {
			return name
		}
		slots[name] = v
	}
	return ""
}

const blanks = " \t\n\v\f\r"

func word(text string) (string, string) {
	text = strings.TrimLeft(text, blanks)
	i := 0
	for i < len(text) && (isNameByte(text[i]) && text[i] != '.' || text[i] == '\'' || text[i] == '/' || text[i] == '!' || text[i] >= 0x80) {
		i++
	}
	return text[:i], strings.TrimLeft(text[i:], blanks)
}

func (g *grammar) queryAtom(text string) (queryAtom, string, bool) {
	var a queryAtom
	name, rest := word(text)
	if name == "" || !strings.HasPrefix(rest, "(") {
		return a, text, false
	}
	if denied, ok := strings.CutPrefix(name, "!"); ok {
		name = "not_" + denied
	}
	a.predicate = name
	rest = strings.TrimLeft(rest[1:], blanks)
	for !strings.HasPrefix(rest, ")") {
		if len(a.vars) > 0 {
			if !strings.HasPrefix(rest, ",") {
				return a, text, false
			}
			rest = rest[1:]
		}
		var v, t string
		if v, rest = word(rest); v == "" {
			return a, text, false
		}
		if strings.HasPrefix(rest, ":") {
			if t, rest = word(rest[1:]); t == "" {
				return a, text, false
			}
		}
		t = strings.ToLower(t)
		as := t
		if as == "" { // a variable without a type has its own name for one
			as = strings.ToLower(strings.TrimRight(v, "'"))
		}
		a.vars = append(a.vars, g.slot(variable{v, as}))
		a.types = append(a.types, t)
	}
	return a, rest[1:], len(a.vars) <= pddl.MaxArity
}

// resolve binds the atom to a domain. What the domain does not know never matches; the caller warns.
func (a *queryAtom) resolve(g *grammar, o *orders) bool {
	d := o.domain
	name := a.predicate
	if a.pred = d.Predicate(name); a.pred < 0 {
		if name, a.deleted = strings.CutPrefix(name, "not_"); a.deleted {
			a.pred = d.Predicate(name)
		}
	}
	if a.pred >= 0 && d.Predicates[a.pred].Arity() != len(a.vars) {
		a.pred = -1
	}
	a.typeOf = make([]int, len(a.types))
	for i, t := range a.types {
		if t == "" {
			t = g.vars[a.vars[i]].typ
		}
		if a.typeOf[i] = d.Type(t); a.typeOf[i] < 0 && a.types[i] != "" {
			a.pred = -1
		}
	}
	a.order = o.of(a.typeOf)
	return a.pred >= 0
}
