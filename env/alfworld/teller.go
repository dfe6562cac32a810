package alfworld

import (
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/pddl"
)

// teller puts a state into words.
type teller struct {
	game  *Game
	state *pddl.State
	meter *pddl.Meter
	env   []int32 // by slot of the grammar, -1 where unbound
	out   []byte
	depth int
	err   error
}

// tell expands parts with the parameters bound to args.
func (t *teller) tell(parts []part, slots []int, args []int32) (string, error) {
	if t.env == nil {
		t.env = make([]int32, len(t.game.grammar.vars))
	}
	for i := range t.env {
		t.env[i] = -1
	}
	for i, s := range slots {
		t.env[s] = args[i]
	}
	t.out, t.depth, t.err = t.out[:0], 0, nil
	t.parts(parts)
	if t.err == nil {
		t.err = t.meter.Err()
	}
	return string(t.out), t.err
}

func (t *teller) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("%w: grammar: %s", env.ErrBadGame, fmt.Sprintf(format, args...))
	}
}

// ok counts a piece of work and reports whether to go on.
func (t *teller) ok() bool {
	return t.err == nil && t.meter.Spend(1)
}

// say appends to the text.
func (t *teller) say(text string) {
	if len(t.out)+len(text) > maxText {
		t.fail("a text becomes longer than %d bytes", maxText)
	}
	if t.err == nil && t.meter.Keep(len(text)) {
		t.out = append(t.out, text...)
	}
}

func (t *teller) symbol(s *symbol) {
	rules := s.rules
	if s == t.game.own.symbol {
		rules = t.game.own.rules
	}
	if len(rules) == 0 {
		t.fail("symbol %q has no rule", s.name)
		return
	}
	if t.depth++; t.depth > maxExpansion {
		t.fail("symbol %q expands through itself without end", s.name)
		return
	}
	for i := range rules {
		if !t.ok() {
			return
		}
		r := &rules[i]
		if r.condition == nil || t.matches(r.condition) {
			t.parts(r.rhs)
			t.depth--
			return
		}
	}
	t.fail("no rule of symbol %q applies, expected one without a condition at the end", s.name)
}

func (t *teller) parts(parts []part) {
	for i := range parts {
		if !t.ok() {
			return
		}
		switch p := &parts[i]; {
		case p.list:
			t.list(p)
		case p.query != nil:
			t.each(p.query.atoms, func() bool { t.one(p); return t.ok() })
		default:
			t.one(p)
		}
	}
}

// one tells a part once.
func (t *teller) one(p *part) {
	switch {
	case p.symbol != nil:
		t.symbol(p.symbol)
	case p.expr != nil:
		for _, s := range p.expr {
			before := len(t.out)
			for _, term := range s {
				if !t.ok() {
					return
				}
				t.term(term)
			}
			if len(t.out) > before {
				return
			}
		}
	default:
		t.say(p.text)
	}
}

func (t *teller) term(e exprTerm) {
	if e.slot < 0 {
		t.say(e.text)
		return
	}
	o := t.env[e.slot]
	if o < 0 {
		t.fail("variable %q is not bound where it is told", t.game.grammar.vars[e.slot])
		return
	}
	switch e.property {
	case propName:
		t.say(t.game.names.name[o])
	case propIndefinite:
		t.say("a")
	case propDefinite:
		t.say("the")
	case propID:
		t.say(t.game.problem.ID(o))
	}
}

// list tells a part once for every match and joins the copies.
func (t *teller) list(p *part) {
	start := len(t.out)
	var ends []int
	item := func() bool {
		t.one(p)
		ends = append(ends, len(t.out))
		return t.ok()
	}
	if p.query == nil {
		item()
	} else {
		t.each(p.query.atoms, item)
	}
	if len(ends) == 0 {
		t.symbol(t.game.grammar.existing("list_empty"))
		return
	}
	if len(ends) == 1 || t.err != nil {
		return
	}
	items := string(t.out[start:])
	t.out = t.out[:start]
	from := 0
	for i, end := range ends {
		switch {
		case i == len(ends)-1:
			t.symbol(t.game.grammar.existing("list_last_separator"))
		case i > 0:
			t.symbol(t.game.grammar.existing("list_separator"))
		}
		t.say(items[from : end-start])
		from = end - start
	}
}

// existing is the symbol called name, without adding it: a game is shared between goroutines.
func (g *grammar) existing(name string) *symbol {
	if s, ok := g.symbols[name]; ok {
		return s
	}
	return &symbol{name: name}
}

func (t *teller) matches(q *query) bool {
	found := false
	t.each(q.atoms, func() bool { found = true; return false })
	return found
}

// passedRows is how many facts can be passed over in the time of one unit.
const passedRows = 8

// each calls visit for every match of the atoms, with their variables bound, until it returns false. It reports
// whether it came to the end.
func (t *teller) each(atoms []queryAtom, visit func() bool) bool {
	if len(atoms) == 0 {
		return visit()
	}
	a := &atoms[0]
	if a.pred < 0 {
		return true
	}
	var buf [4]int32
	want := buf[:0]
	for i, v := range a.vars {
		o := t.env[v]
		if o >= 0 && a.typeOf[i] >= 0 && !t.game.problem.Is(o, a.typeOf[i]) {
			return true
		}
		want = append(want, o)
	}
	on := true
	match := t.state.Match
	if a.deleted {
		match = t.state.MatchDeleted
	}
	passed := match(a.pred, want, func(row []int32) bool {
		if !t.ok() {
			on = false
			return false
		}
		if t.bindRow(a, want, row) {
			on = t.each(atoms[1:], visit)
		}
		for i, v := range a.vars {
			t.env[v] = want[i]
		}
		return on
	})
	return t.meter.Spend(passed/passedRows) && on
}

// bindRow binds the free variables of a to row, if types fit and no two variables come to the same object.
func (t *teller) bindRow(a *queryAtom, want, row []int32) bool {
	for i, v := range a.vars {
		if want[i] >= 0 {
			continue
		}
		o := row[i]
		if t.env[v] >= 0 { // bound by an earlier argument of this row
			if t.env[v] != o {
				return false
			}
			continue
		}
		if a.typeOf[i] >= 0 && !t.game.problem.Is(o, a.typeOf[i]) {
			return false
		}
		for _, other := range t.env {
			if other == o {
				return false
			}
		}
		t.env[v] = o
	}
	return true
}
