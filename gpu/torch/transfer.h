// C face of transfer.cpp: elements in and out of tensors, piece by piece.
#ifndef HONE_TRANSFER_H
#define HONE_TRANSFER_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// The memory of a tensor that lies on the CPU without gaps; NULL of any other.
void *hone_memory_of(const hone_tensor t);

// Copies count elements of a type to t, which has no gaps, from element offset on.
char *hone_fill(const hone_tensor t, int64_t offset, int64_t count, const void *data, int dtype);

// Copies count elements of t, from element offset on, to data.
char *hone_fetch(const hone_tensor t, int64_t offset, int64_t count, void *data);

#ifdef __cplusplus
}
#endif
#endif
