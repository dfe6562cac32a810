package pddl

import "slices"

// derivation is one rule of a derived predicate: its head comes true for all parameters under which its condition
// holds. Rules are worked out stratum by stratum, each up to its least fixpoint; a rule may deny only what lower
// strata derive.
type derivation struct {
	pred      int
	params    []int // slots of the head
	slots     []int // types of the parameters, then of all quantified variables
	condition *formula
	line      int
}

// derivation reads a rule after the word ":derived".
func (d *Domain) derivation(p *parser, line int) {
	p.open("the head of a derived predicate")
	at := p.tok.line
	name := p.word("a predicate's name")
	pred := d.Predicate(name)
	if pred < 0 {
		p.fail(at, "unknown predicate %q, expected one that :predicates declares", name)
		return
	}
	if len(d.derivations) == MaxActions {
		p.fail(line, "more than %d rules of derived predicates", MaxActions)
		return
	}
	s := &scope{domain: d}
	rule := &derivation{pred: pred, line: line}
	for _, v := range s.declare(p) {
		rule.params = append(rule.params, v.slot)
	}
	if n := d.Predicates[pred].Arity(); len(rule.params) != n {
		p.fail(at, "derived predicate %s has %d arguments, expected %d", name, len(rule.params), n)
		return
	}
	rule.condition = s.formula(p, false)
	p.close("derived predicate " + name)
	rule.slots = s.slots
	d.Predicates[pred].Derived = true
	d.Predicates[pred].Dynamic = true
	d.derivations = append(d.derivations, rule)
}

// stratify orders the rules and refuses effects on derived predicates and rules that deny what hangs on them.
func (d *Domain) stratify(p *parser) {
	for _, a := range d.Actions {
		for _, e := range a.effects {
			if d.Predicates[e.pred].Derived {
				p.fail(e.line, "action %s changes %s, which is derived: only rules can make it true", a.Name, d.Predicates[e.pred].Name)
				return
			}
		}
	}
	stratum := make([]int, len(d.Predicates))
	needs := d.needs()
	// A rule is looked at again only where what it hangs on has risen since.
	when, seen, clock := make([]int, len(d.Predicates)), make([]int, len(d.derivations)), 1
	for changed := true; changed; {
		changed = false
		for i, rule := range d.derivations {
			least, before := stratum[rule.pred], seen[i]
			seen[i] = clock
			for _, n := range needs[i] {
				if when[n.pred] >= before {
					least = max(least, stratum[n.pred]+n.above)
				}
			}
			if least == stratum[rule.pred] {
				continue
			}
			clock++
			when[rule.pred] = clock
			if least > len(d.derivations) {
				p.fail(rule.line, "derived predicate %s denies what it leads to itself, expected rules that deny only what others derive", d.Predicates[rule.pred].Name)
				return
			}
			stratum[rule.pred], changed = least, true
		}
	}
	slices.SortStableFunc(d.derivations, func(a, b *derivation) int { return stratum[a.pred] - stratum[b.pred] })
	d.strata = nil
	for i, rule := range d.derivations {
		if i == 0 || stratum[rule.pred] != stratum[d.derivations[i-1].pred] {
			d.strata = append(d.strata, i)
		}
	}
}

// need is a derived predicate that a rule hangs on.
type need struct {
	pred  int
	above int // 1 where the rule denies it, and so lies above it
}

// needs are, by rule, the derived predicates in its condition, each once.
func (d *Domain) needs() [][]need {
	list := make([][]need, len(d.derivations))
	for i, rule := range d.derivations {
		at := map[int]int{}
		eachAtom(rule.condition, func(f *formula) {
			if !d.Predicates[f.pred].Derived {
				return
			}
			k, ok := at[f.pred]
			if !ok {
				k = len(list[i])
				at[f.pred] = k
				list[i] = append(list[i], need{pred: f.pred})
			}
			if f.neg {
				list[i][k].above = 1
			}
		})
	}
	return list
}

