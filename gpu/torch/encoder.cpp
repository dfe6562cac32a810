// Layer norm, GELU and unit means. On the CPU in fp32 they are loops over whole rows, so that a row's result does
// not depend on where it lies: libtorch's own loops finish what is left of a vector with other arithmetic. Elsewhere
// they are libtorch's operations.
#ifndef TARGET
#include "encoder.h"
#include "guard.h"
#include "loops.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/stack.h>
#include <cmath>
#define LOOPS "encoder.cpp"
#include "targets.h"

namespace hone {
namespace {
void gelu_rows(const float *x, float *y, int64_t from, int64_t to) { CALL(gelu_rows, x, y, from, to) }
void layer_norm_rows(const float *x, const float *w, const float *b, float *y, int64_t from, int64_t to, int64_t n,
                     float eps) {
  CALL(layer_norm_rows, x, w, b, y, from, to, n, eps)
}
void mean_unit(const float *x, float *y, int64_t from, int64_t to, int64_t n) { CALL(mean_unit, x, y, from, to, n) }
} // namespace
} // namespace hone

extern "C" {

char *hone_layer_norm(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor bias,
                      double eps) {
  return guarded([&] {
    at::NoGradGuard none;
    const at::Tensor &w = of(weight), &b = of(bias);
    const at::Tensor t = of(x).contiguous();
    TORCH_CHECK(w.dim() == 1 && t.dim() > 0 && t.size(-1) == w.size(0) && w.sizes() == b.sizes(),
                "the last size is not that of weight and bias");
    TORCH_CHECK(w.device() == t.device() && b.device() == t.device(), "weight and bias are on ", w.device(), " and ",
                b.device(), ", the rows on ", t.device());
    if (t.is_meta()) return give(out, at::empty_like(t)); // libtorch 2.1 has this kernel for meta in Python only
    if (!plain(t) || !plain(w) || !plain(b)) return give(out, at::layer_norm(t, w.sizes(), w, b, eps));
    const at::Tensor wc = w.contiguous(), bc = b.contiguous();
    at::Tensor y = at::empty_like(t);
    const int64_t n = t.size(-1), rows = n == 0 ? 0 : t.numel() / n;
    const float *px = t.const_data_ptr<float>(), *pw = wc.const_data_ptr<float>(), *pb = bc.const_data_ptr<float>();
    float *py = y.mutable_data_ptr<float>();
    at::parallel_for(0, rows, grain(n), [&](int64_t from, int64_t to) {
      hone::layer_norm_rows(px, pw, pb, py, from, to, n, static_cast<float>(eps));
    });
    give(out, y);
  });
}

char *hone_gelu(hone_tensor *out, const hone_tensor x) {
  return guarded([&] {
    at::NoGradGuard none;
    const at::Tensor t = of(x).contiguous();
    if (!plain(t)) return give(out, at::gelu(t));
    at::Tensor y = at::empty_like(t);
    const float *px = t.const_data_ptr<float>();
    float *py = y.mutable_data_ptr<float>();
    const int64_t n = t.numel();
    at::parallel_for(0, (n + 15) / 16, 1024,
                     [&](int64_t from, int64_t to) { hone::gelu_rows(px, py, from * 16, std::min(n, to * 16)); });
    give(out, y);
  });
}

char *hone_mean_unit(hone_tensor *out, const hone_tensor x, const int64_t *offset, int64_t sequences) {
  return guarded([&] {
    at::NoGradGuard none;
    const at::Tensor t = of(x).contiguous();
    TORCH_CHECK(t.dim() == 2 && sequences > 0 && offset[0] == 0 && offset[sequences] <= t.size(0),
                "expected x [rows, width] and offsets within its rows");
    for (int64_t s = 0; s < sequences; s++) TORCH_CHECK(offset[s] < offset[s + 1], "sequence ", s, " has no rows");
    if (!plain(t)) {
      std::vector<at::Tensor> means;
      for (int64_t s = 0; s < sequences; s++) {
        at::Tensor m = t.narrow(0, offset[s], offset[s + 1] - offset[s]).to(at::kFloat).mean(0);
        means.push_back(m / m.norm().clamp_min(1e-12));
      }
      return give(out, at::stack(means));
    }
    at::Tensor y = at::empty({sequences, t.size(1)}, t.options());
    const float *px = t.const_data_ptr<float>();
    float *py = y.mutable_data_ptr<float>();
    const int64_t n = t.size(1);
    at::parallel_for(0, sequences, 1, [&](int64_t from, int64_t to) {
      for (int64_t s = from; s < to; s++) hone::mean_unit(px, py + s * n, offset[s], offset[s + 1], n);
    });
    give(out, y);
  });
}
}
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

