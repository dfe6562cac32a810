package decode

import (
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// admit begins queued requests in their order, as many as there is room for. Requests with the same prompt begin as
// one. One whose beginning is being computed by another waits for that. When nothing is under way the first begins
// whatever room it needs.
func (w *engineRoom) admit(e *torch.Engine, model nn.Decoder) {
	groups, order := map[string][]*request{}, []string(nil)
	for _, r := range w.queued {
		if groups[r.key] == nil {
			order = append(order, r.key)
		}
		groups[r.key] = append(groups[r.key], r)
	}
	left := w.queued[:0:0]
	full := false
	for _, key := range order {
		members := groups[key]
		for n := len(members); n > 0 && !full; n = (n + 1) / 2 {
			began, wait := w.begin(e, model, members[:n], len(w.active) == 0 && n == 1)
			if began {
				members = members[n:]
				n = 2 * len(members) // the others with the same prompt may find room for themselves
			}
			if wait {
				break
			}
			full = !began && n == 1
		}
		left = append(left, members...)
	}
	w.queued = left
}

// begin makes a sequence of requests with one prompt. began is false where there is no room, or where it is to wait for
// another's pages.
func (w *engineRoom) begin(e *torch.Engine, model nn.Decoder, members []*request, must bool) (began, wait bool) {
	prompt := members[0].prompt
	last := len(prompt) - 1 // its state is asked for, so it is computed in any case
	shared, ready := w.prefixes.match(prompt)
	if !ready {
		return false, true
	}
	whole := len(prompt) / torch.PageRows
	if most := last / torch.PageRows; len(shared) > most {
		shared, whole = shared[:most], most // of the last page the sequence has one of its own
	}
	w.prefixes.hold(shared)
	pages, lanes := whole-len(shared), 0
	for _, m := range members {
		for _, need := range m.member.needs() {
			pages += pagesFor(len(prompt)+need) - whole
			lanes++
		}
	}
	if !w.make(e, model, pages, lanes, must) {
		w.prefixes.release(shared)
		return false, false
	}
	g := &group{pages: w.prefixes.take(pages), lanes: w.takeLanes(lanes), live: 1}
	s := &sequence{group: g, tokens: append([]int32(nil), prompt...), asked: []spot{{offset: last}}, members: members}
	s.lane, g.lanes = g.lanes[lanes-1], g.lanes[:lanes-1]
	s.done = len(shared) * torch.PageRows
	if w.recurrent {
		w.resume(e, s, shared)
	}
	s.shared = shared
	for len(s.shared) < whole {
		at := len(s.shared) * torch.PageRows
		s.shared = append(s.shared, w.prefixes.add(s.shared, prompt[at:], g.pages[len(g.pages)-1], false))
		g.pages = g.pages[:len(g.pages)-1]
	}
	w.active = append(w.active, s)
	return true, false
}

// resume begins a sequence behind the last of the shared pages that has a copy of the state, and marks where copies are
// to be made: where it parts from what is remembered, and before its prompt's end. Pages between are computed again,
// to what they hold.
func (w *engineRoom) resume(e *torch.Engine, s *sequence, shared []*prefix) {
	parts := s.done
	for s.done > 0 && shared[s.done/torch.PageRows-1].state < 0 {
		s.done -= torch.PageRows
	}
	if s.done > 0 { // at 0 the model begins with zeros
		w.cache.CopyLane(e, shared[s.done/torch.PageRows-1].state, s.lane)
	}
	for _, cut := range []int{parts, (len(s.tokens) - 1) / torch.PageRows * torch.PageRows} {
		if cut > s.done && (len(s.cuts) == 0 || cut > s.cuts[0]) {
			s.cuts = append(s.cuts, cut)
		}
	}
}
