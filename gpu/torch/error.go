package torch

/*
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/sugarme/gotch/libtch"

	"github.com/hone-rl/hone/gpu"
)

// ErrOutOfMemory is the contract's: the device or the machine had no memory left. What the work had made has been
// freed, and the engine works on.
var ErrOutOfMemory = gpu.ErrOutOfMemory

// Error is an operation that libtorch refused. It is [ErrOutOfMemory] where that was the reason.
type Error struct {
	Op      string // "linear"
	Shapes  string // of the tensors given, "[3 4] [5 6]"
	Message string // libtorch's, without its C++ stack
}

// Is says whether target is ErrOutOfMemory and this such an error. gotch hands on texts alone, so the text decides:
// those of our CPU allocator, CUDA's allocator, CUDA's libraries and C++.
func (e *Error) Is(target error) bool {
	if target != ErrOutOfMemory {
		return false
	}
	for _, says := range []string{"out of memory", "_ALLOC_FAILED", "std::bad_alloc"} {
		if strings.Contains(e.Message, says) {
			return true
		}
	}
	return false
}

func (e *Error) Error() string {
	if e.Shapes == "" {
		return fmt.Sprintf("torch: %s: %s", e.Op, e.Message)
	}
	return fmt.Sprintf("torch: %s of %s: %s", e.Op, e.Shapes, e.Message)
}

// fail panics with an Error about op on the tensors.
func fail(op, message string, tensors ...*Tensor) {
	message, _, _ = strings.Cut(message, "\n") // behind it stand C++ stacks and lists of backends
	message, _, _ = strings.Cut(message, " This could be because")
	shapes := make([]string, 0, len(tensors))
	for _, t := range tensors {
		switch {
		case t == nil:
		case t.c == nil:
			shapes = append(shapes, "(freed)")
		default:
			shapes = append(shapes, fmt.Sprint(t.Shape()))
		}
	}
	panic(&Error{Op: op, Shapes: strings.Join(shapes, " "), Message: strings.TrimSpace(message)})
}

// check panics if the shim returned a message.
func check(op string, message *C.char, tensors ...*Tensor) {
	if message == nil {
		return
	}
	fail(op, take(unsafe.Pointer(message)), tensors...)
}

// pending fetches the message of a libtch call that failed.
func pending() string {
	if message := unsafe.Pointer(libtch.GetAndResetLastErr()); message != nil {
		return take(message)
	}
	return "no result and no message"
}

// take copies a message of C's and frees it.
func take(message unsafe.Pointer) string {
	defer C.free(message)
	return C.GoString((*C.char)(message))
}

// raised panics if the libtch call just made, one without a result, left a message.
func raised(op string, tensors ...*Tensor) {
	if message := unsafe.Pointer(libtch.GetAndResetLastErr()); message != nil {
		fail(op, take(message), tensors...)
	}
}
