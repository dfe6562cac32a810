// Plain fp32 loops over rows of logits, without libtorch; see kernels.h. Sums run over 1,024 values in fp32 and in
// fp64 beyond, so that a large vocabulary loses nothing.
#pragma once
#include <cstdint>

namespace hone {

// Rows of logits [rows, n] for the distribution softmax(scale * z). Pointers that are null are not written.
struct TokenScores {
  float *log_prob; // of each row's target, natural log
  float *lse;      // log of the sum of exp(scale * z)
  float *entropy;  // nats
  int64_t *best;   // index of the largest logit, the first where several are
};
void token_scores(const float *z, const int64_t *target, float scale, const TokenScores &s, int64_t from, int64_t to,
                  int64_t n);

// z becomes the gradient by the logits of sum over rows of g * log_prob + h * entropy; h may be null. With p the
// softmax: scale * (g * ([j = target] - p_j) - h * p_j * (log p_j + entropy)).
void token_gradient(float *z, const int64_t *target, float scale, const float *lse, const float *g,
                    const float *entropy, const float *h, int64_t from, int64_t to, int64_t n);

} // namespace hone
