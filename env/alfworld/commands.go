package alfworld

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// commands keeps what may be said in a state: the text of every operator and the texts in order. Where a step
// changed operators it is changed with them: a text is told once, and what is new goes between what was there.
type commands struct {
	said   []said  // by action
	told   told    // texts by number
	uses   []int32 // by text: operators that are said so now
	listed []bool  // by text: it stands in sorted, or in fresh
	sorted []int32 // texts in use, in their order
	fresh  []int32 // texts that came into use
	bytes  int     // of the texts of all operators
	spare  said    // whose tables are written next
	next   []int32 // for sorted
	key    []byte
}

// said is the texts of one action's operators.
type said struct {
	generation int
	keys       []int32 // of each operator, the arguments that its text is about
	texts      []int32 // of each operator
	lent       bool    // the tables are an opening's
}

// entryBytes is about what a text takes in the tables beside its bytes.
const entryBytes = 100

// spareTexts is how many bytes of texts that are not in use are kept, beside twice as many as are in use.
const spareTexts = 1 << 18

// clone is a copy of an opening's commands that can be changed. What has been told is shared.
func (c *commands) clone() commands {
	n := commands{said: slices.Clone(c.said), told: c.told.clone(), bytes: c.bytes}
	for a := range n.said {
		n.said[a].lent = true
	}
	n.uses, n.listed, n.sorted = slices.Clone(c.uses), slices.Clone(c.listed), slices.Clone(c.sorted)
	return n
}

// blank has what an opening has told, for a state of which nothing is known.
func (c *commands) blank() commands {
	texts := len(c.told.texts)
	return commands{said: make([]said, len(c.said)), told: c.told.clone(), uses: make([]int32, texts), listed: make([]bool, texts)}
}

// update follows the operators of e, and returns all commands, sorted and distinct, in a list of their own. Telling a
// text anew counts as much as telling it the first time, so that the work of a step follows from the state alone.
func (c *commands) update(e *Episode) ([]string, error) {
	for a := range c.said {
		if c.stale(e, a) {
			for _, id := range c.said[a].texts {
				c.uses[id]--
				c.bytes -= len(c.told.texts[id])
			}
		}
	}
	for a := range c.said {
		if c.stale(e, a) {
			if err := c.tell(e, a); err != nil {
				return nil, err
			}
		}
	}
	list := c.merge()
	if e.opening != nil && c.told.size > spareTexts+2*c.bytes {
		c.forget(e)
	}
	return list, nil
}

// stale reports whether the texts of an action must be looked at again.
func (c *commands) stale(e *Episode, a int) bool {
	return c.said[a].generation != e.ops.Generation(a) || e.game.actions[a].varies
}

// tell finds the texts of an action's operators. Both old and new operators stand in an order, and often most are
// about the same things: those are met side by side.
func (c *commands) tell(e *Episode, a int) error {
	w, s := &e.game.actions[a], &c.said[a]
	rows, n := e.ops.Rows(a), len(w.slots)
	keys, texts := c.spare.keys[:0], c.spare.texts[:0]
	work, old, k := 0, 0, len(w.about)
	for i := range e.ops.Count(a) {
		args := rows[i*n : i*n+n]
		for _, at := range w.about {
			keys = append(keys, args[at])
		}
		key := keys[i*k:]
		id := int32(-1)
		if !w.varies {
			for skip := old; skip < len(s.texts) && skip < old+2; skip++ {
				if slices.Equal(s.keys[skip*k:skip*k+k], key) {
					id, old = s.texts[skip], skip+1
					break
				}
			}
			if id < 0 {
				id = c.find(a, key)
			}
		}
		if id >= 0 {
			work += int(c.told.work[id])
		} else {
			var err error
			if id, err = c.anew(e, a, args, key); err != nil {
				return err
			}
		}
		if c.bytes += len(c.told.texts[id]); c.bytes > maxCommands {
			return fmt.Errorf("%w: grammar: the commands of one state are longer than %d bytes together", env.ErrBadGame, maxCommands)
		}
		c.use(id)
		texts = append(texts, id)
	}
	if c.spare = *s; s.lent {
		c.spare = said{}
	}
	*s = said{generation: e.ops.Generation(a), keys: keys, texts: texts}
	if !e.teller.meter.Spend(work) {
		return e.teller.meter.Err()
	}
	return nil
}

// find is the text of an operator that has been told before, -1 if it has not.
func (c *commands) find(a int, key []int32) int32 {
	c.key = appendKey(c.key[:0], a, key)
	return c.told.byKey.find(c.key)
}

