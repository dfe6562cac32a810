package pddl

import (
	"crypto/sha256"
	"slices"
)

// Told is the facts of some predicates as ALFWorld's texts see them. They begin with the facts that hold, and an
// operator's effects are taken for done whether their conditions hold or not, deletes last. What rules derive stays
// as it was at first, and is not seen at all where nothing needs it. It belongs to one goroutine.
type Told struct {
	problem *Problem
	preds   []int       // sorted
	facts   []*relation // by predicate, nil for those that are not told here
	deleted []*relation
}

// Twisted are those of the predicates of which texts could see something else than what holds and what was deleted.
// deletes says which are asked for as deleted.
func (p *Problem) Twisted(preds, deletes []int) []int {
	var list []int
	for _, pred := range union(slices.Clone(preds), deletes) {
		if p.twisted(pred, slices.Contains(deletes, pred)) {
			list = append(list, pred)
		}
	}
	slices.Sort(list)
	return list
}

// Tell is the first facts of some predicates; nil, which may be used, for none.
func (p *Problem) Tell(preds []int) *Told {
	if len(preds) == 0 {
		return nil
	}
	t := &Told{problem: p, preds: preds, facts: make([]*relation, len(p.init)), deleted: make([]*relation, len(p.init))}
	for _, pred := range preds {
		t.facts[pred] = p.init[pred].clone()
		if p.Domain.Predicates[pred].Derived && !p.needed(pred) {
			t.facts[pred] = newRelation(p.Domain.Predicates[pred].Arity(), nil, 0)
		}
		t.deleted[pred] = newRelation(p.Domain.Predicates[pred].Arity(), nil, 0)
	}
	return t
}

// twisted reports whether texts could see something else of a predicate than what holds, or, of deleted facts, than
// what was deleted by a sure effect of something that held.
func (p *Problem) twisted(pred int, deletes bool) bool {
	if p.Domain.Predicates[pred].Derived {
		return true
	}
	for i := range p.actions {
		c := &p.actions[i]
		for k := range c.effects {
			e := &c.effects[k]
			if e.pred != pred {
				continue
			}
			if !e.always || deletes && e.neg && !c.requires(e.literal) {
				return true
			}
		}
	}
	return false
}

// requires reports whether every alternative of the precondition says that what l denies holds.
func (c *compiled) requires(l literal) bool {
	for _, pr := range c.programs {
		if !slices.ContainsFunc(pr.lits, func(have literal) bool {
			return !have.neg && have.pred == l.pred && slices.Equal(have.args, l.args)
		}) {
			return false
		}
	}
	return true
}

// Apply notes an operator that is about to be applied to s.
func (t *Told) Apply(s *State, op Operator, m *Meter) error {
	if t == nil || !slices.ContainsFunc(t.problem.actions[op.Action].effects, func(e compiledEffect) bool { return t.facts[e.pred] != nil }) {
		return nil
	}
	list := s.listing(op, m)
	if m.Err() != nil {
		return m.Err()
	}
	for _, neg := range []bool{false, true} {
		for _, ch := range list {
			if ch.neg != neg || t.facts[ch.pred] == nil {
				continue
			}
			to, from := t.facts[ch.pred], t.deleted[ch.pred]
			if neg {
				to, from = from, to
			}
			to.insert(ch.row)
			from.remove(ch.row)
			if !m.Spend(1 + len(ch.row)*len(ch.row)*(to.size+from.size)/movedCells) {
				return m.Err()
			}
		}
	}
	return nil
}

// Tells reports whether the predicate's facts are told here.
func (t *Told) Tells(pred int) bool { return t != nil && t.facts[pred] != nil }

// Match is as State.Match, over the facts that are told, or over those told to be deleted.
func (t *Told) Match(pred int, deleted bool, want []int32, visit func(args []int32) bool) int {
	return matchRows(pick(deleted, t.deleted, t.facts)[pred], want, visit)
}

// Clone is an independent copy.
func (t *Told) Clone() *Told {
	if t == nil {
		return nil
	}
	c := &Told{problem: t.problem, preds: t.preds, facts: make([]*relation, len(t.facts)), deleted: make([]*relation, len(t.facts))}
	for _, p := range t.preds {
		c.facts[p], c.deleted[p] = t.facts[p].clone(), t.deleted[p].clone()
	}
	return c
}

// Key is a digest of what is told.
func (t *Told) Key() [sha256.Size]byte {
	var buf []byte
	for _, p := range t.preds {
		for _, r := range []*relation{t.facts[p], t.deleted[p]} {
			buf = appendKey(buf, int32(p), int32(r.size))
			if r.arity > 0 {
				buf = appendKey(buf, r.order[0]...)
			}
		}
	}
	return sha256.Sum256(buf)
}

// needed reports whether the goal, a condition or a rule that is needed itself reads a derived predicate. ALFWorld's
// engine drops the others before it starts, so that its texts never see them.
func (p *Problem) needed(pred int) bool {
	needed := make([]bool, len(p.Domain.Predicates))
	mark := func(f *formula) {
		if f != nil {
			eachAtom(f, func(f *formula) { needed[f.pred] = true })
		}
	}
	mark(p.written)
	for _, a := range p.Domain.Actions {
		mark(a.condition)
		for _, e := range a.effects {
			mark(e.condition)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, d := range p.Domain.derivations {
			if needed[d.pred] {
				eachAtom(d.condition, func(f *formula) {
					grown = grown || !needed[f.pred]
					needed[f.pred] = true
				})
			}
		}
	}
	return needed[pred]
}
