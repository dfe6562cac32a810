// Package memory says how much memory of a device a model takes, from its configuration alone. The passes of gpu/models
// and gpu/train are gone through in shapes: each operation makes what the real one makes, keeps for the way back what
// autograd keeps, and lets go when it lets go. What is told is the most that was there at once. Tests in
// gpu/train and gpu/decode hold it against libtorch.
package memory
