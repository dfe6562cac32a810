// Package credit turns what happened in a training step's episodes into an advantage for each thing that the model
// wrote: rewards of query, ranking, play and distillation, returns discounted back over them, and what is left of them
// beside the other episodes of the same task. Everything is a function of its arguments, in float64: no clock, no
// chance. docs/credit.md has the formulas, and who uses which.
package credit
