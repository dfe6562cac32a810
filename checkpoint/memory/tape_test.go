package memory

import "testing"

// A tape lets go when autograd does: checked step by step on a pass of three operations by hand.
func TestTape(t *testing.T) {
	for _, tt := range []struct {
		name  string
		grad  bool
		after int64 // what is live after the pass, with x
		peak  int64 // in the end
	}{
		// x 100, a 50 (keeps x), b 30 (a view of nothing, keeps itself), c 20 (keeps a, makes 5 for the way back, 200 beside).
		{"without gradients", false, 120, 405},
		// x, a, b, c and the 5 stay; going back from c with a slope of 20: slopes of 50 for a and 30 for b.
		{"with gradients", true, 205, 405},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &tape{grad: tt.grad}
			p.scope(func() *value {
				x := p.fresh(100)
				x.needs = true
				c := p.scope(func() *value {
					a := p.do(op{in: []*value{x}, out: 50, save: []*value{x}, slopes: []int64{100}})
					b := p.do(op{in: []*value{a}, out: 30, own: true, slopes: []int64{50}})
					return p.do(op{in: []*value{a, b}, out: 20, save: []*value{a}, keep: 5, temp: 200, slopes: []int64{50, 30}})
				})
				if p.live != tt.after {
					t.Errorf("after the pass: %d bytes, want %d", p.live, tt.after)
				}
				if !tt.grad {
					return nil
				}
				p.grad = false
				p.backward(c, p.make(20))
				// c and its slope, x and its slope: all else has gone.
				if p.live != 100+20+100 || x.slope == nil || x.slope.bytes != 100 {
					t.Errorf("after the way back: %d bytes, want 220", p.live)
				}
				return nil
			})
			if p.peak != tt.peak {
				t.Errorf("peak %d, want %d", p.peak, tt.peak)
			}
			if want := map[bool]int64{false: 0, true: 100}[tt.grad]; p.live != want { // x's slope is the caller's
				t.Errorf("in the end: %d bytes, want %d", p.live, want)
			}
		})
	}
}

// Gradients of two uses are added in place where nobody else holds the first, and into a new one otherwise.
func TestGather(t *testing.T) {
	p := &tape{}
	v := &value{storage: &storage{}}
	first, second := p.hold(p.make(8)), p.hold(p.make(8))
	p.gather(v, first)
	p.gather(v, second)
	if p.live != 8 || v.slope != first {
		t.Errorf("in place: %d bytes", p.live)
	}
	third := p.hold(p.make(8))
	p.hold(first)
	p.gather(v, third)
	if p.live != 16 || v.slope == first || p.peak != 24 {
		t.Errorf("shared: %d bytes, peak %d", p.live, p.peak)
	}
}
