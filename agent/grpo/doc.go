// Package grpo is the loss of an update by advantages, as a [gpu.Objective]: PPO's clipped ratio or plain REINFORCE, the
// penalty by the distance to a reference, the entropy bonus, and a teacher's distillation, each with its exact
// derivatives by the log-probabilities and entropies of the answer tokens. Everything is a function of its arguments, in
// float64. docs/credit.md has the formulas.
package grpo
