// The pieces of attention over packed keys. Keys are taken 16 at a time, a panel, laid out with the keys along the
// vector; a few query rows share each load. Every number is computed in one order that follows from the query's
// position alone: a score adds over d from 0 up, the exponentials' sum is 16 lanes by key position and then the lanes
// in pairs, the output adds over the keys from 0 up. So it does not matter how queries are cut into passes, which
// rows share a block, or where in memory keys lie.
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

constexpr int64_t block = 4;  // query rows at a time
constexpr int64_t panel = 16; // keys at a time, and the size of a page

// Registers for 16 sums of 16 floats, rather than 4 of them.
constexpr bool many = TARGET_LANES == 16;

// Where a sequence's keys lie: panel p is the rows from at(p) on.
struct Keys {
  const int64_t *pages; // null where they lie one after the other
  int64_t start;
  static WITHIN Keys of(const Attention &a, int64_t seq) {
    return a.pages ? Keys{a.pages + a.page_start[seq], 0} : Keys{nullptr, a.k_start[seq]};
  }
  WITHIN int64_t at(int64_t p) const { return pages ? pages[p] * panel : start + p * panel; }
};

INLINE int64_t panels(int64_t keys) { return (keys + panel - 1) / panel; }

// The 8 by 8 floats at from[r] + d, turned: to[i] is 8 wide, panel apart.
INLINE void turn(const float *const from[8], int64_t d, float *to) {
  v8 a[8], b[8];
  for (int r = 0; r < 8; r++) a[r] = *reinterpret_cast<const v8 *>(from[r] + d);
  for (int r = 0; r < 8; r += 2) {
    b[r] = __builtin_shufflevector(a[r], a[r + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[r + 1] = __builtin_shufflevector(a[r], a[r + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int r = 0; r < 8; r += 4)
    for (int i = 0; i < 2; i++) {
      a[r + 2 * i] = __builtin_shufflevector(b[r + i], b[r + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[r + 2 * i + 1] = __builtin_shufflevector(b[r + i], b[r + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    *reinterpret_cast<v8 *>(to + i * panel) = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *reinterpret_cast<v8 *>(to + (i + 4) * panel) = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Panels [from, to) of keys, [panel][width][16], with zeros behind the last of n keys.
INLINE void pack(const float *k, const Keys &keys, int64_t stride, int64_t from, int64_t to, int64_t n, int64_t width,
                 float *dst) {
  static const float nothing[256] = {};
  for (int64_t p = from; p < to; p++, dst += width * panel) {
    const float *rows[panel];
    const int64_t have = n - p * panel;
    for (int64_t j = 0; j < panel; j++) rows[j] = j < have ? k + (keys.at(p) + j) * stride : nothing;
    for (int64_t d = 0; d < width; d += 8) {
      turn(rows, d, dst + d * panel);
      turn(rows + 8, d, dst + d * panel + 8);
    }
  }
}

// s[r][16 p + lane] = sum over d of rows[r][d] * packed[p][d][lane], for P panels.
template <int R, int P>
INLINE void dots(const float *const rows[block], const float *packed, int64_t width, float *const s[block]) {
  v16 a[P][R] = {};
  for (int64_t d = 0; d < width; d++)
    for (int p = 0; p < P; p++) {
      v16 x = load(packed + (p * width + d) * panel);
      for (int r = 0; r < R; r++) a[p][r] += rows[r][d] * x;
    }
  for (int p = 0; p < P; p++)
    for (int r = 0; r < R; r++) store(s[r] + p * panel, a[p][r]);
}

// The scores of n panels, from s[r] on.
template <int R>
INLINE void scores(const float *const rows[block], const float *packed, int64_t n, int64_t width,
                   float *const s[block]) {
  float *to[block];
  for (int r = 0; r < R; r++) to[r] = s[r];
  const auto ahead = [&](int64_t p) __attribute__((always_inline)) {
    packed += p * panel * width;
    for (int r = 0; r < R; r++) to[r] += p * panel;
  };
  int64_t p = 0;
  if constexpr (many) {
    for (; p + 4 <= n; p += 4, ahead(4)) dots<R, 4>(rows, packed, width, to);
    for (; p + 2 <= n; p += 2, ahead(2)) dots<R, 2>(rows, packed, width, to);
  }
  for (; p < n; p++, ahead(1)) dots<R, 1>(rows, packed, width, to);
}

// out[r][d ...] += sum over keys j in [from, to) of p[r][j] * v[j]; from 0 they begin at nothing. from is a whole
// number of panels.
template <int R, int D>
INLINE void weigh(const float *const p[block], const float *v, const Keys &keys, int64_t stride, int64_t from,
                  int64_t to, float *const out[block]) {
  v16 a[D][R] = {};
  if (from > 0)
    for (int d = 0; d < D; d++)
      for (int r = 0; r < R; r++) a[d][r] = load(out[r] + 16 * d);
  for (int64_t j = from; j < to; j += panel) {
    const float *row = v + keys.at(j / panel) * stride;
    const int64_t n = std::min(panel, to - j);
    for (int64_t i = 0; i < n; i++, row += stride)
      for (int d = 0; d < D; d++) {
        v16 x = load(row + 16 * d);
        for (int r = 0; r < R; r++) a[d][r] += p[r][j + i] * x;
      }
  }
  for (int d = 0; d < D; d++)
    for (int r = 0; r < R; r++) store(out[r] + 16 * d, a[d][r]);
}

template <int R>
INLINE void weighted(const float *const p[block], const float *v, const Keys &keys, int64_t stride, int64_t from,
                     int64_t to, int64_t width, float *const out[block]) {
  float *at[block];
  int64_t d = 0;
  const auto here = [&]() __attribute__((always_inline)) {
    for (int r = 0; r < R; r++) at[r] = out[r] + d;
  };
  if constexpr (many)
    for (; d + 64 <= width; d += 64) here(), weigh<R, 4>(p, v + d, keys, stride, from, to, at);
  for (; d < width; d += 16) here(), weigh<R, 1>(p, v + d, keys, stride, from, to, at);
}

// call(R) for the number of rows, 1 to block.
#undef EACH_ROWS
#define EACH_ROWS(n, call)                                                                                             \
  switch (n) {                                                                                                         \
  case 1: call(1); break;                                                                                              \
  case 2: call(2); break;                                                                                              \
  case 3: call(3); break;                                                                                              \
  default: call(4);                                                                                                    \
  }

INLINE int64_t keys_of(const Attention &a, int64_t seq) {
  int64_t most = 0;
  for (int64_t i = a.q_offset[seq]; i < a.q_offset[seq + 1]; i++) most = std::max(most, a.position[i] + 1);
  return most;
}

} // namespace
} // namespace TARGET
} // namespace hone
