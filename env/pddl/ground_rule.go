package pddl

// relaxedRule is a rule of a derived predicate compiled for grounding.
type relaxedRule struct {
	rule
	number int
}

func (p *Problem) relaxRules(coarse bool, m *Meter) []relaxedRule {
	list := make([]relaxedRule, len(p.rules.list))
	for i, d := range p.Domain.derivations {
		c := &compiler{problem: p, types: d.slots, meter: m}
		list[i] = relaxedRule{p.rules.list[i], i}
		list[i].programs = p.alternatives(d.slots, []*cond{c.resolve(d.condition)}, nil, d.params, coarse, m)
	}
	return list
}

// rule adds the steps of a rule that are not known yet: from its condition to what it derives, and one that lets that
// be false again. How a derived fact becomes false is not followed up, so that one may be said to come cheaper than
// it does.
func (g *grounder) rule(ru *relaxedRule) {
	r := g.runner(ru.slots)
	head := literal{pred: ru.pred, args: make([]term, len(ru.params))}
	for k, slot := range ru.params {
		head.args[k] = term(slot)
	}
	for i, pr := range ru.programs {
		r.all([]*program{pr}, func(*program) {
			if g.err != nil || !g.unseen(-1-ru.number, i, r.env) {
				return
			}
			g.add(groundStep{-1, g.literals(r, pr.lits, nil), g.literals(r, []literal{head}, nil)})
			no := head
			no.neg = true
			g.add(groundStep{-1, nil, g.literals(r, []literal{no}, nil)})
			g.reach(r, head)
		})
	}
}

// unseen reports whether a rule's solution has not been met before.
func (g *grounder) unseen(rule, alternative int, env []int32) bool {
	g.key = appendKey(g.key[:0], int32(rule), int32(alternative))
	g.key = appendKey(g.key, env...)
	if g.seen[string(g.key)] || !g.meter.Keep(entryBytes+len(g.key)) {
		return false
	}
	g.seen[string(g.key)] = true
	return true
}
