// v16, 16 floats, and what is done with them, in namespace TARGET. GCC keeps a vector that is wider than the machine's
// in memory, every sum of it: so with AVX-512 v16 is one vector and elsewhere two of 8 floats, with the same results.
#include "vector.h"

namespace hone {
namespace TARGET {

#if TARGET_LANES == 16
typedef whole16 v16;

INLINE v16 load(const float *p) { return *reinterpret_cast<const v16 *>(p); }
INLINE void store(float *p, v16 x) { *reinterpret_cast<v16 *>(p) = x; }
INLINE v16 splat(float x) { return x - v16{}; }
INLINE v16 larger(v16 a, v16 b) { return a > b ? a : b; }
INLINE v16 smaller(v16 a, v16 b) { return a < b ? a : b; }
// yes where x < 0, else no.
INLINE v16 negative(v16 x, v16 yes, v16 no) { return x < 0 ? yes : no; }
INLINE v8 halved(v16 x) {
  v8 h[2];
  memcpy(h, &x, sizeof h);
  return h[0] + h[1];
}
INLINE v16 joined(v8 a, v8 b) {
  v16 x;
  memcpy(&x, &a, sizeof a);
  memcpy(reinterpret_cast<char *>(&x) + sizeof a, &b, sizeof b);
  return x;
}
// 2^n for whole numbers n, by the exponent bits.
INLINE v16 power(v16 n) {
  const i16 bits = (__builtin_convertvector(n, i16) + 127) << 23;
  v16 x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#else
struct v16 {
  v8 a, b;
};

#define EACH(op)                                                                                                       \
  INLINE v16 operator op(v16 x, v16 y) { return {x.a op y.a, x.b op y.b}; }                                           \
  INLINE v16 operator op(v16 x, float y) { return {x.a op y, x.b op y}; }                                              \
  INLINE v16 operator op(float x, v16 y) { return {x op y.a, x op y.b}; }
EACH(+)
EACH(-)
EACH(*)
EACH(/)
#undef EACH
INLINE v16 operator-(v16 x) { return {-x.a, -x.b}; }
INLINE v16 &operator+=(v16 &x, v16 y) { return x = x + y; }
INLINE v16 &operator-=(v16 &x, v16 y) { return x = x - y; }

INLINE v16 load(const float *p) {
  return {*reinterpret_cast<const v8 *>(p), *reinterpret_cast<const v8 *>(p + 8)};
}
INLINE void store(float *p, v16 x) {
  *reinterpret_cast<v8 *>(p) = x.a;
  *reinterpret_cast<v8 *>(p + 8) = x.b;
}
INLINE v16 splat(float x) { return {x - v8{}, x - v8{}}; }
INLINE v16 larger(v16 x, v16 y) { return {x.a > y.a ? x.a : y.a, x.b > y.b ? x.b : y.b}; }
INLINE v16 smaller(v16 x, v16 y) { return {x.a < y.a ? x.a : y.a, x.b < y.b ? x.b : y.b}; }
INLINE v16 negative(v16 x, v16 yes, v16 no) { return {x.a < 0 ? yes.a : no.a, x.b < 0 ? yes.b : no.b}; }
INLINE v8 halved(v16 x) { return x.a + x.b; }
INLINE v16 joined(v8 a, v8 b) { return {a, b}; }
INLINE v8 power(v8 n) {
  const i8 bits = (__builtin_convertvector(n, i8) + 127) << 23;
  v8 x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
INLINE v16 power(v16 n) { return {power(n.a), power(n.b)}; }
#endif

INLINE float lanes(v16 x) {
  float a[16];
  store(a, x);
  for (int step = 8; step > 0; step /= 2)
    for (int i = 0; i < step; i++) a[i] += a[i + step];
  return a[0];
}
INLINE float highest(v16 x) {
  float a[16];
  store(a, x);
  for (int step = 8; step > 0; step /= 2)
    for (int i = 0; i < step; i++) a[i] = a[i] > a[i + step] ? a[i] : a[i + step];
  return a[0];
}

// e^x to about 1 unit in the last place: x = n ln2 + r, the polynomial of Cephes' expf on r, 2^n by the exponent
// bits. Not a number stays not a number: the clamps let it through.
INLINE v16 exponential(v16 x) {
  const v16 c = larger(splat(-87.0f), smaller(splat(88.0f), x));
  const float magic = 12582912.0f; // 1.5 * 2^23: adding rounds to a whole number
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
  return p * power(n);
}

// The first n < 16 floats of p, the rest 0.
INLINE v16 load_part(const float *p, int64_t n) {
  float a[16] = {};
  for (int64_t i = 0; i < n; i++) a[i] = p[i];
  return load(a);
}
INLINE void store_part(float *p, v16 x, int64_t n) {
  float a[16];
  store(a, x);
  for (int64_t i = 0; i < n; i++) p[i] = a[i];
}

// The same where n may be 16 or more: then 16.
INLINE v16 some(const float *p, int64_t n) { return n >= 16 ? load(p) : load_part(p, n); }
INLINE void some_to(float *p, v16 x, int64_t n) { n >= 16 ? store(p, x) : store_part(p, x, n); }

} // namespace TARGET
} // namespace hone
