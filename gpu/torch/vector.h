// Vectors of 16 floats in GCC's notation, one kind for each instruction set: the loops of a file are read once for each
// (targets.h), and with them vectors16.h. Sums run over 16 lanes and then over the lanes in pairs, in the same order
// everywhere.
#pragma once
#include <cstdint>
#include <cstring>

#define INLINE static inline __attribute__((always_inline, unused))
#define WITHIN inline __attribute__((always_inline)) // of a member
#pragma GCC diagnostic ignored "-Wpsabi"

namespace hone {
namespace {

typedef float v4f __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float whole16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i16 __attribute__((vector_size(64), aligned(4), may_alias));

// The sums of 8 vectors over their lanes: of l and l + 4, then l and l + 2, then l and l + 1.
INLINE v8 sums8(const v8 *a) {
  v8 b[4], c[2];
  for (int i = 0; i < 4; i++)
    b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  for (int i = 0; i < 2; i++)
    c[i] = __builtin_shufflevector(b[2 * i], b[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(b[2 * i], b[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return __builtin_shufflevector(c[0], c[1], 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector(c[0], c[1], 1, 3, 9, 11, 5, 7, 13, 15);
}

} // namespace
} // namespace hone
