// C face of padded.cpp: attention by libtorch's own operations over groups of padded sequences.
#ifndef HONE_PADDED_H
#define HONE_PADDED_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether hone_attention has loops for these.
int hone_attention_loops(const hone_tensor q, const hone_tensor k, const hone_tensor v);

// What n sequences of rows queries each do not see among keys keys: bool [n, 1, rows, keys]. positions is [n*rows].
char *hone_hidden(hone_tensor *out, const hone_tensor positions, int64_t n, int64_t rows, int64_t keys);

// groups of sequences: sizes has n, rows, keys of each, hidden a mask of each. queries and keys name the rows of q and
// of k and v, group after group; back names the result's row among all groups' rows.
char *hone_attend_padded(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                         const hone_tensor queries, const hone_tensor keys, const hone_tensor back,
                         const hone_tensor *hidden, const int64_t *sizes, int64_t groups, double scale, int eager);

#ifdef __cplusplus
}
#endif
#endif
