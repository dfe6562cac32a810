#include "mask.h"
#include "vector.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

typedef uint32_t u16 __attribute__((vector_size(64), aligned(4), may_alias));

// A mixing of 32 bits in which every bit depends on every bit (the finaliser of MurmurHash3, by A. Appleby).
INLINE u16 mixed(u16 x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

} // namespace

CLONES void dropout(const float *x, float *y, int64_t from, int64_t to, double p, uint64_t seed) {
  const uint32_t limit = static_cast<uint32_t>(std::min(4294967295.0, std::floor(p * 4294967296.0)));
  const float scale = static_cast<float>(1 / (1 - p));
  const uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
  const u16 step = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int64_t i = from; i < to; i += 16) {
    const u16 at = step + static_cast<uint32_t>(i), beyond = u16{} + static_cast<uint32_t>(static_cast<uint64_t>(i) >> 32);
    const u16 drawn = mixed(mixed(mixed(at ^ low) + high) ^ beyond);
    const i16 keep = drawn >= limit; // all bits or none
    const int64_t n = to - i;
    v16 v = some(x + i, n) * scale;
    i16 bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= keep;
    memcpy(&v, &bits, sizeof bits);
    some_to(y + i, v, n);
  }
}

} // namespace hone
