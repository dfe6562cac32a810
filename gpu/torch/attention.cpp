// Causal attention over packed sequences in fp32. The keys of one KV head are laid out once with the keys along the
// vector, four query rows share each load, and a sequence's result depends on that sequence alone.
#include "kernels.h"
#include "vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hone {
namespace {

constexpr int64_t block = 4; // query rows at a time

// Rows [0, n) of src (stride apart, width wide) as [width][padded] with zeros behind n.
INLINE void transpose(const float *src, int64_t stride, int64_t n, int64_t width, int64_t padded, float *dst) {
  for (int64_t d = 0; d < width; d++) {
    float *row = dst + d * padded;
    for (int64_t j = 0; j < n; j++) row[j] = src[j * stride + d];
    for (int64_t j = n; j < padded; j++) row[j] = 0;
  }
}

// s[r][j] = sum over d of rows[r][d] * columns[d][j], for j < n rounded up to 16.
INLINE void scores(const float *const rows[block], const float *columns, int64_t padded, int64_t n, int64_t width,
                   float *s) {
  int64_t j = 0;
  for (; j + 16 < n; j += 32) {
    v16 a[block] = {}, b[block] = {};
    for (int64_t d = 0; d < width; d++) {
      v16 x = load(columns + d * padded + j), y = load(columns + d * padded + j + 16);
      for (int64_t r = 0; r < block; r++) {
        a[r] += rows[r][d] * x;
        b[r] += rows[r][d] * y;
      }
    }
    for (int64_t r = 0; r < block; r++) {
      store(s + r * padded + j, a[r]);
      store(s + r * padded + j + 16, b[r]);
    }
  }
  if (j < n) {
    v16 a[block] = {};
    for (int64_t d = 0; d < width; d++) {
      v16 x = load(columns + d * padded + j);
      for (int64_t r = 0; r < block; r++) a[r] += rows[r][d] * x;
    }
    for (int64_t r = 0; r < block; r++) store(s + r * padded + j, a[r]);
  }
}

// out[r] = sum over j < n of p[r][j] * rows[j], for each of the block's rows.
INLINE void weighted(const float *p, int64_t padded, const float *rows, int64_t stride, int64_t n, int64_t width,
                     float *const out[block]) {
  for (int64_t d = 0; d < width; d += 16) {
    v16 a[block] = {};
    for (int64_t j = 0; j < n; j++) {
      v16 x = load(rows + j * stride + d);
      for (int64_t r = 0; r < block; r++) a[r] += p[r * padded + j] * x;
    }
    for (int64_t r = 0; r < block; r++) store(out[r] + d, a[r]);
  }
}

INLINE int64_t keys_of(const Attention &a, int64_t s) {
  int64_t most = 0;
  for (int64_t i = a.q_offset[s]; i < a.q_offset[s + 1]; i++) most = std::max(most, a.position[i] + 1);
  return most;
}

// One query against rows of keys as they lie: for decoding, where a transposed copy would not pay.
INLINE void single(const Attention &a, const float *q, const float *k, const float *v, int64_t n, int64_t stride,
                   float *s, float *out, float *lse) {
  float top = -std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < n; j++) {
    v16 sum = {};
    for (int64_t d = 0; d < a.width; d += 16) sum += load(q + d) * load(k + j * stride + d);
    s[j] = lanes(sum) * a.scale;
    top = std::max(top, s[j]);
  }
  const int64_t end = (n + 15) / 16 * 16;
  for (int64_t j = n; j < end; j++) s[j] = -std::numeric_limits<float>::infinity();
  v16 parts = {};
  for (int64_t j = 0; j < end; j += 16) {
    v16 e = exponential(load(s + j) - top);
    store(s + j, e);
    parts += e;
  }
  const float total = lanes(parts);
  for (int64_t d = 0; d < a.width; d += 16) {
    v16 sum = {};
    for (int64_t j = 0; j < n; j++) sum += s[j] * load(v + j * stride + d);
    store(out + d, sum / total);
  }
  *lse = top + std::log(total);
}

} // namespace

