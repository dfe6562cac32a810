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
	told  *pddl.Told // what texts see otherwise than it is, nil for nothing
	env   []int32    // by slot of the grammar, -1 where unbound
	since []int      // by slot: when it was bound, the later the higher
	bound []int      // slots that are bound, in the order in which they were
	clock int
	alien []bool // by slot: a parameter of a wider type than its object, which is no value that facts could have
	row   [pddl.MaxArity]int32
	out   []byte
	depth int
	err   error
}

// tell expands parts with an action's parameters bound to args; w is nil for none.
func (t *teller) tell(parts []part, w *wording, args []int32) (string, error) {
	if t.env == nil {
		n := len(t.game.grammar.vars)
		t.env, t.since, t.alien = make([]int32, n), make([]int, n), make([]bool, n)
	}
	for i := range t.env {
		t.env[i] = -1
	}
	t.clock, t.bound = 0, t.bound[:0]
	if w != nil {
		for i, s := range w.slots {
			t.bind(s, args[i])
			t.alien[s] = t.game.problem.TypeOf(args[i]) != w.types[i]
		}
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
			t.ask(p.query, func() bool { t.one(p); return t.ok() })
		default:
			t.one(p)
		}
	}
}

// one tells a part once.
func (t *teller) one(p *part) {
	switch {
	case p.fault != "":
		t.fail("%s", p.fault)
	case p.symbol != nil:
		t.symbol(p.symbol)
	case p.expr != nil:
		for i, s := range p.expr {
			if len(s) == 1 && s[0].property == propNone && s[0].name >= 0 && i < len(p.expr)-1 {
				continue
			}
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
	if e.name < 0 {
		t.say(e.text)
		return
	}
	o := t.object(e.name)
	if o < 0 {
		t.fail("variable %q is not bound where it is told", t.game.grammar.names[e.name])
		return
	}
	switch e.property {
	case propName, propSelf:
		t.say(t.game.names.name[o])
	case propIndefinite:
		t.say("a")
	case propDefinite:
		t.say("the")
	case propID:
		t.say(t.game.problem.ID(o))
	case propType:
		t.say(t.game.problem.Domain.Types[t.game.problem.TypeOf(o)].Name)
	case propNone:
		t.say("None")
	}
}

// object is what a name means: the variable of that name that was bound last; -1 if none is.
func (t *teller) object(name int) int32 {
	o, when := int32(-1), -1
	meant := t.game.grammar.meant[name]
	t.meter.Spend(len(meant) / passedVariables)
	for _, s := range meant {
		if t.env[s] >= 0 && t.since[s] > when {
			o, when = t.env[s], t.since[s]
		}
	}
	return o
}

func (t *teller) bind(slot int, o int32) {
	t.clock++
	t.env[slot], t.since[slot], t.alien[slot] = o, t.clock, false
	t.bound = append(t.bound, slot)
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
		t.ask(p.query, item)
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
	if q.fault != "" {
		t.fail("%s", q.fault)
		return false
	}
	for i := range q.atoms {
		is, sure := t.holds(&q.atoms[i])
		if !sure {
			return t.found(q.atoms[i:])
		}
		if !is || !t.ok() {
			return false
		}
	}
	return true
}

func (t *teller) found(atoms []queryAtom) bool {
	found := false
	t.each(atoms, func() bool { found = true; return false })
	return found
}
