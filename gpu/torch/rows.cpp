// A linear layer whose every element is computed in one order that follows from the layer alone: 16 sums over in, then
// the lanes in pairs, then the bias. A matrix library's order depends on how many rows there are, and it needs some 16
// of them to be quick; a decoding step has few.
#ifndef TARGET
#include "decode.h"
#include "guard.h"
#include "kernels.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#define LOOPS "rows.cpp"
#include "targets.h"

namespace hone {
void linear_rows(const float *x, const float *w, const float *bias, float *y, int64_t rows, int64_t in, int64_t out,
                 int64_t from, int64_t to) {
  CALL(linear_rows, x, w, bias, y, rows, in, out, from, to)
}
} // namespace hone

extern "C" char *hone_linear_rows(hone_tensor *out, const hone_tensor x, const hone_tensor w, const hone_tensor bias) {
  return guarded([&] {
    at::Tensor tx = of(x), tw = of(w);
    const at::Tensor tb = bias ? of(bias) : at::Tensor();
    TORCH_CHECK(hone_plain(x) && hone_plain(w) && (!bias || hone_plain(bias)), "expected contiguous fp32 on the CPU");
    TORCH_CHECK(!at::GradMode::is_enabled(), "there is no gradient here");
    TORCH_CHECK(tx.dim() == 2 && tw.dim() == 2 && tx.size(1) == tw.size(1) &&
                    (!bias || (tb.dim() == 1 && tb.size(0) == tw.size(0))),
                "expected x [rows, in], w [out, in] and bias [out]");
    if (const int64_t over = tx.size(1) % 16) { // no model's; zeros behind change nothing
      tx = at::constant_pad_nd(tx, {0, 16 - over});
      tw = at::constant_pad_nd(tw, {0, 16 - over});
    }
    const int64_t rows = tx.size(0), from = tx.size(1), to = tw.size(0);
    at::Tensor y = at::empty({rows, to}, tx.options());
    const float *px = tx.const_data_ptr<float>(), *pw = tw.const_data_ptr<float>();
    const float *pb = bias ? tb.const_data_ptr<float>() : nullptr;
    float *py = y.mutable_data_ptr<float>();
    // Pieces of 24 outputs; a piece of about a million products is worth waking a thread for.
    const int64_t pieces = (to + 23) / 24, grain = std::max<int64_t>(1, (1 << 20) / std::max<int64_t>(1, rows * from * 24));
    at::parallel_for(0, pieces, grain, [&](int64_t a, int64_t b) {
      hone::linear_rows(px, pw, pb, py, rows, from, to, a * 24, std::min(to, b * 24));
    });
    give(out, y);
  });
}
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

// M rows of x against N rows of w. in is a multiple of 16.
template <int M, int N>
INLINE void tile(const float *x, const float *w, const float *bias, float *y, int64_t in, int64_t out) {
  constexpr int all = M * N, rounded = (all + 7) / 8 * 8;
  v16 a[N][M] = {};
  for (int64_t i = 0; i < in; i += 16) {
    v16 xs[M];
    for (int r = 0; r < M; r++) xs[r] = load(x + r * in + i);
    for (int c = 0; c < N; c++) {
      v16 ws = load(w + c * in + i);
      for (int r = 0; r < M; r++) a[c][r] += xs[r] * ws;
    }
  }
  float sum[rounded];
  for (int t = 0; t < rounded; t += 8) {
    v8 part[8] = {};
    for (int i = 0; i < 8 && t + i < all; i++) part[i] = halved(a[(t + i) / M][(t + i) % M]);
    v8 s = sums8(part);
    memcpy(sum + t, &s, sizeof s);
  }
  for (int r = 0; r < M; r++)
    for (int c = 0; c < N; c++) y[r * out + c] = bias ? sum[c * M + r] + bias[c] : sum[c * M + r];
}

template <int M, int N>
INLINE void strip(const float *x, const float *w, const float *bias, float *y, int64_t in, int64_t out, int64_t from,
                  int64_t to) {
  int64_t c = from;
  for (; c + N <= to; c += N) tile<M, N>(x, w + c * in, bias ? bias + c : bias, y + c, in, out);
  for (; c < to; c++) tile<M, 1>(x, w + c * in, bias ? bias + c : bias, y + c, in, out);
}

} // namespace

WIDE void linear_rows(const float *x, const float *w, const float *bias, float *y, int64_t rows, int64_t in,
                        int64_t out, int64_t from, int64_t to) {
  const int64_t part = std::max<int64_t>(24, 65536 / std::max<int64_t>(1, in) / 24 * 24); // of w, 256 KB: stays near
  for (int64_t c = from; c < to; c += part) {
    const int64_t end = std::min(to, c + part);
    int64_t r = 0;
    if constexpr (TARGET_LANES == 8) { // 16 registers of 8 floats
      for (; r + 3 <= rows; r += 3) strip<3, 2>(x + r * in, w, bias, y + r * out, in, out, c, end);
      for (; r + 2 <= rows; r += 2) strip<2, 2>(x + r * in, w, bias, y + r * out, in, out, c, end);
      for (; r < rows; r++) strip<1, 4>(x + r * in, w, bias, y + r * out, in, out, c, end);
      continue;
    }
    for (; r + 24 <= rows; r += 6) strip<6, 4>(x + r * in, w, bias, y + r * out, in, out, c, end);
    for (; r + 4 <= rows; r += 4) strip<4, 4>(x + r * in, w, bias, y + r * out, in, out, c, end);
    for (; r + 2 <= rows; r += 2) strip<2, 4>(x + r * in, w, bias, y + r * out, in, out, c, end);
    for (; r < rows; r++) strip<1, 8>(x + r * in, w, bias, y + r * out, in, out, c, end);
  }
}

} // namespace TARGET
} // namespace hone
#endif
