// Vectors of 16 floats in GCC's notation. target_clones makes one body for each instruction set, chosen as the
// program loads. Sums run over 16 lanes and then over the lanes in pairs, in the same order everywhere.
#pragma once
#include <cstdint>
#include <cstring>

#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#define INLINE static inline __attribute__((always_inline, unused))
#define WITHIN inline __attribute__((always_inline)) // of a member
#pragma GCC diagnostic ignored "-Wpsabi"

namespace hone {
namespace {

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i16 __attribute__((vector_size(64), aligned(4), may_alias));

INLINE v16 load(const float *p) { return *reinterpret_cast<const v16 *>(p); }
INLINE void store(float *p, v16 x) { *reinterpret_cast<v16 *>(p) = x; }
INLINE v16 splat(float x) { return x - v16{}; }
INLINE float lanes(v16 x) {
  float a[16];
  memcpy(a, &x, sizeof a);
  for (int step = 8; step > 0; step /= 2)
    for (int i = 0; i < step; i++) a[i] += a[i + step];
  return a[0];
}
INLINE float highest(v16 x) {
  float a[16];
  memcpy(a, &x, sizeof a);
  for (int step = 8; step > 0; step /= 2)
    for (int i = 0; i < step; i++) a[i] = a[i] > a[i + step] ? a[i] : a[i + step];
  return a[0];
}
INLINE v16 larger(v16 a, v16 b) { return a > b ? a : b; }
INLINE v16 smaller(v16 a, v16 b) { return a < b ? a : b; }

// e^x to about 1 unit in the last place: x = n ln2 + r, the polynomial of Cephes' expf on r, 2^n by the exponent
// bits. Not a number stays not a number: the clamps let it through.
INLINE v16 exponential(v16 x) {
  v16 c = x > splat(88.0f) ? splat(88.0f) : x;
  c = c < splat(-87.0f) ? splat(-87.0f) : c;
  const v16 magic = splat(12582912.0f); // 1.5 * 2^23: adding rounds to a whole number
  v16 n = (c * 1.44269504088896341f + magic) - magic;
  v16 r = c - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  v16 p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  i16 bits = (__builtin_convertvector(n, i16) + 127) << 23;
  v16 scale;
  memcpy(&scale, &bits, sizeof scale);
  return p * scale;
}

// The first n < 16 floats of p, the rest 0.
INLINE v16 load_part(const float *p, int64_t n) {
  float a[16] = {};
  for (int64_t i = 0; i < n; i++) a[i] = p[i];
  return load(a);
}
INLINE void store_part(float *p, v16 x, int64_t n) {
  float a[16];
  memcpy(a, &x, sizeof a);
  for (int64_t i = 0; i < n; i++) p[i] = a[i];
}

// The same where n may be 16 or more: then 16.
INLINE v16 some(const float *p, int64_t n) { return n >= 16 ? load(p) : load_part(p, n); }
INLINE void some_to(float *p, v16 x, int64_t n) { n >= 16 ? store(p, x) : store_part(p, x, n); }

} // namespace

} // namespace hone
