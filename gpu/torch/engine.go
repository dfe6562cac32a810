package torch

/*
#include <stdlib.h>
#include "memory.h"
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

// Config sets up an Engine.
type Config struct {
	Device  string // "cpu", "cuda", "cuda:N", "auto" (cuda:0 where there is one) or "meta" (shapes only); "" is "auto"
	Threads int    // of one operation on the CPU; 0 is the number of processors the program may use
}

// Engine owns one device. Its methods but for Do, Close and the plain facts are called from inside Do only.
type Engine struct {
	device  string
	threads int
	class   string
	name    string

	jobs chan job
	once sync.Once     // of Close
	quit chan struct{} // closed by Close
	done chan struct{} // closed when the thread has ended

	cdevice *C.char            // device, for the shim
	slot    *libtch.Ctensor    // the one out-parameter of all calls, in C memory
	live    []*Tensor          // of the open scopes, innermost last
	scalars map[float64]scalar // constants made so far
	grad    bool               // gradient mode of the thread
	rowwise bool               // see Rowwise
	handles int                // tensors held
	pieces  []byte             // memory of Load and WriteTo
}

// New starts an engine's thread and chooses its device.
func New(config Config) (*Engine, error) {
	if config.Device == "" {
		config.Device = "auto"
	}
	if config.Threads < 0 {
		return nil, fmt.Errorf("torch: %d threads: expected 0 or more", config.Threads)
	}
	if config.Threads == 0 {
		config.Threads = runtime.GOMAXPROCS(0)
	}
	e := &Engine{
		threads: config.Threads,
		jobs:    make(chan job),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		scalars: map[float64]scalar{},
	}
	started := make(chan error)
	go e.loop(config.Device, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("torch: %w", err)
	}
	return e, nil
}

// loop is the device's thread. Gradient mode, the pending error and the OpenMP pool belong to it. It is never
// unlocked, so that the thread ends with the goroutine and nothing else inherits its state.
func (e *Engine) loop(device string, started chan<- error) {
	runtime.LockOSThread()
	defer close(e.done)
	if err := e.start(device); err != nil {
		started <- err
		return
	}
	close(started)
	for {
		select {
		case j := <-e.jobs:
			e.serve(j)
		case <-e.quit:
			e.end()
			return
		}
	}
}

func (e *Engine) start(asked string) (err error) {
	defer caught(&err)
	if e.device, err = chooseDevice(asked); err != nil {
		return err
	}
	e.cdevice = C.CString(e.device)
	e.slot = (*libtch.Ctensor)(C.calloc(1, C.size_t(unsafe.Sizeof(uintptr(0)))))
	check("memory", C.hone_memory_watch(e.cdevice))
	check("use device", C.hone_use_device(e.cdevice))
	check("set threads", C.hone_set_threads(C.int(e.threads)))
	check("deterministic algorithms", C.hone_deterministic(1))
	C.hone_grad_mode(0)
	e.describe()
	return nil
}

// describe sets name and class.
func (e *Engine) describe() {
	if index, found := strings.CutPrefix(e.device, "cuda:"); found {
		e.name = graphics(index)
		e.class = fmt.Sprintf("%s cuda %s", Version(), e.name)
		return
	}
	cpu, name := processor()
	e.name = name
	e.class = fmt.Sprintf("%s %s %s %s threads=%d", Version(), e.device, C.GoString(C.hone_cpu_capability()), cpu, e.threads)
}

func (e *Engine) end() {
	e.closeScope(0)
	for _, s := range e.scalars {
		libtch.AtsFree(s)
	}
	C.free(unsafe.Pointer(e.slot))
	C.free(unsafe.Pointer(e.cdevice))
}

// Device is the one chosen: "cpu", "cuda:0" or "meta".
func (e *Engine) Device() string { return e.device }

// Threads is how many one operation uses on the CPU.
func (e *Engine) Threads() int { return e.threads }

// Class names what results depend on beside the program: where it agrees, they agree bit for bit. The processor's
// model belongs to it, since the matrix library chooses its loops by it.
func (e *Engine) Class() string { return e.class }

// Name is the processor's.
func (e *Engine) Name() string { return e.name }

// Handles is how many tensors are held now, kept ones included: a figure for leak tests.
func (e *Engine) Handles() int { return e.handles }
