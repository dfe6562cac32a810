#ifndef TARGET
#include "softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#define LOOPS "softmax.cpp"
#include "targets.h"

namespace hone {
void token_scores(const float *z, const int64_t *target, float scale, const TokenScores &s, int64_t from, int64_t to,
                  int64_t n) {
  CALL(token_scores, z, target, scale, s, from, to, n)
}
void token_gradient(float *z, const int64_t *target, float scale, const float *lse, const float *g,
                    const float *entropy, const float *h, int64_t from, int64_t to, int64_t n) {
  CALL(token_gradient, z, target, scale, lse, g, entropy, h, from, to, n)
}
} // namespace hone
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

constexpr int64_t part = 1024; // values summed in fp32

// Up to 16 values of a row; the lanes behind its end are below all others.
INLINE v16 ending(const float *p, int64_t n) {
  if (n >= 16) return load(p);
  float a[16];
  for (int64_t i = 0; i < 16; i++) a[i] = i < n ? p[i] : -std::numeric_limits<float>::infinity();
  return load(a);
}

INLINE float top_of(const float *z, int64_t n) {
  v16 best = ending(z, n);
  for (int64_t j = 16; j < n; j += 16) best = larger(ending(z + j, n - j), best);
  return highest(best);
}

} // namespace

WIDE void token_scores(const float *z, const int64_t *target, float scale, const TokenScores &s, int64_t from,
                         int64_t to, int64_t n) {
  for (int64_t row = from; row < to; row++) {
    const float *p = z + row * n;
    const float top = top_of(p, n);
    double sum = 0, weighted = 0; // of e^x and of x e^x, x = scale * (z - top)
    for (int64_t at = 0; at < n; at += part) {
      v16 a = {}, b = {};
      for (int64_t j = at; j < std::min(n, at + part); j += 16) {
        const v16 x = (ending(p + j, n - j) - top) * scale, e = exponential(x);
        a += e;
        if (s.entropy != nullptr) b += larger(x, splat(-100.0f)) * e; // -inf * 0 is none of it
      }
      sum += static_cast<double>(lanes(a));
      weighted += static_cast<double>(lanes(b));
    }
    const double rest = std::log(sum);
    if (s.lse != nullptr) s.lse[row] = static_cast<float>(static_cast<double>(top) * scale + rest);
    if (s.log_prob != nullptr)
      s.log_prob[row] = static_cast<float>((static_cast<double>(p[target[row]]) - top) * scale - rest);
    if (s.entropy != nullptr) s.entropy[row] = static_cast<float>(rest - weighted / sum);
    if (s.best != nullptr) s.best[row] = std::find(p, p + n, top) - p;
  }
}

WIDE void token_gradient(float *z, const int64_t *target, float scale, const float *lse, const float *g,
                           const float *entropy, const float *h, int64_t from, int64_t to, int64_t n) {
  for (int64_t row = from; row < to; row++) {
    float *p = z + row * n;
    const float l = lse[row], gr = g[row] * scale, hr = h != nullptr ? h[row] * scale : 0;
    const float e = h != nullptr ? entropy[row] : 0;
    for (int64_t j = 0; j < n; j += 16) {
      const v16 x = ending(p + j, n - j) * scale - l, prob = exponential(x);
      v16 d = prob * -gr;
      if (hr != 0) d -= prob * (larger(x, splat(-100.0f)) + e) * hr;
      some_to(p + j, d, n - j);
    }
    p[target[row]] += gr;
  }
}

} // namespace TARGET
} // namespace hone
#endif
