// Plain fp32 loops for the CPU, without libtorch: each works on a range of independent rows or tasks, so that the
// number of threads changes no result.
#pragma once
#include <cstdint>

namespace hone {

// Rows [from, to) of width n. inverse[row] = 1/sqrt(mean(x^2) + eps).
void rms_norm_forward(const float *x, const float *w, float *y, float *inverse, int64_t from, int64_t to, int64_t n,
                      float eps);
// dw is the sum over these rows alone; the caller adds the parts in order.
void rms_norm_backward(const float *x, const float *w, const float *inverse, const float *dy, float *dx, float *dw,
                       int64_t from, int64_t to, int64_t n);

void silu_mul_forward(const float *gate, const float *up, float *y, int64_t from, int64_t to);
void silu_mul_backward(const float *gate, const float *up, const float *dy, float *dgate, float *dup, int64_t from,
                       int64_t to);

// Rows are (token, head), of which the first `turned` elements turn; cos and sin are [positions, turned/2]; sign -1
// turns back.
void rotary(const float *x, const float *cos, const float *sin, const int64_t *position, float *y, float sign,
            int64_t from, int64_t to, int64_t heads, int64_t width, int64_t turned);

// Causal attention over packed sequences. Query rows [q_offset[s], q_offset[s+1]) belong to sequence s; the query
// in row i sees the key rows k_start[s] .. k_start[s]+position[i]. Layouts: q, out [rows, heads, width];
// k, v [key rows, kv_heads, width]. width is a multiple of 16, at most 256.
struct Attention {
  const float *q, *k, *v;
  float *out;
  float *lse; // [rows, heads], log of the sum of exp(scale * q.k); may be null, forward only
  const int64_t *q_offset, *k_start, *position;
  int64_t heads, kv_heads, width;
  float scale;
  // Where these are given, forward only, keys lie in pages of 16 rows: key j of sequence s is row
  // 16 * pages[page_start[s] + j/16] + j%16. A cluster is the sequences [clusters[c], clusters[c+1]), whose first
  // shared[c] pages are the same and are seen in whole by every query.
  const int64_t *pages, *page_start, *clusters, *shared;
};
// Task t is sequence (where there are clusters, cluster) t / kv_heads with KV head t % kv_heads.
void attention_forward(const Attention &a, int64_t from, int64_t to);
void attention_backward(const Attention &a, const float *dout, float *dq, float *dk, float *dv, int64_t from,
                        int64_t to);

// y[r][c] = sum over in of x[r] * w[c], plus bias[c] unless null, for c in [from, to). in is a
// multiple of 16.
void linear_rows(const float *x, const float *w, const float *bias, float *y, int64_t rows, int64_t in, int64_t out,
                 int64_t from, int64_t to);

double square_sum(const float *x, int64_t n);

struct AdamW {
  float rate, beta1, rest1, beta2, rest2, eps, decay, correction1, correction2, grad_scale; // rest = 1 - beta
};
void adamw(float *w, const float *g, float *m, float *v, int64_t from, int64_t to, const AdamW &a);

} // namespace hone
