package gpu

import "errors"

// ErrNotFinite is in the error of a training step whose loss, gradient or update is not finite, of which the text names
// the step, and of scores that are not finite.
var ErrNotFinite = errors.New("not a finite number")

// ErrOutOfMemory is in the error of work for which the device or the machine had no memory left. Smaller work may
// succeed: fewer or shorter texts at a time, Recompute.
var ErrOutOfMemory = errors.New("out of memory")
