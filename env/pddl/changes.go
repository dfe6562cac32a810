package pddl

// maxLogged is how many changes a state remembers. A step of a game makes a handful, and who follows a state looks at
// it after every step.
const maxLogged = 64

// changed is a fact that was added or deleted.
type changed struct {
	pred  int
	added bool
	row   []int32
}

// history is the last changes of a state's facts, in order.
type history struct {
	count uint64 // of all changes since the first state
	last  []changed
	rows  []int32 // of last
}

func (h *history) note(pred int, added bool, row []int32) {
	if len(h.last) == maxLogged {
		h.last, h.rows = h.last[:0], h.rows[:0]
	}
	h.count++
	at := len(h.rows)
	h.rows = append(h.rows, row...)
	h.last = append(h.last, changed{pred, added, h.rows[at:len(h.rows):len(h.rows)]})
}

// since is the changes after the first n; false if they are not all remembered.
func (h *history) since(n uint64) ([]changed, bool) {
	missed := h.count - n
	if missed > uint64(len(h.last)) {
		return nil, false
	}
	return h.last[len(h.last)-int(missed):], true
}

// changes is how often facts of the given predicates have changed. It never falls, so that nothing has changed where
// it is the same.
func (s *State) changes(preds []int) uint64 {
	n := uint64(0)
	for _, p := range preds {
		n += uint64(s.version[p])
	}
	return n
}