func eachAtom(f *formula, visit func(*formula)) {
	if f.op == opAtom {
		visit(f)
	}
	for _, s := range f.subs {
		eachAtom(s, visit)
	}
}

// rule is a derivation compiled for a problem.
type rule struct {
	pred     int
	params   []int
	slots    int
	programs []*program
}

// rules are a problem's, with what they hang on.
type rules struct {
	list   []rule
	strata []int // where each stratum begins in list
	preds  []int // that are derived
	reads  []int // dynamic predicates that no rule derives and some rule reads
}

// compileRules compiles the derivations and adds what they derive from the first facts to these.
func (p *Problem) compileRules(m *Meter) {
	d := p.Domain
	p.rules.strata = d.strata
	for _, der := range d.derivations {
		c := &compiler{problem: p, types: der.slots, meter: m}
		r := rule{pred: der.pred, params: der.params, slots: len(der.slots)}
		r.programs = c.programs([]*cond{c.resolve(der.condition)}, nil, der.params)
		p.rules.list = append(p.rules.list, r)
		p.rules.preds = union(p.rules.preds, []int{der.pred})
		for _, pred := range readsOf(d, r.programs, nil) {
			if !d.Predicates[pred].Derived {
				p.rules.reads = union(p.rules.reads, []int{pred})
			}
		}
	}
	if len(p.rules.list) > 0 {
		s := p.Start()
		s.deriveAll(m)
		p.init = s.facts
	}
}

// derive brings the derived facts up to date after changes of others. Versions are counted up only where facts
// changed. It reports whether the meter let it come to its end.
func (s *State) derive(changed func(pred int) bool, m *Meter) bool {
	if !slices.ContainsFunc(s.problem.rules.reads, changed) {
		return true
	}
	return s.deriveAll(m)
}

func (s *State) deriveAll(m *Meter) bool {
	rules := &s.problem.rules
	before := make([]*relation, len(rules.preds))
	for i, pred := range rules.preds {
		before[i] = s.facts[pred]
		s.facts[pred] = newRelation(s.problem.Domain.Predicates[pred].Arity(), nil, 0)
		s.own[pred] = true
	}
	for i, from := range rules.strata {
		to := len(rules.list)
		if i+1 < len(rules.strata) {
			to = rules.strata[i+1]
		}
		for grown := true; grown; {
			grown = false
			for k := range rules.list[from:to] {
				grown = s.fire(&rules.list[from+k], m) || grown
			}
			if m.Err() != nil {
				return false
			}
		}
	}
	for i, pred := range rules.preds {
		if s.facts[pred].equal(before[i]) {
			s.facts[pred], s.own[pred] = before[i], false
		} else {
			s.version[pred]++
		}
	}
	return true
}

// fire adds what a rule derives and reports whether that is anything new.
func (s *State) fire(ru *rule, m *Meter) bool {
	r := s.runner(m, ru.slots)
	facts := s.facts[ru.pred]
	var rows []int32
	found := false
	r.all(ru.programs, func(*program) {
		row := r.row[:len(ru.params)]
		for k, slot := range ru.params {
			row[k] = r.env[slot]
		}
		if !facts.has(row) && m.Keep(4*len(row)*len(row)) {
			rows, found = append(rows, row...), true
		}
	})
	if !found || m.Err() != nil {
		return false
	}
	if facts.arity == 0 {
		return facts.insert(nil)
	}
	grown := false
	for ; len(rows) > 0; rows = rows[facts.arity:] {
		if !m.Spend(facts.arity * facts.arity * facts.size / movedCells) {
			return grown
		}
		grown = facts.insert(rows[:facts.arity]) || grown
	}
	return grown
}

// equal reports whether two relations have the same rows.
func (r *relation) equal(o *relation) bool {
	return r.size == o.size && (r.arity == 0 || r.size == 0 || slices.Equal(r.order[0], o.order[0]))
}
