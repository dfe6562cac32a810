package decode

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// engineRoom is what only the goroutine that runs passes touches.
type engineRoom struct {
	room
	config Config
	queued []*request
	active []*sequence
	stale  []*nn.Cache // of a pass that failed, or of another version, to be freed
	// version is that of the weights which the cache was computed with.
	version nn.Version

	passes, computed atomic.Int64
}

// Stats counts the work of a Batcher.
type Stats struct {
	Passes int64
	Tokens int64 // computed
}

// Stats is what has been done so far. It may be called from any goroutine.
func (w *engineRoom) Stats() Stats { return Stats{w.passes.Load(), w.computed.Load()} }

// step admits what there is room for and computes one pass. It runs inside the engine's Do.
func (w *engineRoom) step(e *torch.Engine, model nn.Decoder) (err error) {
	e.Rowwise(func() {
		if now := *model.Version(); now != w.version {
			w.forget(ErrChanged)
			w.version = now
		}
		w.freeStale()
		w.open(e, model, w.config.CacheTokens)
		w.dropGone()
		w.admit(e, model)
		if len(w.active) > 0 {
			err = w.pass(e, model)
		}
	})
	return err
}

// part is a sequence's share of a pass.
type part struct {
	sequence  *sequence
	spots     []spot
	firstRow  int // of its wanted rows
	questions [][2]mark
}

func (w *engineRoom) pass(e *torch.Engine, model nn.Decoder) error {
	batch := nn.NewBatch()
	parts, q := make([]part, 0, len(w.active)), &questions{}
	for i, n := range w.shares() {
		if n == 0 {
			continue
		}
		s := w.active[i]
		p := part{sequence: s, firstRow: len(batch.Want)}
		p.spots = s.add(batch, n)
		s.done += n
		for _, m := range s.members {
			from := q.mark()
			for row, at := range p.spots {
				m.member.ask(q, p.firstRow+row, at.id)
			}
			p.questions = append(p.questions, [2]mark{from, q.mark()})
		}
		parts = append(parts, p)
	}
	w.passes.Add(1)
	w.computed.Add(int64(len(batch.Tokens)))
	var all answers
	e.Scope(func() []*torch.Tensor {
		all = q.put(e, model, nn.Forward(model, batch, w.cache))
		return nil
	})
	for _, p := range parts {
		w.settle(e, p.sequence)
		w.advance(e, p, all)
	}
	return nil
}

// shares is how many tokens of each active sequence the next pass computes: first those of sequences that need few, so
// that a long prompt does not hold up those that are being continued.
func (w *engineRoom) shares() []int {
	const few = 32
	shares, left := make([]int, len(w.active)), w.config.PassRows
	for _, long := range []bool{false, true} {
		for i, s := range w.active {
			if len(s.tokens)-s.done > few == long {
				shares[i] = s.chunk(left)
				left -= shares[i]
			}
		}
	}
	return shares
}

// put asks libtorch. hidden is the wanted rows' final states; logits over the whole vocabulary are made of those only
// that someone draws from.
func (q *questions) put(e *torch.Engine, model nn.Decoder, hidden *torch.Tensor) answers {
	a := answers{products: hidden.Products(model.Head(), q.productRows, q.productTokens)}
	var rows []int64
	place := map[int64]int{}
	at := func(row int64) int {
		i, found := place[row]
		if !found {
			i = len(rows)
			place[row], rows = i, append(rows, row)
		}
		return i
	}
	for i := range q.draws {
		q.draws[i].Row = at(int64(q.draws[i].Row))
	}
	for i := range q.probRows {
		q.probRows[i] = int64(at(q.probRows[i]))
	}
	if len(rows) > 0 {
		logits := model.Logits(hidden.Rows(e.FromInts(rows)))
		a.drawn, a.probs = logits.Draw(q.draws, q.best), logits.LogProbs(q.probRows, q.probTokens)
	}
	return a
}

// settle makes what a sequence has computed known to others.
func (w *engineRoom) settle(e *torch.Engine, s *sequence) {
	for i := len(s.shared) - 1; i >= 0 && !s.shared[i].ready; i-- {
		s.shared[i].ready = s.done >= (i+1)*torch.PageRows
	}
	for len(s.cuts) > 0 && s.cuts[0] <= s.done {
		if s.cuts[0] == s.done {
			w.remember(e, s.shared[s.done/torch.PageRows-1], s.lane)
		}
		s.cuts = s.cuts[1:]
	}
}

