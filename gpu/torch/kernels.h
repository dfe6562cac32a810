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
// k, v [key rows, kv_heads, width]. width is a multiple of 16.
struct Attention {
  const float *q, *k, *v;
  float *out;
  float *lse; // [rows, heads], log of the sum of exp(scale * q.k)
  const int64_t *q_offset, *k_start, *position;
  int64_t heads, kv_heads, width;
  float scale;
};
// Task t is sequence t / kv_heads with KV head t % kv_heads.
void attention_forward(const Attention &a, int64_t from, int64_t to);
void attention_backward(const Attention &a, const float *dout, float *dq, float *dk, float *dv, int64_t from,
                        int64_t to);

double square_sum(const float *x, int64_t n);

struct AdamW {
  float rate, beta1, rest1, beta2, rest2, eps, decay, correction1, correction2, grad_scale; // rest = 1 - beta
};
void adamw(float *w, const float *g, float *m, float *v, int64_t from, int64_t to, const AdamW &a);

} // namespace hone
