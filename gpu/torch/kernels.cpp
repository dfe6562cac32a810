// The loops of kernels.h but for attention.
#ifndef TARGET
#include "kernels.h"

#include <algorithm>
#include <cmath>
#define LOOPS "kernels.cpp"
#include "targets.h"

namespace hone {
void rms_norm_forward(const float *x, const float *w, float *y, float *inverse, int64_t from, int64_t to, int64_t n,
                      float eps) {
  CALL(rms_norm_forward, x, w, y, inverse, from, to, n, eps)
}
void rms_norm_backward(const float *x, const float *w, const float *inverse, const float *dy, float *dx, float *dw,
                       int64_t from, int64_t to, int64_t n) {
  CALL(rms_norm_backward, x, w, inverse, dy, dx, dw, from, to, n)
}
void silu_mul_forward(const float *gate, const float *up, float *y, int64_t from, int64_t to) {
  CALL(silu_mul_forward, gate, up, y, from, to)
}
void silu_mul_backward(const float *gate, const float *up, const float *dy, float *dgate, float *dup, int64_t from,
                       int64_t to) {
  CALL(silu_mul_backward, gate, up, dy, dgate, dup, from, to)
}
void rotary(const float *x, const float *cos, const float *sin, const int64_t *position, float *y, float sign,
            int64_t from, int64_t to, int64_t heads, int64_t width, int64_t turned) {
  CALL(rotary, x, cos, sin, position, y, sign, from, to, heads, width, turned)
}
double square_sum(const float *x, int64_t n) { CALL(square_sum, x, n) }
void adamw(float *w, const float *g, float *m, float *v, int64_t from, int64_t to, const AdamW &a) {
  CALL(adamw, w, g, m, v, from, to, a)
}
} // namespace hone
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
WIDE void rms_norm_forward(const float *x, const float *w, float *y, float *inverse, int64_t from, int64_t to,
                             int64_t n, float eps) {
  const int64_t whole = n / 16 * 16;
  for (int64_t row = from; row < to; row++) {
    const float *xr = x + row * n;
    float *yr = y + row * n;
    v16 sum = {};
    for (int64_t i = 0; i < whole; i += 16) sum += load(xr + i) * load(xr + i);
    if (whole < n) {
      v16 last = load_part(xr + whole, n - whole);
      sum += last * last;
    }
    float r = 1.0f / std::sqrt(lanes(sum) / static_cast<float>(n) + eps);
    inverse[row] = r;
    for (int64_t i = 0; i < whole; i += 16) store(yr + i, load(xr + i) * r * load(w + i));
    for (int64_t i = whole; i < n; i++) yr[i] = xr[i] * r * w[i];
  }
}

WIDE void rms_norm_backward(const float *x, const float *w, const float *inverse, const float *dy, float *dx,
                              float *dw, int64_t from, int64_t to, int64_t n) {
  const int64_t whole = n / 16 * 16;
  std::fill(dw, dw + n, 0.0f);
  for (int64_t row = from; row < to; row++) {
    const float *xr = x + row * n, *gr = dy + row * n;
    float *dr = dx + row * n;
    const float r = inverse[row];
    v16 sum = {};
    for (int64_t i = 0; i < whole; i += 16) {
      v16 gx = load(gr + i) * load(xr + i);
      sum += gx * load(w + i);
      store(dw + i, load(dw + i) + gx * r);
    }
    if (whole < n) {
      v16 gx = load_part(gr + whole, n - whole) * load_part(xr + whole, n - whole);
      sum += gx * load_part(w + whole, n - whole);
      store_part(dw + whole, load_part(dw + whole, n - whole) + gx * r, n - whole);
    }
    const float mean = lanes(sum) * r * r * r / static_cast<float>(n);
    for (int64_t i = 0; i < whole; i += 16)
      store(dr + i, load(gr + i) * load(w + i) * r - load(xr + i) * mean);
    for (int64_t i = whole; i < n; i++) dr[i] = gr[i] * w[i] * r - xr[i] * mean;
  }
}

WIDE void silu_mul_forward(const float *gate, const float *up, float *y, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i += 16) {
    const int64_t n = to - i;
    v16 g = some(gate + i, n);
    v16 u = some(up + i, n);
    v16 r = g / (1.0f + exponential(-g)) * u;
    some_to(y + i, r, n);
  }
}

WIDE void silu_mul_backward(const float *gate, const float *up, const float *dy, float *dgate, float *dup,
                              int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i += 16) {
    const int64_t n = to - i;
    v16 g = some(gate + i, n);
    v16 u = some(up + i, n);
    v16 d = some(dy + i, n);
    v16 s = 1.0f / (1.0f + exponential(-g));
    v16 dg = d * u * s * (1.0f + g * (1.0f - s));
    v16 du = d * g * s;
    some_to(dgate + i, dg, n);
    some_to(dup + i, du, n);
  }
}

WIDE void rotary(const float *x, const float *cos, const float *sin, const int64_t *position, float *y, float sign,
                   int64_t from, int64_t to, int64_t heads, int64_t width, int64_t turned) {
  const int64_t half = turned / 2;
  for (int64_t row = from; row < to; row++) {
    const float *c = cos + position[row / heads] * half, *s = sin + position[row / heads] * half;
    const float *a = x + row * width, *b = a + half;
    float *ya = y + row * width, *yb = ya + half;
    for (int64_t i = 0; i < half; i++) {
      float si = sign * s[i];
      ya[i] = a[i] * c[i] - b[i] * si;
      yb[i] = b[i] * c[i] + a[i] * si;
    }
    std::copy(a + turned, a + width, ya + turned);
  }
}

WIDE double square_sum(const float *x, int64_t n) {
  double sum = 0;
  for (int64_t at = 0; at < n; at += 1024) { // fp32 over 64 values a lane, fp64 beyond
    const int64_t end = std::min(n, at + 1024), whole = at + (end - at) / 16 * 16;
    v16 part = {};
    for (int64_t i = at; i < whole; i += 16) part += load(x + i) * load(x + i);
    float last = 0;
    for (int64_t i = whole; i < end; i++) last += x[i] * x[i];
    sum += static_cast<double>(lanes(part)) + static_cast<double>(last);
  }
  return sum;
}

WIDE void adamw(float *w, const float *g, float *m, float *v, int64_t from, int64_t to, const AdamW &a) {
  const float keep = 1.0f - a.rate * a.decay, step = a.rate / a.correction1;
  const float root = 1.0f / std::sqrt(a.correction2);
  for (int64_t i = from; i < to; i++) {
    float gi = g[i] * a.grad_scale;
    float mi = a.beta1 * m[i] + a.rest1 * gi;
    float vi = a.beta2 * v[i] + a.rest2 * gi * gi;
    m[i] = mi;
    v[i] = vi;
    w[i] = w[i] * keep - step * mi / (std::sqrt(vi) * root + a.eps);
  }
}

} // namespace TARGET
} // namespace hone
#endif
