package gpu

// Targets are the linear layers beside which an adapter stands. A spec may give all-linear and an expression as a text of
// its own, as PEFT's target_modules does; it is the same as a list of that one.
type Targets []string
