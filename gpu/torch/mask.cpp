#ifndef TARGET
#include "mask.h"

#include <algorithm>
#include <cmath>
#define LOOPS "mask.cpp"
#include "targets.h"

namespace hone {
void dropout(const float *x, float *y, int64_t from, int64_t to, double p, uint64_t seed) {
  CALL(dropout, x, y, from, to, p, seed)
}
} // namespace hone
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

typedef uint32_t u8 __attribute__((vector_size(32), aligned(4), may_alias));

// A mixing of 32 bits in which every bit depends on every bit (the finaliser of MurmurHash3, by A. Appleby).
INLINE u8 mixed(u8 x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

} // namespace

WIDE void dropout(const float *x, float *y, int64_t from, int64_t to, double p, uint64_t seed) {
  const uint32_t limit = static_cast<uint32_t>(std::min(4294967295.0, std::floor(p * 4294967296.0)));
  const float scale = static_cast<float>(1 / (1 - p));
  const uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
  const u8 step = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int64_t i = from; i < to; i += 8) {
    const u8 at = step + static_cast<uint32_t>(i), beyond = u8{} + static_cast<uint32_t>(static_cast<uint64_t>(i) >> 32);
    const u8 drawn = mixed(mixed(mixed(at ^ low) + high) ^ beyond);
    const i8 keep = drawn >= limit; // all bits or none
    const int64_t n = std::min<int64_t>(8, to - i);
    v8 v = {};
    memcpy(&v, x + i, n * sizeof(float));
    v = v * scale;
    i8 bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= keep;
    memcpy(y + i, &bits, n * sizeof(float));
  }
}

} // namespace TARGET
} // namespace hone
#endif
