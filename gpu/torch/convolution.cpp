// Depthwise causal convolution with SiLU, channels along the vector.
#ifndef TARGET
#include "recurrent.h"

#include <algorithm>
#define LOOPS "convolution.cpp"
#include "targets.h"

namespace hone {
void convolution_forward(const Convolution &c, float *y, int64_t from, int64_t to) {
  CALL(convolution_forward, c, y, from, to)
}
void convolution_backward(const Convolution &c, const float *dy, float *dx, float *dw, int64_t from, int64_t to) {
  CALL(convolution_backward, c, dy, dx, dw, from, to)
}
} // namespace hone
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

// The taps of 16 channels from c on, oldest input first.
INLINE void taps(const Convolution &v, int64_t c, int64_t n, v16 *w) {
  for (int64_t j = 0; j < v.kernel; j++) {
    float a[16] = {};
    for (int64_t i = 0; i < std::min<int64_t>(n, 16); i++) a[i] = v.w[(c + i) * v.kernel + j];
    w[j] = load(a);
  }
}

// The inputs before the sequence's first row, oldest first: the lane's, or zeros.
INLINE void before(const Convolution &v, int64_t s, int64_t c, int64_t n, v16 *in) {
  const int64_t k = v.kernel - 1;
  const bool known = v.state != nullptr && v.p.past[s] > 0;
  for (int64_t j = 0; j < k; j++) {
    float a[16] = {};
    if (known)
      for (int64_t i = 0; i < std::min<int64_t>(n, 16); i++) a[i] = v.state[(v.p.lane[s] * v.channels + c + i) * k + j];
    in[j] = load(a);
  }
}

INLINE v16 weighted(const v16 *w, const v16 *in, v16 now, int64_t kernel) {
  v16 sum = w[0] * in[0];
  for (int64_t j = 1; j < kernel - 1; j++) sum += w[j] * in[j];
  return sum + w[kernel - 1] * now;
}

INLINE void shift(v16 *in, v16 now, int64_t kernel) {
  for (int64_t j = 0; j + 2 < kernel; j++) in[j] = in[j + 1];
  in[kernel - 2] = now;
}

} // namespace

WIDE void convolution_forward(const Convolution &v, float *y, int64_t from, int64_t to) {
  for (int64_t c = from * channel_block; c < std::min(v.channels, to * channel_block); c += 16) {
    const int64_t n = v.channels - c;
    v16 w[most_taps], in[most_taps];
    taps(v, c, n, w);
    for (int64_t s = 0; s < v.p.sequences; s++) {
      before(v, s, c, n, in);
      for (int64_t row = v.p.offset[s]; row < v.p.offset[s + 1]; row++) {
        v16 now = some(v.x + row * v.channels + c, n);
        v16 sum = weighted(w, in, now, v.kernel);
        some_to(y + row * v.channels + c, sum / (1.0f + exponential(-sum)), n);
        shift(in, now, v.kernel);
      }
      if (v.state == nullptr) continue;
      for (int64_t j = 0; j < v.kernel - 1; j++) {
        float a[16];
        store(a, in[j]);
        for (int64_t i = 0; i < std::min<int64_t>(n, 16); i++)
          v.state[(v.p.lane[s] * v.channels + c + i) * (v.kernel - 1) + j] = a[i];
      }
    }
  }
}

// With p the sum before SiLU and s its sigmoid: dp = dy * s * (1 + p * (1 - s)); dx[t] = sum over taps of
// w[j] * dp[t + kernel - 1 - j]; dw[j] = sum over t of dp[t] * x[t - kernel + 1 + j].
WIDE void convolution_backward(const Convolution &v, const float *dy, float *dx, float *dw, int64_t from,
                                 int64_t to) {
  for (int64_t c = from * channel_block; c < std::min(v.channels, to * channel_block); c += 16) {
    const int64_t n = v.channels - c, k = v.kernel;
    v16 w[most_taps], total[most_taps] = {};
    taps(v, c, n, w);
    for (int64_t s = 0; s < v.p.sequences; s++) {
      const int64_t first = v.p.offset[s];
      v16 in[most_taps] = {}, later[most_taps] = {}, sums[most_taps] = {}; // later[j] is dp[t + j]
      for (int64_t row = v.p.offset[s + 1] - 1; row >= first; row--) {
        for (int64_t j = 0; j < k; j++) {
          const int64_t at = row - (k - 1) + j;
          in[j] = at < first ? v16{} : some(v.x + at * v.channels + c, n);
        }
        v16 p = weighted(w, in, in[k - 1], k), out = {};
        v16 sig = 1.0f / (1.0f + exponential(-p));
        v16 dp = some(dy + row * v.channels + c, n) * sig * (1.0f + p * (1.0f - sig));
        for (int64_t j = k - 1; j > 0; j--) later[j] = later[j - 1];
        later[0] = dp;
        for (int64_t j = 0; j < k; j++) {
          out += w[j] * later[k - 1 - j];
          sums[j] += dp * in[j];
        }
        some_to(dx + row * v.channels + c, out, n);
      }
      for (int64_t j = 0; j < k; j++) total[j] += sums[j];
    }
    for (int64_t j = 0; j < k; j++) {
      float a[16];
      store(a, total[j]);
      for (int64_t i = 0; i < std::min<int64_t>(n, 16); i++) dw[(c + i) * k + j] = a[i];
    }
  }
}

} // namespace TARGET
} // namespace hone
#endif
