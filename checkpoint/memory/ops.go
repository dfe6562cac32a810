package memory

// kind is how a model is computed: what the same layer makes and keeps depends on it.
type kind struct {
	size   int64 // bytes of an element of states, and of weights that are not trained
	loops  bool  // the CPU's own loops in fp32; otherwise libtorch's operations
	padded bool  // attention pads sequences, rather than the CPU's loop
	eager  bool  // of padded attention: products and a softmax in fp32, rather than libtorch's own
}

// kindOf is what a device computes in.
func kindOf(bfloat16, eager, cuda bool) kind {
	k := kind{size: fp32, eager: eager, padded: eager || bfloat16 || cuda}
	if bfloat16 {
		k.size = 2
	}
	k.loops = !cuda && !bfloat16
	return k
}

const (
	fp32 = 4
	i64  = 8
)

// The elementary operations of libtorch, over n elements of size bytes.

func (t *tape) add(x, y *value, bytes int64) *value {
	return t.do(op{in: []*value{x, y}, out: bytes, slopes: []int64{0, 0}})
}

// mul is x·y of one size; what each derivative needs of the other is kept.
func (t *tape) mul(x, y *value, bytes int64) *value {
	o := op{in: []*value{x, y}, out: bytes, slopes: []int64{bytes, bytes}}
	if x.needs {
		o.save = append(o.save, y)
	}
	if y.needs {
		o.save = append(o.save, x)
	}
	return t.do(o)
}

// scaled is an operation whose derivative keeps nothing: to a type, times a constant, a gather, a copy.
func (t *tape) scaled(x *value, from, to int64) *value {
	return t.do(op{in: []*value{x}, out: to, slopes: []int64{from}})
}

// to is the type of size bytes; the tensor itself if it has it.
func (t *tape) to(x *value, elements, from, size int64) *value {
	if from == size {
		return x
	}
	return t.scaled(x, elements*from, elements*size)
}

// matmul keeps both factors.
func (t *tape) matmul(x, y *value, xBytes, yBytes, out int64) *value {
	return t.do(op{in: []*value{x, y}, out: out, save: []*value{x, y}, slopes: []int64{xBytes, yBytes}})
}

// copied is a copy whose gradient is the copy's own.
func (t *tape) copied(x *value, bytes int64) *value {
	return t.do(op{in: []*value{x}, out: bytes, slopes: []int64{0}})
}

// parts is x as it is cut into parts; their gradients are put together.
func (t *tape) parted(x *value, bytes int64) *value {
	v := t.do(op{in: []*value{x}, slopes: []int64{bytes}})
	v.split = true
	return v
}