// Half of erfc(|x|/sqrt 2), that is the normal distribution's lower tail at -|x|: e^(-z^2) * t * P(t) with z = |x|/sqrt 2
// and t = 1/(1 + z/2). P was fitted by least squares to the relative error on z in [0, 9.4]; 2e-8 of it are left, and
// fp32's rounding makes it 1.5e-7.
INLINE v16 tail(v16 x) {
  v16 z = negative(x, -x, x) * 0.70710678118654752f;
  v16 t = 1.0f / (1.0f + z * 0.5f);
  v16 p = splat(0.015436648752811708f);
  p = p * t - 0.13981519007470117f;
  p = p * t + 0.4664350789795211f;
  p = p * t - 0.7179674646076778f;
  p = p * t + 0.45929020015740196f;
  p = p * t - 0.11765247557796461f;
  p = p * t + 0.2318322199277556f;
  p = p * t + 0.23738561607228584f;
  p = p * t + 0.2829974975686437f;
  p = p * t + 0.2820578554799863f;
  return exponential(x * x * -0.5f) * t * p * 0.5f;
}

INLINE v16 gelu(v16 x) {
  v16 low = tail(x);
  return x * negative(x, low, 1.0f - low);
}

} // namespace

WIDE void gelu_rows(const float *x, float *y, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i += 16) {
    const int64_t n = to - i;
    if (n >= 16) {
      store(y + i, gelu(load(x + i)));
    } else {
      store_part(y + i, gelu(load_part(x + i, n)), n);
    }
  }
}

WIDE void layer_norm_rows(const float *x, const float *w, const float *b, float *y, int64_t from, int64_t to,
                            int64_t n, float eps) {
  for (int64_t row = from; row < to; row++) {
    const float *xr = x + row * n;
    float *yr = y + row * n;
    v16 sum = {};
    for (int64_t i = 0; i < n; i += 16) sum += some(xr + i, n - i);
    const float mean = lanes(sum) / static_cast<float>(n);
    v16 squares = {};
    for (int64_t i = 0; i < n; i += 16) {
      v16 d = some(xr + i, n - i) - mean;
      if (n - i < 16) { // what is behind the row adds nothing
        float a[16];
        store(a, d);
        d = load_part(a, n - i);
      }
      squares += d * d;
    }
    const float r = 1.0f / std::sqrt(lanes(squares) / static_cast<float>(n) + eps);
    for (int64_t i = 0; i < n; i += 16) {
      if (n - i >= 16)
        store(yr + i, (load(xr + i) - mean) * r * load(w + i) + load(b + i));
      else
        store_part(yr + i, (load_part(xr + i, n - i) - mean) * r * load_part(w + i, n - i) + load_part(b + i, n - i), n - i);
    }
  }
}

// The mean of rows [from, to), scaled to length 1.
WIDE void mean_unit(const float *x, float *y, int64_t from, int64_t to, int64_t n) {
  double squares = 0;
  for (int64_t i = 0; i < n; i++) y[i] = 0;
  for (int64_t row = from; row < to; row++)
    for (int64_t i = 0; i < n; i++) y[i] += x[row * n + i];
  for (int64_t i = 0; i < n; i++) {
    y[i] /= static_cast<float>(to - from);
    squares += static_cast<double>(y[i]) * y[i];
  }
  const float length = static_cast<float>(std::max(std::sqrt(squares), 1e-12));
  for (int64_t i = 0; i < n; i++) y[i] /= length;
}

} // namespace TARGET
} // namespace hone
#endif
