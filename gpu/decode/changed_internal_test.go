package decode

import (
	"errors"
	"testing"
)

// A call of which one request is answered fails when the weights change before the other begins; one that has not begun
// is computed with the new ones.
func TestForgetHalfACall(t *testing.T) {
	half, whole := newCall(t.Context(), "half"), newCall(t.Context(), "whole")
	half.add(0, &request{})
	w := &engineRoom{queued: []*request{half.add(1, &request{}), whole.add(0, &request{})}}
	half.answered()
	w.forget(ErrChanged)
	if !half.over || !errors.Is(half.err, ErrChanged) {
		t.Errorf("half of it is answered: over %v, %v, want %v", half.over, half.err, ErrChanged)
	}
	if w.dropGone(); whole.over || len(w.queued) != 1 || w.queued[0].call != whole {
		t.Errorf("not begun: over %v, %v; %d requests are left, want its one", whole.over, whole.err, len(w.queued))
	}
}
