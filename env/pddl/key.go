package pddl

import "crypto/sha256"

// Key is a digest of all that can change: the facts of every predicate that some operator changes, and which facts
// were deleted and not added since; what rules derive follows from it. Two states of one problem with the same key are the same.
func (s *State) Key() [sha256.Size]byte {
	h := sha256.New()
	var buf []byte
	add := func(pred int, r *relation) {
		buf = appendKey(buf[:0], int32(pred), int32(r.size))
		if r.arity > 0 {
			buf = appendKey(buf, r.order[0]...)
		}
		_, _ = h.Write(buf) // never fails
	}
	for p, r := range s.facts {
		if r != s.problem.init[p] && !s.problem.Domain.Predicates[p].Derived { // what no operator touched is as it was
			add(p, r)
		}
	}
	for p, r := range s.deleted {
		if r != nil {
			add(-1-p, r)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
