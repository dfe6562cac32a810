package gpu

import "errors"

// ErrNotFinite is in the error of a training step whose loss or gradient is not a finite number; the text names
// the step.
var ErrNotFinite = errors.New("not a finite number")
