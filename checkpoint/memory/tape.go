package memory

// tape is memory as a pass goes on and as autograd goes back.
type tape struct {
	live, peak int64
	grad       bool         // operations are noted for the way back
	scopes     [][]*storage // handles of the open scopes, outermost first
	nodes      []*node
}

// storage is memory that tensors share. It is free when no handle, node or gradient holds it any more.
type storage struct {
	bytes int64
	refs  int
}

// value is a tensor.
type value struct {
	*storage
	needs bool     // a gradient
	leaf  bool     // what is trained: its gradient is gathered elsewhere
	slope *storage // the gradient so far
	parts []*storage
	split bool // gradients of its parts stay apart until all are put together
}

// op is what an operation makes and keeps, in bytes.
type op struct {
	in   []*value
	out  int64    // of a new result; 0: the result is a view of in[0]
	save []*value // kept for the way back
	own  bool     // so is the result
	keep int64    // made and kept for the way back beside them
	temp int64    // beside all that, forward
	// slopes are the gradients of the inputs; 0: the result's own, as it is; below 0: none.
	slopes []int64
	back   int64 // beside gradients, on the way back
}

type node struct {
	op
	result *value
	saved  []*storage
}

func (t *tape) touch(bytes int64) { t.peak = max(t.peak, t.live+bytes) }

// make makes a storage that nobody holds yet.
func (t *tape) make(bytes int64) *storage {
	t.touch(bytes)
	t.live += bytes
	return &storage{bytes: bytes}
}

func (t *tape) hold(s *storage) *storage {
	s.refs++
	return s
}

func (t *tape) drop(s *storage) {
	if s.refs--; s.refs == 0 {
		t.live -= s.bytes
	}
}

// handle gives a storage to the open scope.
func (t *tape) handle(s *storage) {
	last := len(t.scopes) - 1
	t.scopes[last] = append(t.scopes[last], t.hold(s))
}

// scope lets go of the handles made in f but for that of its result, which goes to the scope outside.
func (t *tape) scope(f func() *value) *value {
	t.scopes = append(t.scopes, nil)
	v := f()
	last := len(t.scopes) - 1
	handles := t.scopes[last]
	t.scopes = t.scopes[:last]
	if v != nil && last > 0 {
		t.handle(v.storage)
	}
	for _, s := range handles {
		t.drop(s)
	}
	return v
}

// fresh is a new tensor that comes of no operation.
func (t *tape) fresh(bytes int64) *value {
	v := &value{storage: t.make(bytes)}
	t.handle(v.storage)
	return v
}

// do is an operation.
func (t *tape) do(o op) *value {
	v := &value{}
	if v.storage = o.in[0].storage; o.out > 0 {
		v.storage = t.make(o.out)
	}
	t.handle(v.storage)
	t.touch(o.keep + o.temp)
	for _, in := range o.in {
		v.needs = v.needs || t.grad && in.needs
	}
	if !v.needs {
		return v
	}
	n := &node{op: o, result: v}
	for _, s := range o.save {
		n.saved = append(n.saved, t.hold(s.storage))
	}
	if o.own {
		n.saved = append(n.saved, t.hold(v.storage))
	}
	if o.keep > 0 {
		n.saved = append(n.saved, t.hold(t.make(o.keep)))
	}
	t.nodes = append(t.nodes, n)
	return v
}

// backward goes back from v, whose gradient is handed over, through all that was noted.
func (t *tape) backward(v *value, slope *storage) {
	v.slope = t.hold(slope)
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := t.nodes[i]
		t.nodes = t.nodes[:i]
		t.step(n)
	}
}

func (t *tape) step(n *node) {
	slope := n.result.slope
	n.result.slope = nil
	defer func() {
		for _, part := range n.result.parts {
			t.drop(part)
		}
	}()
	made := make([]*storage, len(n.in))
	if slope != nil {
		for i, in := range n.in {
			if !in.needs || in.leaf || i >= len(n.slopes) || n.slopes[i] < 0 {
				continue
			}
			if made[i] = slope; n.slopes[i] > 0 {
				made[i] = t.make(n.slopes[i])
			}
			t.hold(made[i])
		}
		t.touch(n.back)
		t.drop(slope)
	}
	for _, s := range n.saved {
		t.drop(s)
	}
	for i, in := range n.in {
		if made[i] != nil {
			t.gather(in, made[i])
		}
	}
}

// gather adds to a gradient, in place where nobody else holds it.
func (t *tape) gather(v *value, s *storage) {
	switch {
	case v.slope == nil:
		v.slope = s
		return
	case v.split:
		v.parts = append(v.parts, s)
		return
	case v.slope.refs > 1:
		sum := t.hold(t.make(v.slope.bytes))
		t.drop(v.slope)
		v.slope = sum
	}
	t.drop(s)
}

// release lets a handle of the innermost scope go before its end.
func (t *tape) release(s *storage) {
	last := len(t.scopes) - 1
	for i, have := range t.scopes[last] {
		if have == s {
			t.scopes[last] = append(t.scopes[last][:i], t.scopes[last][i+1:]...)
			t.drop(s)
			return
		}
	}
}
