// Package learn makes one update of a policy from the episodes of a step: what each answer is worth (agent/credit), the
// loss over its tokens (agent/grpo), and the optimiser steps of a gpu.Trainer. It keeps nothing: the same trainer state,
// configuration and episodes give the same update.
package learn
