package torch

/*
#cgo CXXFLAGS: -std=c++17 -O3
#cgo LDFLAGS: -lstdc++ -ltorch_cpu -lc10 -ldl
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unsafe"
)

// deviceNames are those that Config.Device may have.
var deviceNames = regexp.MustCompile(`^(cpu|auto|meta|cuda(:[0-9]{1,3})?)$`)

// Version of the library that is linked.
func Version() string { return "libtorch " + C.GoString(C.hone_version()) }

const cublasWorkspace = "CUBLAS_WORKSPACE_CONFIG"

// openCUDA opens CUDA's libraries, once a process. libtorch keeps its first answer to whether CUDA exists, so this
// comes before any engine's first operation, whenever a device is asked for or to be seen.
var openCUDA = sync.OnceValue(func() error {
	// Products in a fixed order need a workspace of fixed size; libtorch refuses them without.
	if os.Getenv(cublasWorkspace) == "" {
		if err := os.Setenv(cublasWorkspace, ":4096:8"); err != nil {
			return err
		}
	}
	for _, name := range []string{"libc10_cuda.so", "libtorch_cuda.so"} {
		if err := openLibrary(name); err != nil {
			return err
		}
	}
	return nil
})

func openLibrary(name string) error {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	message := C.hone_open_library(c)
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return fmt.Errorf("open %s: %s (make setup DEVICE=cuda brings it)", name, C.GoString(message))
}

// OpenCUDA opens CUDA's libraries, which [New] does by itself where a device is asked for or to be seen.
func OpenCUDA() error { return openCUDA() }

// CUDAVersions are those of the CUDA runtime (1000 for each major, 10 for each minor) and of cuDNN as libtorch's
// CUDA libraries report them once they are open; no GPU is needed.
func CUDAVersions() (runtime, cudnn int64, err error) {
	var r, c C.int64_t
	message := C.hone_cuda_versions(&r, &c)
	if message != nil {
		defer C.free(unsafe.Pointer(message))
		return 0, 0, fmt.Errorf("torch: CUDA versions: %s", C.GoString(message))
	}
	return int64(r), int64(c), nil
}

// devicePresent says whether the NVIDIA driver shows a device.
func devicePresent() bool {
	found, err := filepath.Glob("/dev/nvidia[0-9]*")
	return err == nil && len(found) > 0
}

// chooseDevice turns what was asked for into a device that is there. It runs on the engine's thread.
func chooseDevice(asked string) (string, error) {
	if !deviceNames.MatchString(asked) {
		return "", fmt.Errorf("device %q: expected cpu, cuda, cuda:N, auto or meta", asked)
	}
	present := devicePresent()
	cuda := strings.HasPrefix(asked, "cuda")
	var opened error
	if cuda || present {
		opened = openCUDA()
	}
	switch {
	case asked == "auto" && present && opened == nil && cudaDevices() > 0:
		return "cuda:0", nil
	case asked == "auto":
		return "cpu", nil
	case !cuda:
		return asked, nil
	case opened != nil:
		return "", fmt.Errorf("device %s: %w", asked, opened)
	}
	index := 0
	if _, number, found := strings.Cut(asked, ":"); found {
		if _, err := fmt.Sscan(number, &index); err != nil {
			return "", fmt.Errorf("device %q: %w", asked, err)
		}
	}
	if n := cudaDevices(); index >= n {
		return "", fmt.Errorf("device %s: CUDA shows %d devices", asked, n)
	}
	return fmt.Sprintf("cuda:%d", index), nil
}

func cudaDevices() int {
	var count C.int
	if message := C.hone_cuda_devices(&count); message != nil {
		C.free(unsafe.Pointer(message))
		return 0
	}
	return int(count)
}

// processor is /proc/cpuinfo's vendor, family, model and name of the first processor.
func processor() (class, name string) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown", "unknown"
	}
	cpu := string(text)
	return field(cpu, "vendor_id") + " " + field(cpu, "cpu family") + "/" + field(cpu, "model"), field(cpu, "model name")
}

// field is the first value of a key in the "key : value" lines of /proc.
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}

// graphics is the name of a GPU as the driver gives it.
func graphics(index string) string {
	folders, err := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	var n int
	if _, scan := fmt.Sscan(index, &n); err != nil || scan != nil || n >= len(folders) {
		return "unknown"
	}
	text, err := os.ReadFile(folders[n])
	if err != nil {
		return "unknown"
	}
	return field(string(text), "Model")
}
