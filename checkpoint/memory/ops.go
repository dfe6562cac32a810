package memory

// kind is how a model is computed: what the same layer makes and keeps depends on it.
type kind struct {
	size  int64 // bytes of an element of weights and states
	loops bool  // the CPU's own loops in fp32; otherwise libtorch's operations
	eager bool  // attention by products and a softmax in fp32
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
