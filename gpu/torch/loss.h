// C face of the vocabulary's end of a model: log-probabilities, losses and their gradients, a chunk of rows at a
// time. See loss.cpp; the rules are those of shim.h.
#ifndef HONE_LOSS_H
#define HONE_LOSS_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// hidden [n, width], head [vocabulary, width], target int64 [n]. rows is the most that one chunk has; 0 leaves it to
// the function. entropy and best may be NULL: not asked for. All results are fp32 [n], best int64 [n].
char *hone_token_scores(hone_tensor *log_prob, hone_tensor *lse, hone_tensor *entropy, hone_tensor *best,
                        const hone_tensor hidden, const hone_tensor head, const hone_tensor target,
                        double temperature, int64_t rows);

// The gradient by hidden of sum g * log_prob + h * entropy; h and entropy may be NULL. Where head requires a gradient
// its part is added to head's.
char *hone_token_gradient(hone_tensor *out, const hone_tensor hidden, const hone_tensor head, const hone_tensor target,
                          const hone_tensor lse, const hone_tensor g, const hone_tensor entropy, const hone_tensor h,
                          double temperature, int64_t rows);

// Both in one pass for the loss sum of -weight * log_prob at temperature 1.
char *hone_token_loss(double *loss, hone_tensor *out, const hone_tensor hidden, const hone_tensor head,
                      const hone_tensor target, const hone_tensor weight, int64_t rows);

// Backward from t, of which gradient is the gradient.
char *hone_backward(const hone_tensor t, const hone_tensor gradient);
// The same values without t's history, requiring a gradient or not.
char *hone_detached(hone_tensor *out, const hone_tensor t, int requires_grad);
// The gradient gathered so far: NULL if there is none.
char *hone_grad(hone_tensor *out, const hone_tensor t);
int hone_requires_grad(const hone_tensor t);

#ifdef __cplusplus
}
#endif
#endif
