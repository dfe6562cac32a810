// C face of linear layers that are trained: see layers.cpp; the rules are those of shim.h.
#ifndef HONE_LAYERS_H
#define HONE_LAYERS_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// x [rows, in], weight [out, in], bias [out] or NULL.
char *hone_linear(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor bias);

// The same with a frozen weight and bias, plus scale * b a dropout(x): a [rank, in] and b [out, rank] in fp32. seed
// decides what is dropped, and nothing else does.
char *hone_lora(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor bias,
                const hone_tensor a, const hone_tensor b, double scale, double p, uint64_t seed);

// Rows of weight [n, width] that indices name.
char *hone_embedding(hone_tensor *out, const hone_tensor weight, const hone_tensor indices);

// Elements are 0 with probability p, the others scaled by 1/(1-p), as hone_lora has it.
char *hone_dropout(hone_tensor *out, const hone_tensor x, double p, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
