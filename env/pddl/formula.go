package pddl

import "strings"

// op is the kind of a formula. Formulas are kept in negation normal form: only atoms and equalities are negated.
type op uint8

const (
	opTrue op = iota
	opFalse
	opAtom
	opEqual
	opAnd
	opOr
	opExists
	opForall
)

// formula is a condition as written: variables are slots of their action or goal, constants still names.
type formula struct {
	op   op
	neg  bool // of opAtom and opEqual
	line int
	pred int
	args []ref
	vars []variable
	subs []*formula
}

// ref is an argument: a slot, or a constant by name where slot is negative.
type ref struct {
	slot int
	name string
	line int
}

// variable is a parameter or quantified variable. Each has a slot of its own within its action or goal.
type variable struct {
	name string
	typ  int
	slot int
}

// scope is the variables that may be used at a place, innermost last.
type scope struct {
	domain *Domain
	quiet  bool // about types that are not declared
	shared bool // domain is others' too: a type that it lacks goes into a copy
	vars   []variable
	slots  []int // type of every slot handed out so far
	atoms  int   // atoms and other conditions read so far
}

func (s *scope) lookup(name string) int {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			return s.vars[i].slot
		}
	}
	return -1
}

// declare reads a typed list of variables up to its closing parenthesis and brings them into scope.
func (s *scope) declare(p *parser) []variable {
	list := p.typedList("a list of variables", func(name string, line int) int {
		if s.shared && s.domain.Type(name) < 0 {
			s.domain, s.shared = s.domain.clone(), false
		}
		t := s.domain.loosely(p, name, line)
		if !s.quiet && !s.domain.Types[t].known {
			p.warn(line, "type %q is not declared, so nothing has it", name)
		}
		return t
	})
	if len(s.slots)+len(list) > MaxVariables {
		p.fail(p.tok.line, "more than %d variables in one action, predicate or goal", MaxVariables)
		return nil
	}
	vars := make([]variable, 0, len(list))
	for _, n := range list {
		if n.name == "" || n.name[0] != '?' {
			p.fail(n.line, "got %q, expected a variable beginning with \"?\"", n.name)
			return nil
		}
		for _, v := range vars {
			if v.name == n.name {
				p.fail(n.line, "variable %s is declared twice in one list", n.name)
				return nil
			}
		}
		vars = append(vars, variable{strings.Clone(n.name), n.typ, len(s.slots)})
		s.slots = append(s.slots, n.typ)
	}
	s.vars = append(s.vars, vars...)
	return vars
}

// formula reads a condition, negated if neg.
func (s *scope) formula(p *parser, neg bool) *formula {
	f := &formula{line: p.tok.line}
	if !s.count(p) {
		return f
	}
	p.open("a condition")
	if p.tok.text == ")" {
		p.close("a condition")
		f.op = pick(neg, opFalse, opTrue)
		return f
	}
	switch head := p.tok.text; head {
	case "and", "or":
		p.advance()
		f.op = pick((head == "and") != neg, opAnd, opOr)
		for p.more(head) {
			f.subs = append(f.subs, s.formula(p, neg))
		}
	case "not":
		p.advance()
		f = s.formula(p, !neg)
		p.close("not")
	case "imply":
		p.advance()
		f.op = pick(neg, opAnd, opOr)
		f.subs = []*formula{s.formula(p, !neg), s.formula(p, neg)}
		p.close("imply")
	case "exists", "forall":
		p.advance()
		f.op = pick((head == "exists") != neg, opExists, opForall)
		p.open("the variables of " + head)
		outer := len(s.vars)
		f.vars = s.declare(p)
		f.subs = []*formula{s.formula(p, neg)}
		s.vars = s.vars[:outer]
		p.close(head)
	case "=":
		p.advance()
		f.op, f.neg = opEqual, neg
		f.args = []ref{s.ref(p), s.ref(p)}
		p.close("=")
	default:
		s.atom(p, f)
		if f.op == opFalse && neg {
			f.op = opTrue
			return f
		}
		f.neg = neg
	}
	return f
}

// member reads "type argument)" into f. ALFWorld's engine reads a type used as a predicate and never finds it true.
func (s *scope) member(p *parser, f *formula, name string) {
	s.ref(p)
	p.close("a type used as a predicate")
	p.warn(f.line, "type %q is used as a predicate, which is never true", name)
	f.op = opFalse
}

// count counts a condition or an effect and reports whether there may be so many.
func (s *scope) count(p *parser) bool {
	if s.atoms++; s.atoms > MaxAtoms {
		p.fail(p.tok.line, "more than %d conditions and effects in one action or goal", MaxAtoms)
	}
	return p.err == nil
}

func pick[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

// atom reads "name args)" into f.
func (s *scope) atom(p *parser, f *formula) {
	line := p.tok.line
	name := p.word("a predicate")
	pred, ok := s.domain.predicates[name]
	if t := s.domain.Type(name); !ok && t >= 0 && s.domain.Types[t].known {
		s.member(p, f, name)
		return
	}
	if !ok {
		p.fail(line, "unknown predicate %q, expected one that :predicates declares", name)
		return
	}
	f.op, f.pred = opAtom, pred
	for p.more(name) {
		f.args = append(f.args, s.ref(p))
	}
	d := &s.domain.Predicates[pred]
	if len(f.args) != len(d.types) {
		p.fail(line, "predicate %s has %d arguments, expected %d", name, len(f.args), len(d.types))
		return
	}
	for i, a := range f.args {
		if a.slot >= 0 && !s.domain.overlap(s.slots[a.slot], d.types[i]) {
			p.warn(line, "argument %d of %s is a %s, declared as %s", i+1, name,
				s.domain.Types[s.slots[a.slot]].Name, s.domain.Types[d.types[i]].Name)
		}
	}
}

func (s *scope) ref(p *parser) ref {
	line := p.tok.line
	w := p.word("a variable or an object")
	if w == "" || w[0] != '?' {
		return ref{-1, strings.Clone(w), line}
	}
	slot := s.lookup(w)
	if slot < 0 {
		p.fail(line, "unknown variable %s, expected a parameter or quantified variable", w)
	}
	return ref{slot: slot, line: line}
}
