package alfworld

import (
	"strings"

	"github.com/hone-rl/hone/env/pddl"
)

// query is a conjunction of atoms that is matched from left to right.
type query struct {
	atoms []queryAtom
}

// queryAtom is p(x:type, …) or not_p(…): facts that hold, or were deleted and not added since.
type queryAtom struct {
	predicate string
	vars      []int    // slots
	types     []string // "" for any

	pred    int   // of the domain, -1 for one that it does not have
	deleted bool  // not_p
	typeOf  []int // of the domain, -1 for any
}

// query reads "p(x:type) & q(y:type)" and returns what follows it.
func (g *grammar) query(text string) (*query, string, bool) {
	q := &query{}
	for {
		a, rest, ok := g.queryAtom(text)
		if !ok {
			return nil, text, false
		}
		if q.atoms = append(q.atoms, a); len(q.atoms) > maxQuery {
			g.wrong("a query of more than %d atoms", maxQuery)
			return nil, text, false
		}
		text = strings.TrimLeft(rest, blanks)
		if !strings.HasPrefix(text, "&") {
			return q, text, true
		}
		text = text[1:]
	}
}

const blanks = " \t\n\v\f\r"

func word(text string) (string, string) {
	text = strings.TrimLeft(text, blanks)
	i := 0
	for i < len(text) && isNameByte(text[i]) && text[i] != '.' {
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
	a.predicate = strings.ToLower(name)
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
		a.vars = append(a.vars, g.slot(v))
		a.types = append(a.types, strings.ToLower(t))
	}
	return a, rest[1:], len(a.vars) <= pddl.MaxArity
}

// resolve binds the atom to a domain. What the domain does not know never matches; the caller warns.
func (a *queryAtom) resolve(d *pddl.Domain) bool {
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
		a.typeOf[i] = -1
		if t == "" {
			continue
		}
		if a.typeOf[i] = d.Type(t); a.typeOf[i] < 0 {
			a.pred = -1
		}
	}
	return a.pred >= 0
}
