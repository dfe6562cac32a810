// Package train is learning from examples: the loss on answer tokens, gradients gathered over micro-batches, AdamW
// and its schedule, and a state that goes on bit for bit.
//
// All trained parameters live one behind the other in one flat buffer, matrices first, and so do their gradients
// and AdamW's two moments: norm, clip, decay and update are a pass each over flat memory, and a checkpoint is
// slices of it.
package train
