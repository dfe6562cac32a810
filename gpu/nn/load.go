package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu/torch"
)

// Loader takes a model's tensors out of a file and gathers all that is wrong with them into one error.
type Loader struct {
	e       *torch.Engine
	file    *safetensors.File
	prefix  string
	dtype   torch.DType
	used    map[string]bool
	wrong   []string
	tensors []*torch.Tensor
}

// NewLoader reads from file, putting prefix before every name, as tensors of the given type.
func NewLoader(e *torch.Engine, file *safetensors.File, prefix string, dtype torch.DType) *Loader {
	return &Loader{e: e, file: file, prefix: prefix, dtype: dtype, used: map[string]bool{}}
}

// Tensor copies the named tensor to the device, to be kept. Where it is missing or has another shape, that
// is remembered and nil returned.
func (l *Loader) Tensor(name string, shape ...int64) *torch.Tensor {
	name = l.prefix + name
	l.used[name] = true
	t := l.file.Tensor(name)
	switch {
	case t == nil:
		l.wrong = append(l.wrong, fmt.Sprintf("missing tensor %s: expected shape %v", name, shape))
		return nil
	case !slices.Equal(t.Shape, shape):
		l.wrong = append(l.wrong, fmt.Sprintf("tensor %s has shape %v: expected %v", name, t.Shape, shape))
		return nil
	}
	dtype, ok := dtypes[t.DType]
	if !ok {
		l.wrong = append(l.wrong, fmt.Sprintf("tensor %s has type %s: expected F32, F16 or BF16", name, t.DType))
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // no memory left: what is there already must not stay
			l.free()
			panic(p)
		}
	}()
	loaded, err := l.e.Load(t.Reader(), dtype, l.dtype, shape...)
	if err != nil {
		l.wrong = append(l.wrong, fmt.Sprintf("tensor %s: %v", name, err))
		return nil
	}
	loaded.Keep()
	l.tensors = append(l.tensors, loaded)
	return loaded
}

var dtypes = map[safetensors.DType]torch.DType{
	safetensors.F32: torch.Float32, safetensors.F16: torch.Float16, safetensors.BF16: torch.BFloat16,
}

// Dense loads a linear layer of that name.
func (l *Loader) Dense(name string, out, in int, bias bool) *Dense {
	d := &Dense{Weight: l.Tensor(name+".weight", int64(out), int64(in))}
	if bias {
		d.Bias = l.Tensor(name+".bias", int64(out))
	}
	return d
}

// Norm loads a norm of that name.
func (l *Loader) Norm(name string, width int, eps float64) *RMSNorm {
	return &RMSNorm{Weight: l.Tensor(name+".weight", int64(width)), Eps: eps}
}

// Spare says that what the weights of such a model may hold besides its own tensors may stand in the file.
func (l *Loader) Spare(m checkpoint.Model) {
	for _, name := range l.file.Names() {
		if checkpoint.Spare(m, name) {
			l.used[name] = true
		}
	}
}

// Ignore says that a tensor may stand in the file without being loaded.
func (l *Loader) Ignore(name string) { l.used[l.prefix+name] = true }

// Finish is an error that names every tensor that is missing, has a wrong shape or type, or stands in the file
// without a place in the model. Then what was loaded has been freed.
func (l *Loader) Finish() error {
	for _, name := range l.file.Names() {
		if !l.used[name] {
			l.wrong = append(l.wrong, fmt.Sprintf("extra tensor %s of shape %v: the model has no place for it", name,
				l.file.Tensor(name).Shape))
		}
	}
	if len(l.wrong) == 0 {
		return nil
	}
	l.free()
	const most = 12
	more := ""
	if len(l.wrong) > most {
		more = fmt.Sprintf("\n\tand %d more", len(l.wrong)-most)
		l.wrong = l.wrong[:most]
	}
	return errors.New(l.file.Path + ":\n\t" + strings.Join(l.wrong, "\n\t") + more)
}

// Loaded are all tensors that were loaded.
func (l *Loader) Loaded() []*torch.Tensor { return l.tensors }

func (l *Loader) free() {
	for _, t := range l.tensors {
		t.Free()
	}
}
