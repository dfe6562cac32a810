package pddl

import "strings"

// action reads one action up to its closing parenthesis.
func (d *Domain) action(p *parser, line int) {
	a := &Action{Name: strings.Clone(p.word("an action's name")), line: line, condition: &formula{op: opTrue}}
	if _, ok := d.actions[a.Name]; ok {
		p.fail(line, "action %q is declared twice", a.Name)
		return
	}
	if len(d.Actions) == MaxActions {
		p.fail(line, "more than %d actions", MaxActions)
		return
	}
	s := &scope{domain: d}
	begun := false // a condition or effect was read, parameters come too late
	for p.more("action " + a.Name) {
		at := p.tok.line
		switch key := p.word(":parameters, :precondition or :effect"); key {
		case ":parameters":
			if begun || len(a.Params) > 0 {
				p.fail(at, ":parameters of %s must come once and first", a.Name)
				return
			}
			p.open("the parameters of " + a.Name)
			for _, v := range s.declare(p) {
				a.Params = append(a.Params, Param{v.name[1:], v.typ})
			}
			if len(a.Params) > MaxArity {
				p.fail(at, "action %s has %d parameters, expected at most %d", a.Name, len(a.Params), MaxArity)
			}
		case ":precondition":
			begun = true
			a.condition = s.formula(p, false)
		case ":effect":
			begun = true
			a.effects = s.effects(p, nil, nil, a.effects)
		default:
			p.fail(at, "got %q in action %s, expected :parameters, :precondition or :effect", key, a.Name)
		}
	}
	a.slots = s.slots
	for _, e := range a.effects {
		d.Predicates[e.pred].Dynamic = true
	}
	d.actions[a.Name] = len(d.Actions)
	d.Actions = append(d.Actions, a)
}

// effects reads an effect under the given variables and condition and appends its literals to list.
func (s *scope) effects(p *parser, vars []variable, cond *formula, list []effect) []effect {
	if !s.count(p) {
		return list
	}
	p.open("an effect")
	if p.tok.text == ")" {
		p.close("an effect")
		return list
	}
	line := p.tok.line
	switch head := p.tok.text; head {
	case "and":
		p.advance()
		for p.more("and") {
			list = s.effects(p, vars, cond, list)
		}
	case "forall":
		p.advance()
		p.open("the variables of forall")
		outer := len(s.vars)
		all := append(vars[:len(vars):len(vars)], s.declare(p)...)
		list = s.effects(p, all, cond, list)
		s.vars = s.vars[:outer]
		p.close("forall")
	case "when":
		p.advance()
		both := s.formula(p, false)
		if cond != nil {
			both = &formula{op: opAnd, line: line, subs: []*formula{cond, both}}
		}
		list = s.effects(p, vars, both, list)
		p.close("when")
	case "increase":
		p.rest("increase") // costs play no part
	case "decrease", "assign", "scale-up", "scale-down":
		p.fail(line, "numeric effect %q is not supported, expected (increase (total-cost) n), which is ignored", head)
	case "not":
		p.advance()
		p.open("an atom")
		list = s.literal(p, vars, cond, true, list)
		p.close("not")
	default:
		list = s.literal(p, vars, cond, false, list)
	}
	return list
}

func (s *scope) literal(p *parser, vars []variable, cond *formula, neg bool, list []effect) []effect {
	f := formula{line: p.tok.line}
	s.atom(p, &f)
	if p.err != nil {
		return list
	}
	if f.op != opAtom {
		p.fail(f.line, "an effect changes a type, expected a predicate that :predicates declares")
		return list
	}
	return append(list, effect{vars: vars, condition: cond, neg: neg, pred: f.pred, args: f.args, line: f.line})
}