// advance gives a sequence's members their answers and lets them go on, or ends it.
func (w *engineRoom) advance(e *torch.Engine, p part, all answers) {
	s := p.sequence
	ids := make([]int, len(p.spots))
	for i, at := range p.spots {
		ids[i] = at.id
	}
	if len(ids) == 0 {
		return
	}
	type way struct {
		member *request
		branch branch
	}
	var ways []way
	for i, m := range s.members {
		mine := all.between(p.questions[i][0], p.questions[i][1])
		mine.ids = ids
		on, finished, err := m.member.next(mine)
		switch {
		case err != nil:
			m.call.failed(fmt.Errorf("request %d: %w", m.index, err))
		case finished:
			m.call.answered()
		}
		for _, branch := range on {
			ways = append(ways, way{m, branch})
		}
	}
	if s.done < len(s.tokens) {
		return // spots are left in the tokens that have not been computed
	}
	var from, to []int64
	for i := len(ways) - 1; i > 0; i-- { // the first goes on in place
		f := w.fork(e, s, &from, &to)
		f.members = []*request{ways[i].member}
		f.extend(ways[i].branch)
	}
	if len(from) > 0 {
		w.cache.CopySlots(e, from, to)
	}
	if len(ways) == 0 {
		w.end(s)
		return
	}
	s.members = []*request{ways[0].member}
	s.extend(ways[0].branch)
}

// fork makes a sequence that goes on from where s stands, behind it among the active ones. The slots to be copied are
// added to from and to.
func (w *engineRoom) fork(e *torch.Engine, s *sequence, from, to *[]int64) *sequence {
	last := len(s.group.lanes) - 1
	f := &sequence{
		group: s.group, tokens: slices.Clone(s.tokens), done: s.done, lane: s.group.lanes[last],
		shared: slices.Clone(s.shared),
	}
	s.group.lanes = s.group.lanes[:last]
	s.group.live++
	w.prefixes.hold(f.shared)
	if w.recurrent {
		w.cache.CopyLane(e, s.lane, f.lane)
	}
	old, fresh := s.pageList(s.done), f.pageList(s.done)
	for at := len(s.shared) * torch.PageRows; at < s.done; at++ {
		page, row := at/torch.PageRows, int64(at%torch.PageRows)
		*from, *to = append(*from, old[page]*torch.PageRows+row), append(*to, fresh[page]*torch.PageRows+row)
	}
	w.active = slices.Insert(w.active, slices.Index(w.active, s)+1, f)
	return f
}

// end takes a sequence off and keeps what it has computed for others, as far as it fills pages.
func (w *engineRoom) end(s *sequence) {
	w.active = slices.DeleteFunc(w.active, func(a *sequence) bool { return a == s })
	for len(s.own) > 0 && s.done >= (len(s.shared)+1)*torch.PageRows {
		p := w.prefixes.add(s.shared, s.tokens[len(s.shared)*torch.PageRows:], s.own[0], true)
		if p == nil {
			break
		}
		s.shared, s.own = append(s.shared, p), s.own[1:]
	}
	w.prefixes.release(s.shared)
	w.prefixes.give(s.own)
	w.giveLanes(s.lane)
	if s.group.live--; s.group.live == 0 {
		w.prefixes.give(s.group.pages)
		w.giveLanes(s.group.lanes...)
	}
}

// dropGone takes off what nobody waits for any more.
func (w *engineRoom) dropGone() {
	w.queued = deleteGone(w.queued)
	for _, s := range slices.Clone(w.active) {
		if s.members = deleteGone(s.members); len(s.members) == 0 {
			w.end(s)
		}
	}
}

func deleteGone(requests []*request) []*request {
	return slices.DeleteFunc(requests, func(r *request) bool { return r.call.gone() })
}

func (w *engineRoom) fail(requests []*request, err error) {
	for _, r := range requests {
		r.call.failed(err)
	}
}

// abandon fails everything under way and forgets what is remembered.
func (w *engineRoom) abandon(err error) {
	w.fail(w.queued, err)
	w.queued = nil
	w.forget(err)
}

// forget fails what has begun, of which other requests may wait, and forgets what is remembered.
func (w *engineRoom) forget(err error) {
	for _, r := range w.queued {
		if r.call.left < r.call.all {
			r.call.failed(err)
		}
	}
	for _, s := range w.active {
		w.fail(s.members, err)
	}
	w.active = nil
	if w.cache != nil {
		w.stale = append(w.stale, w.cache)
		w.room = room{}
	}
}

func (w *engineRoom) freeStale() {
	for _, c := range w.stale {
		c.Free()
	}
	w.stale = nil
}

func (w *engineRoom) freeCache() {
	w.freeStale()
	if w.cache != nil {
		w.cache.Free()
		w.room = room{}
	}
}
