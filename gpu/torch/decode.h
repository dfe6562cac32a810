// C face of what decoding needs: see paged.cpp, rows.cpp and draw.cpp. As in shim.h, what can fail returns NULL or a
// message that the caller frees.
#ifndef HONE_DECODE_H
#define HONE_DECODE_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether t is contiguous fp32 on the CPU: what the loops below take.
int hone_plain(const hone_tensor t);

// Attention on the CPU in fp32 without gradients over keys and values in pages of 16 rows: key j of sequence s is row
// 16 * pages[page_start[s] + j/16] + j%16.
char *hone_attention_paged(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                           const int64_t *q_offset, const int64_t *position, int64_t sequences, const int64_t *pages,
                           const int64_t *page_start, double scale);

// x [rows, in] times w' [out, in], plus bias [out] or NULL, on the CPU in fp32 without gradients. Each element adds
// in one order, whatever the number of rows.
char *hone_linear_rows(hone_tensor *out, const hone_tensor x, const hone_tensor w, const hone_tensor bias);

#ifdef __cplusplus
}
#endif
#endif
