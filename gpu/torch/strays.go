package torch

/*
#include "strays.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// Strays runs f and returns libtorch's names of the operations in it, gradients included, that were given a tensor of
// another kind of device than the engine's. There should be none: a GPU fails there, or waits for the host. Copies
// between devices do not count, nor do single numbers.
func (e *Engine) Strays(f func()) (operations []string) {
	var handle C.uint64_t
	check("strays", C.hone_strays_begin(e.cdevice, &handle))
	defer func() {
		var names *C.char
		check("strays", C.hone_strays_end(handle, &names))
		if all := take(unsafe.Pointer(names)); all != "" {
			operations = strings.Split(all, "\n")
		}
	}()
	f()
	return nil
}
