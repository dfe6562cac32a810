package gpu

import "errors"

// ErrNotFinite is in the error of a training step whose loss or gradient is not a finite number; the text names
// the step.
var ErrNotFinite = errors.New("not a finite number")

// ErrOutOfMemory is in the error of work for which the device or the machine had no memory left. Smaller work may
// succeed: fewer or shorter texts at a time, Recompute.
var ErrOutOfMemory = errors.New("out of memory")