// anew tells the text of an operator.
func (c *commands) anew(e *Episode, a int, args, key []int32) (int32, error) {
	w := &e.game.actions[a]
	before := e.teller.meter.Used()
	text, err := e.teller.tell(w.template, w, args)
	if err != nil {
		return 0, err
	}
	id := c.told.byText.find([]byte(text))
	if id < 0 {
		id = c.told.add(text, e.teller.meter.Used()-before)
		c.uses, c.listed = append(c.uses, 0), append(c.listed, false)
	}
	if !w.varies {
		c.key = appendKey(c.key[:0], a, key)
		c.told.byKey.add(string(c.key), id)
		c.told.size += entryBytes + len(c.key)
	}
	return id, nil
}

func (c *commands) use(id int32) {
	if c.uses[id]++; !c.listed[id] {
		c.listed[id] = true
		c.fresh = append(c.fresh, id)
	}
}

// merge brings what came into use into the order, and takes out what went.
func (c *commands) merge() []string {
	texts := c.told.texts
	byText := func(a, b int32) int { return strings.Compare(texts[a], texts[b]) }
	slices.SortFunc(c.fresh, byText)
	next, rest := c.next[:0], c.sorted
	for _, id := range c.fresh {
		n, _ := slices.BinarySearchFunc(rest, id, byText)
		next = append(c.inUse(next, rest[:n]), id)
		rest = rest[n:]
	}
	next = c.inUse(next, rest)
	c.next, c.sorted, c.fresh = c.sorted, next, c.fresh[:0]
	return c.list()
}

// inUse adds to list the texts in use, and notes that the others are no longer listed.
func (c *commands) inUse(list, ids []int32) []int32 {
	for _, id := range ids {
		if c.uses[id] > 0 {
			list = append(list, id)
		} else {
			c.listed[id] = false
		}
	}
	return list
}

func (c *commands) list() []string {
	list := make([]string, len(c.sorted))
	for i, id := range c.sorted {
		list[i] = c.told.texts[id]
	}
	return list
}

// operator is the operator that is said so. Where there are several it is the one that ALFWorld's engine comes upon
// first: those whose conditions never change before others, and by the action's name and its arguments' ids, as the
// reference translator numbers them. Where their conditions differ, that engine goes by how the translator happens to
// number facts, which is not followed.
func (c *commands) operator(e *Episode, text string) (action, i int, ok bool) {
	id := c.told.byText.find([]byte(text))
	if id < 0 || c.uses[id] == 0 {
		return 0, 0, false
	}
	for a := range c.said {
		if ok && !e.game.before(a, action) {
			continue
		}
		met := false // within a
		for k, said := range c.said[a].texts {
			if said == id && (!met || slices.Compare(e.ops.At(a, k).Args, e.ops.At(a, i).Args) < 0) {
				action, i, ok, met = a, k, true, true
			}
		}
	}
	return action, i, ok
}

// before reports whether operators of action a come before those of b.
func (g *Game) before(a, b int) bool {
	if g.actions[a].reads != g.actions[b].reads {
		return g.actions[b].reads
	}
	return g.problem.Domain.Actions[a].Name < g.problem.Domain.Actions[b].Name
}

// forget drops what the episode has told beside what is in use.
func (c *commands) forget(e *Episode) {
	old := c.told
	c.told = e.opening.commands.told.clone()
	shared := int32(len(c.told.texts))
	number := make([]int32, len(old.texts))
	for a := range c.said {
		s, k := &c.said[a], len(e.game.actions[a].about)
		if s.lent { // all of it is the opening's
			continue
		}
		for i, id := range s.texts {
			if id >= shared && number[id] == 0 {
				number[id] = c.told.add(old.texts[id], int(old.work[id]))
			}
			if id >= shared {
				s.texts[i] = number[id]
			}
			if key := s.keys[i*k : i*k+k]; !e.game.actions[a].varies && c.find(a, key) < 0 {
				c.told.byKey.add(string(c.key), s.texts[i])
				c.told.size += entryBytes + len(c.key)
			}
		}
	}
	for i, id := range c.sorted {
		if id >= shared {
			c.sorted[i] = number[id]
		}
	}
	uses := make([]int32, len(c.told.texts))
	c.listed = make([]bool, len(uses))
	copy(uses, c.uses[:shared])
	for id := shared; int(id) < len(old.texts); id++ {
		if n := number[id]; n > 0 {
			uses[n] = c.uses[id]
		}
	}
	c.uses = uses
	for _, id := range c.sorted {
		c.listed[id] = true
	}
}
