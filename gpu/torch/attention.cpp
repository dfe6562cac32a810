// Causal attention over packed sequences in fp32; see attention.h for the order of adding.
#ifndef TARGET
#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>
#define LOOPS "attention.cpp"
#include "targets.h"

namespace hone {
void attention_forward(const Attention &a, int64_t from, int64_t to) { CALL(attention_forward, a, from, to) }
} // namespace hone
#else
#include "attention.h"

namespace hone {
namespace TARGET {
namespace {

// A softmax in place over s[0 .. seen), zeros from there to end: what is left are exp(scale (s - top)), their sum is
// returned. Keys that the row does not see take part in nothing.
INLINE float soften(float *s, int64_t seen, int64_t end, float scale, float *top) {
  const int64_t own = panels(seen) * panel;
  for (int64_t j = seen; j < own; j++) s[j] = -std::numeric_limits<float>::infinity();
  v16 best = load(s);
  for (int64_t j = panel; j < own; j += panel) best = larger(load(s + j), best);
  *top = highest(best);
  v16 sum = {};
  for (int64_t j = 0; j < own; j += panel) {
    v16 e = exponential((load(s + j) - *top) * scale);
    store(s + j, e);
    if (j + panel > seen) {
      for (int64_t i = seen; i < own; i++) s[i] = 0;
      e = load(s + j);
    }
    sum += e;
  }
  for (int64_t j = own; j < end; j++) s[j] = 0;
  return lanes(sum);
}

// One KV head of a cluster: neighbouring sequences whose first keys are the same memory. Row t is query row
// q0 + t / group with head kv * group + t % group.
struct Cluster {
  const Attention &a;
  int64_t kv, first, last, shared; // sequences [first, last); shared: panels in common, seen by every row
  int64_t group, stride, q0, rows, padded;
  const float *k, *v;
  std::vector<float> common, own, s;
  int64_t current; // the sequence whose further keys are in own

  explicit Cluster(const Attention &all) : a(all), group(a.heads / a.kv_heads), stride(a.kv_heads * a.width) {}

  WITHIN int64_t row(int64_t t) const { return q0 + t / group; }
  WITHIN int64_t head(int64_t t) const { return row(t) * a.heads + kv * group + t % group; }

  WITHIN void open(int64_t task) {
    const int64_t cluster = task / a.kv_heads;
    kv = task % a.kv_heads;
    first = a.clusters ? a.clusters[cluster] : cluster;
    last = a.clusters ? a.clusters[cluster + 1] : cluster + 1;
    shared = a.clusters ? a.shared[cluster] : 0;
    k = a.k + kv * a.width;
    v = a.v + kv * a.width;
    q0 = a.q_offset[first];
    rows = (a.q_offset[last] - q0) * group;
    current = first - 1;
    if (rows == 0) return;
    int64_t most = 0;
    for (int64_t seq = first; seq < last; seq++) most = std::max(most, keys_of(a, seq));
    padded = panels(most) * panel;
    s.resize(block * padded);
    common.resize(shared * panel * a.width);
    pack(k, Keys::of(a, first), stride, 0, shared, shared * panel, a.width, common.data());
  }

  // Goes on to the sequence of a row.
  WITHIN void turn_to(int64_t r) {
    if (current >= first && r < a.q_offset[current + 1]) return;
    do current++;
    while (r >= a.q_offset[current + 1]);
    const int64_t keys = keys_of(a, current), end = panels(keys);
    own.resize(std::max<int64_t>(0, end - shared) * panel * a.width);
    pack(k, Keys::of(a, current), stride, shared, end, keys, a.width, own.data());
  }

  // A stretch of keys that neighbouring rows of a block see: the shared ones, then each sequence's own.
  struct Part {
    int64_t row, rows, seq, from, to; // panel from, key to
  };

  // Rows [at, at + n).
  WITHIN void attend(int64_t at, int64_t n) {
    const float *q[block];
    float *p[block], *out[block];
    for (int64_t r = 0; r < n; r++) {
      q[r] = a.q + head(at + r) * a.width;
      out[r] = a.out + head(at + r) * a.width;
      p[r] = s.data() + r * padded;
    }
    Part parts[block + 1] = {{0, n, first, 0, shared * panel}};
    int64_t count = 0, next = 0; // parts so far, the row that the next one begins at
    do {
      if (count > 0) turn_to(row(at + next)), parts[count] = run(at, next, n), next += parts[count].rows;
      const Part &part = parts[count];
      const float *packed = count > 0 ? own.data() : common.data();
      float *to[block];
      for (int64_t i = 0; i < part.rows; i++) to[i] = p[part.row + i] + part.from * panel;
#define SCORES(R) scores<R>(q + part.row, packed, panels(part.to) - part.from, a.width, to)
      EACH_ROWS(part.rows, SCORES)
      count++;
    } while (next < n);
    float total[block];
    for (int64_t i = 1; i < count; i++)
      for (int64_t r = parts[i].row; r < parts[i].row + parts[i].rows; r++) {
        float top;
        total[r] = soften(p[r], a.position[row(at + r)] + 1, parts[i].to, a.scale, &top);
        if (a.lse) a.lse[head(at + r)] = top * a.scale + std::log(total[r]);
      }
    for (int64_t i = 0; i < count; i++) {
      const Part &part = parts[i];
#define VALUES(R)                                                                                                      \
  weighted<R>(p + part.row, v, Keys::of(a, part.seq), stride, part.from * panel, part.to, a.width, out + part.row)
      if (i > 0 || shared > 0) EACH_ROWS(part.rows, VALUES)
    }
    for (int64_t r = 0; r < n; r++)
      for (int64_t d = 0; d < a.width; d += 16) store(out[r] + d, load(out[r] + d) / total[r]);
  }

  // The rows of a block that follow row r in the current sequence, and the keys that they do not share.
  WITHIN Part run(int64_t at, int64_t r, int64_t n) const {
    Part part{r, 0, current, shared, 0};
    for (; r < n && row(at + r) < a.q_offset[current + 1]; r++, part.rows++)
      part.to = std::max(part.to, a.position[row(at + r)] + 1);
    return part;
  }
};

} // namespace

WIDE void attention_forward(const Attention &a, int64_t from, int64_t to) {
  Cluster c(a);
  for (int64_t task = from; task < to; task++) {
    c.open(task);
    for (int64_t at = 0; at < c.rows; at += block) c.attend(at, std::min(block, c.rows - at));
  }
}

} // namespace TARGET
} // namespace hone
#endif
