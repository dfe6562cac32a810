// C face of what a gated delta net needs: see delta.cpp. Conventions are those of shim.h.
#ifndef HONE_DELTA_H
#define HONE_DELTA_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// A packed batch and, where the loops for the CPU do not serve, its rows laid out as [sequences, steps]: gather
// (int64 [sequences * steps], a row for each place), mask (fp32 [sequences, steps], 0 behind a sequence's end),
// scatter (int64 [rows], the place of each row), fresh (fp32 [sequences], 0 where a sequence begins), lanes (int64
// [sequences]). These five are null together.
typedef struct {
  const int64_t *offset, *lane, *past;
  int64_t sequences, steps;
  hone_tensor gather, mask, scatter, fresh, lanes;
} hone_packing;

// A state is changed in place; null is a state of zeros that nobody keeps.
char *hone_causal_conv(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor state,
                       const hone_packing *p);
char *hone_delta_rule(hone_tensor *out, const hone_tensor mixed, const hone_tensor a, const hone_tensor b,
                      const hone_tensor a_log, const hone_tensor dt_bias, int64_t key_heads, int64_t value_heads,
                      int64_t key_width, int64_t value_width, const hone_tensor state, const hone_packing *p);
char *hone_gated_norm(hone_tensor *out, const hone_tensor x, const hone_tensor z, const hone_tensor weight, double eps);
char *hone_sigmoid_mul(hone_tensor *out, const hone_tensor x, const hone_tensor gate);

#ifdef __cplusplus
}
#endif
#endif