CLONES void attention_forward(const Attention &a, int64_t from, int64_t to) {
  const int64_t stride = a.kv_heads * a.width, group = a.heads / a.kv_heads;
  std::vector<float> columns, s;
  for (int64_t task = from; task < to; task++) {
    const int64_t seq = task / a.kv_heads, kv = task % a.kv_heads;
    const int64_t q0 = a.q_offset[seq], q1 = a.q_offset[seq + 1], keys = keys_of(a, seq);
    if (q0 == q1) continue;
    const int64_t padded = (keys + 15) / 16 * 16;
    const float *k = a.k + a.k_start[seq] * stride + kv * a.width, *v = a.v + a.k_start[seq] * stride + kv * a.width;
    s.resize(block * padded);
    const bool few = q1 - q0 == 1;
    if (!few) {
      columns.resize(a.width * padded);
      transpose(k, stride, keys, a.width, padded, columns.data());
    }
    for (int64_t h = kv * group; h < (kv + 1) * group; h++) {
      for (int64_t i = q0; i < q1; i += block) {
        if (few) {
          const int64_t at = i * a.heads + h;
          single(a, a.q + at * a.width, k, v, a.position[i] + 1, stride, s.data(), a.out + at * a.width, a.lse + at);
          continue;
        }
        const int64_t rows = std::min(block, q1 - i);
        const float *q[block];
        float *out[block];
        int64_t n = 0, seen[block];
        for (int64_t r = 0; r < block; r++) { // a short block repeats its last row
          const int64_t row = i + std::min(r, rows - 1);
          q[r] = a.q + (row * a.heads + h) * a.width;
          out[r] = a.out + (row * a.heads + h) * a.width;
          seen[r] = a.position[row] + 1;
          n = std::max(n, seen[r]);
        }
        scores(q, columns.data(), padded, n, a.width, s.data());
        const int64_t end = (n + 15) / 16 * 16;
        float total[block];
        for (int64_t r = 0; r < block; r++) {
          float *p = s.data() + r * padded;
          for (int64_t j = seen[r]; j < end; j++) p[j] = -std::numeric_limits<float>::infinity();
          v16 best = load(p);
          for (int64_t j = 16; j < end; j += 16) best = larger(load(p + j), best);
          const float top = highest(best);
          v16 sum = {};
          for (int64_t j = 0; j < end; j += 16) {
            v16 e = exponential((load(p + j) - top) * a.scale);
            store(p + j, e);
            sum += e;
          }
          for (int64_t j = seen[r]; j < end; j++) p[j] = 0;
          total[r] = lanes(sum);
          // The clamp of the exponential leaves about 1e-38 for each masked key: below half a unit of a sum >= 1.
          a.lse[(i + std::min(r, rows - 1)) * a.heads + h] = top * a.scale + std::log(total[r]);
        }
        weighted(s.data(), padded, v, stride, n, a.width, out);
        for (int64_t r = 0; r < rows; r++)
          for (int64_t d = 0; d < a.width; d += 16) store(out[r] + d, load(out[r] + d) / total[r]);
      }
    }
  }
}

// With P = exp(scale * QK' - lse), dP = dO V', D = rowsum(dO * O): dS = scale * P * (dP - D), dQ = dS K, dK = dS' Q,
// dV = P' dO (Dao et al. 2022, appendix B). A task owns its KV head's rows of dk and dv.
CLONES void attention_backward(const Attention &a, const float *dout, float *dq, float *dk, float *dv, int64_t from,
                               int64_t to) {
  const int64_t stride = a.kv_heads * a.width, group = a.heads / a.kv_heads;
  std::vector<float> kt, vt, p, ds;
  for (int64_t task = from; task < to; task++) {
    const int64_t seq = task / a.kv_heads, kv = task % a.kv_heads;
    const int64_t q0 = a.q_offset[seq], q1 = a.q_offset[seq + 1], keys = keys_of(a, seq);
    if (q0 == q1) continue;
    const int64_t padded = (keys + 15) / 16 * 16, base = a.k_start[seq] * stride + kv * a.width;
    kt.resize(a.width * padded);
    vt.resize(a.width * padded);
    p.resize(block * padded);
    ds.resize(block * padded);
    transpose(a.k + base, stride, keys, a.width, padded, kt.data());
    transpose(a.v + base, stride, keys, a.width, padded, vt.data());
    for (int64_t h = kv * group; h < (kv + 1) * group; h++) {
      for (int64_t i = q0; i < q1; i += block) {
        const int64_t rows = std::min(block, q1 - i);
        const float *q[block], *g[block];
        float *dqr[block], spare[block][256];
        int64_t n = 0;
        for (int64_t r = 0; r < block; r++) {
          const int64_t row = i + std::min(r, rows - 1), at = (row * a.heads + h) * a.width;
          q[r] = a.q + at;
          g[r] = dout + at;
          dqr[r] = r < rows ? dq + at : spare[r];
          n = std::max(n, a.position[row] + 1);
        }
        scores(q, kt.data(), padded, n, a.width, p.data());
        scores(g, vt.data(), padded, n, a.width, ds.data());
        const int64_t end = (n + 15) / 16 * 16;
        for (int64_t r = 0; r < block; r++) {
          float *pr = p.data() + r * padded, *dr = ds.data() + r * padded;
          if (r >= rows) {
            std::fill(pr, pr + end, 0.0f);
            std::fill(dr, dr + end, 0.0f);
            continue;
          }
          const int64_t row = i + r, at = row * a.heads + h, seen = a.position[row] + 1;
          const float lse = a.lse[at];
          v16 sum = {};
          for (int64_t d = 0; d < a.width; d += 16) sum += load(g[r] + d) * load(a.out + at * a.width + d);
          const float dot = lanes(sum);
          for (int64_t j = 0; j < end; j += 16) {
            v16 e = exponential(load(pr + j) * a.scale - lse);
            store(pr + j, e);
            store(dr + j, e * (load(dr + j) - dot) * a.scale);
          }
          std::fill(pr + std::min(seen, end), pr + end, 0.0f);
          std::fill(dr + std::min(seen, end), dr + end, 0.0f);
        }
        weighted(ds.data(), padded, a.k + base, stride, n, a.width, dqr);
        for (int64_t j = 0; j < n; j++) {
          float *dkr = dk + base + j * stride, *dvr = dv + base + j * stride;
          for (int64_t d = 0; d < a.width; d += 16) {
            v16 x = load(dkr + d), y = load(dvr + d);
            for (int64_t r = 0; r < block; r++) {
              x += ds[r * padded + j] * load(q[r] + d);
              y += p[r * padded + j] * load(g[r] + d);
            }
            store(dkr + d, x);
            store(dvr + d, y);
          }
        }
      }
    }
  }
}

} // namespace hone
