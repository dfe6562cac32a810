// The gradient of causal attention over packed sequences in fp32.
#ifndef TARGET
#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>
#define LOOPS "attention_backward.cpp"
#include "targets.h"

namespace hone {
void attention_backward(const Attention &a, const float *dout, float *dq, float *dk, float *dv, int64_t from,
                        int64_t to) {
  CALL(attention_backward, a, dout, dq, dk, dv, from, to)
}
} // namespace hone
#else
#include "attention.h"

namespace hone {
namespace TARGET {

// With P = exp(scale * QK' - lse), dP = dO V', D = rowsum(dO * O): dS = scale * P * (dP - D), dQ = dS K, dK = dS' Q,
// dV = P' dO (Dao et al. 2022, appendix B). A task owns its KV head's rows of dk and dv.
WIDE void attention_backward(const Attention &a, const float *dout, float *dq, float *dk, float *dv, int64_t from,
                               int64_t to) {
  const int64_t stride = a.kv_heads * a.width, group = a.heads / a.kv_heads;
  std::vector<float> kt, vt, p, ds;
  for (int64_t task = from; task < to; task++) {
    const int64_t seq = task / a.kv_heads, kv = task % a.kv_heads;
    const int64_t q0 = a.q_offset[seq], q1 = a.q_offset[seq + 1], keys = keys_of(a, seq);
    if (q0 == q1) continue;
    const int64_t count = panels(keys), padded = count * panel;
    const Keys at_keys{nullptr, 0};
    const int64_t base = a.k_start[seq] * stride + kv * a.width;
    kt.resize(a.width * padded);
    vt.resize(a.width * padded);
    p.resize(block * padded);
    ds.resize(block * padded);
    pack(a.k + base, at_keys, stride, 0, count, keys, a.width, kt.data());
    pack(a.v + base, at_keys, stride, 0, count, keys, a.width, vt.data());
    for (int64_t h = kv * group; h < (kv + 1) * group; h++) {
      for (int64_t i = q0; i < q1; i += block) {
        const int64_t rows = std::min(block, q1 - i);
        const float *q[block], *g[block];
        float *dqr[block], spare[block][256], *ps[block], *dss[block];
        int64_t n = 0;
        for (int64_t r = 0; r < block; r++) { // a short block repeats its last row
          ps[r] = p.data() + r * padded;
          dss[r] = ds.data() + r * padded;
          const int64_t row = i + std::min(r, rows - 1), at = (row * a.heads + h) * a.width;
          q[r] = a.q + at;
          g[r] = dout + at;
          dqr[r] = r < rows ? dq + at : spare[r];
          n = std::max(n, a.position[row] + 1);
        }
        scores<block>(q, kt.data(), panels(n), a.width, ps);
        scores<block>(g, vt.data(), panels(n), a.width, dss);
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
        weighted<block>(dss, a.k + base, at_keys, stride, 0, n, a.width, dqr);
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

} // namespace TARGET
} // namespace hone
#endif
