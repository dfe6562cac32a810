// The gated norm and the sigmoid gate.
#ifndef TARGET
#include "recurrent.h"

#include <algorithm>
#include <cmath>
#define LOOPS "gates.cpp"
#include "targets.h"

namespace hone {
void gated_norm_forward(const float *x, const float *z, const float *w, float *y, float *inverse, int64_t from,
                        int64_t to, int64_t n, float eps) {
  CALL(gated_norm_forward, x, z, w, y, inverse, from, to, n, eps)
}
void gated_norm_backward(const float *x, const float *z, const float *w, const float *inverse, const float *dy,
                         float *dx, float *dz, float *dw, int64_t from, int64_t to, int64_t n) {
  CALL(gated_norm_backward, x, z, w, inverse, dy, dx, dz, dw, from, to, n)
}
void sigmoid_mul_forward(const float *x, const float *gate, float *y, int64_t from, int64_t to) {
  CALL(sigmoid_mul_forward, x, gate, y, from, to)
}
void sigmoid_mul_backward(const float *x, const float *gate, const float *dy, float *dx, float *dgate, int64_t from,
                          int64_t to) {
  CALL(sigmoid_mul_backward, x, gate, dy, dx, dgate, from, to)
}
} // namespace hone
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

INLINE v16 sigmoid(v16 x) { return 1.0f / (1.0f + exponential(-x)); }

} // namespace

WIDE void gated_norm_forward(const float *x, const float *z, const float *w, float *y, float *inverse, int64_t from,
                               int64_t to, int64_t n, float eps) {
  for (int64_t row = from; row < to; row++) {
    const float *xr = x + row * n, *zr = z + row * n;
    v16 sum = {};
    for (int64_t i = 0; i < n; i += 16) {
      v16 v = some(xr + i, n - i);
      sum += v * v;
    }
    const float r = 1.0f / std::sqrt(lanes(sum) / static_cast<float>(n) + eps);
    inverse[row] = r;
    for (int64_t i = 0; i < n; i += 16) {
      v16 g = some(zr + i, n - i);
      some_to(y + row * n + i, some(xr + i, n - i) * r * some(w + i, n - i) * (g * sigmoid(g)), n - i);
    }
  }
}

WIDE void gated_norm_backward(const float *x, const float *z, const float *w, const float *inverse, const float *dy,
                                float *dx, float *dz, float *dw, int64_t from, int64_t to, int64_t n) {
  std::fill(dw, dw + n, 0.0f);
  for (int64_t row = from; row < to; row++) {
    const float *xr = x + row * n, *zr = z + row * n, *gr = dy + row * n;
    const float r = inverse[row];
    v16 sum = {};
    for (int64_t i = 0; i < n; i += 16) {
      const int64_t left = n - i;
      v16 v = some(xr + i, left), g = some(zr + i, left), d = some(gr + i, left), scale = some(w + i, left);
      v16 s = sigmoid(g), unit = v * r;
      some_to(dz + row * n + i, d * unit * scale * s * (1.0f + g * (1.0f - s)), left);
      v16 gated = d * g * s; // gradient of unit * w
      some_to(dw + i, some(dw + i, left) + gated * unit, left);
      v16 dunit = gated * scale;
      some_to(dx + row * n + i, dunit, left);
      sum += dunit * v;
    }
    const float mean = lanes(sum) * r * r * r / static_cast<float>(n);
    for (int64_t i = 0; i < n; i += 16) {
      const int64_t left = n - i;
      float *p = dx + row * n + i;
      some_to(p, some(p, left) * r - some(xr + i, left) * mean, left);
    }
  }
}

WIDE void sigmoid_mul_forward(const float *x, const float *gate, float *y, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i += 16) some_to(y + i, some(x + i, to - i) * sigmoid(some(gate + i, to - i)), to - i);
}

WIDE void sigmoid_mul_backward(const float *x, const float *gate, const float *dy, float *dx, float *dgate,
                                 int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i += 16) {
    v16 s = sigmoid(some(gate + i, to - i)), d = some(dy + i, to - i);
    some_to(dgate + i, d * some(x + i, to - i) * s * (1.0f - s), to - i);
    some_to(dx + i, d * s, to - i);
  }
}

} // namespace TARGET
} // namespace hone
#endif
