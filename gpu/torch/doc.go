// Package torch is libtorch for the rooms above: tensors, scopes that free them, one locked thread for each device.
// It is the only package that knows gotch, and of gotch only the thin handles of libtch.
//
// An [Engine] owns one device and one thread. Everything that touches a tensor runs inside [Engine.Do]. There a
// failed operation panics with an [*Error], so that formulas read as formulas, and Do returns the panic as an
// error. Tensors made inside belong to the open scope and are freed when it closes; [Tensor.Keep] takes one out.
//
// What gotch lacks stands in C++ beside this file: shim.cpp (threads, seeds, devices) and fused.cpp (sequences of
// operations as one, with gradients; the loops for the CPU are in kernels.cpp and attention.cpp).
package torch
