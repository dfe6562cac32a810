// Drawing tokens from logits, and the log-probabilities of given ones. Each row is worked on by itself, in fp32
// exponentials and fp64 sums, on the CPU: logits of another device or type are copied there.
#ifndef TARGET
#include "decode.h"
#include "guard.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <cmath>
#include <vector>
#define LOOPS "draw.cpp"
#include "targets.h"

namespace hone {
namespace {

float largest(const float *x, int64_t n) { CALL(largest, x, n) }
double exponentials(const float *x, int64_t n, float top, float scale, float *e) {
  CALL(exponentials, x, n, top, scale, e)
}
double product(const float *a, const float *b, int64_t n) { CALL(product, a, b, n) }

constexpr int64_t part = 1024; // logits that are summed in fp32 lanes

constexpr float least = -87; // below it an exponential counts for nothing

// One row of logits.
struct Row {
  const float *x;
  int64_t n;
  float top;
  double sum; // of exp(x - top)

  Row(const float *logits, int64_t count) : x(logits), n(count), top(largest(logits, count)), sum(0) {
    for (int64_t i = 0; i < n; i += part) sum += exponentials(x + i, std::min(part, n - i), top, 1, nullptr);
  }
  bool finite() const { return std::isfinite(top) && std::isfinite(sum); }
  double log_prob(int64_t token) const { return static_cast<double>(x[token]) - top - std::log(sum); }

  // The m tokens of the largest logits, in order; ties go to the smaller token.
  std::vector<int32_t> best(int64_t m) const {
    std::vector<int32_t> ids(n);
    for (int64_t i = 0; i < n; i++) ids[i] = static_cast<int32_t>(i);
    auto before = [this](int32_t a, int32_t b) { return x[a] != x[b] ? x[a] > x[b] : a < b; };
    m = std::min(m, n);
    if (m < n) std::nth_element(ids.begin(), ids.begin() + m, ids.end(), before);
    ids.resize(m);
    std::sort(ids.begin(), ids.end(), before);
    return ids;
  }

  void draw(const hone_draw_request &r, hone_drawn *out) const {
    out->largest = top;
    if (r.temperature == 0) {
      out->token = std::find(x, x + n, top) - x;
      out->drawn = 0;
    } else if ((r.top_k > 0 && r.top_k < n) || r.top_p < 1) {
      truncated(r, out);
    } else {
      untruncated(r, out);
    }
    out->log_prob = log_prob(out->token);
  }

  // Along the tokens in their order.
  void untruncated(const hone_draw_request &r, hone_drawn *out) const {
    const float scale = static_cast<float>(1 / r.temperature);
    std::vector<double> sums;
    double total = 0;
    for (int64_t i = 0; i < n; i += part) {
      sums.push_back(exponentials(x + i, std::min(part, n - i), top, scale, nullptr));
      total += sums.back();
    }
    double left = r.uniform * total;
    size_t p = 0;
    while (p + 1 < sums.size() && left >= sums[p]) left -= sums[p++];
    // Rounding may leave something at a part's end: then it is the part's last token that counts for anything, and a
    // part without any is left for the largest logit.
    float e[part + 16];
    const int64_t from = static_cast<int64_t>(p) * part, size = std::min(part, n - from);
    exponentials(x + from, size, top, scale, e);
    out->token = -1;
    for (int64_t i = 0; i < size; i++) {
      if ((x[from + i] - top) * scale < least) continue;
      out->token = from + i;
      if ((left -= static_cast<double>(e[i])) < 0) break;
    }
    if (out->token < 0) out->token = std::find(x, x + n, top) - x;
    out->drawn = (static_cast<double>(x[out->token]) - top) / r.temperature - std::log(total);
  }

  // Along the largest logits: the first top_k, and of these the fewest that together have top_p of their probability
  // (Holtzman et al. 2020).
  void truncated(const hone_draw_request &r, hone_drawn *out) const {
    const float scale = static_cast<float>(1 / r.temperature);
    auto weight = [&](int32_t id) { // in fp64: these are few
      return std::exp((static_cast<double>(x[id]) - top) / r.temperature);
    };
    std::vector<int32_t> ids;
    double total = 0, kept = 0;
    size_t keep = 0;
    if (r.top_k > 0 && r.top_k < n) {
      ids = best(r.top_k);
      for (int32_t id : ids) total += weight(id);
    } else {
      for (int64_t i = 0; i < n; i += part) total += exponentials(x + i, std::min(part, n - i), top, scale, nullptr);
    }
    for (int64_t m = 256;; m *= 16) {
      if (r.top_k <= 0 || r.top_k >= n) ids = best(m);
      for (; keep < ids.size() && (keep == 0 || kept < r.top_p * total); keep++) kept += weight(ids[keep]);
      if (keep < ids.size() || kept >= r.top_p * total || static_cast<int64_t>(ids.size()) >= n || (r.top_k > 0 && r.top_k < n))
        break;
    }
    double left = r.uniform * kept;
    size_t i = 0;
    while (i + 1 < keep && (left -= weight(ids[i])) >= 0) i++;
    out->token = ids[i];
    out->drawn = (static_cast<double>(x[ids[i]]) - top) / r.temperature - std::log(kept);
  }
};

at::Tensor on_host(const at::Tensor &t) { return t.to(at::kCPU, at::kFloat).contiguous(); }

} // namespace
} // namespace hone

extern "C" {

char *hone_draw(const hone_tensor logits, const hone_draw_request *requests, int64_t count, hone_drawn *drawn,
                int64_t best, int32_t *ids, float *log_probs) {
  return guarded([&] {
    at::Tensor l = hone::on_host(of(logits));
    TORCH_CHECK(l.dim() == 2 && l.size(1) > 0, "expected logits [rows, vocabulary]");
    const int64_t n = l.size(1);
    TORCH_CHECK(best >= 0 && best <= n, best, " best of ", n);
    c10::optional<hone::Row> kept; // neighbouring draws from one row look at it once
    for (int64_t i = 0; i < count; i++) {
      const hone_draw_request &r = requests[i];
      TORCH_CHECK(r.row >= 0 && r.row < l.size(0), "row ", r.row, " of ", l.size(0));
      if (i == 0 || r.row != requests[i - 1].row) kept.emplace(l.const_data_ptr<float>() + r.row * n, n);
      const hone::Row &row = *kept;
      drawn[i].finite = row.finite();
      drawn[i].largest = row.top;
      if (!row.finite()) continue;
      row.draw(r, &drawn[i]);
      if (best == 0) continue;
      std::vector<int32_t> top = row.best(best);
      for (int64_t j = 0; j < best; j++) {
        ids[i * best + j] = top[j];
        log_probs[i * best + j] = static_cast<float>(row.log_prob(top[j]));
      }
    }
  });
}

char *hone_log_probs(const hone_tensor logits, const int64_t *row, const int64_t *token, int64_t count,
                     double *values) {
  return guarded([&] {
    at::Tensor l = hone::on_host(of(logits));
    TORCH_CHECK(l.dim() == 2 && l.size(1) > 0, "expected logits [rows, vocabulary]");
    const int64_t n = l.size(1);
    for (int64_t i = 0, to; i < count; i = to) {
      TORCH_CHECK(row[i] >= 0 && row[i] < l.size(0), "row ", row[i], " of ", l.size(0));
      const hone::Row r(l.const_data_ptr<float>() + row[i] * n, n);
      for (to = i; to < count && row[to] == row[i]; to++) {
        TORCH_CHECK(token[to] >= 0 && token[to] < n, "token ", token[to], " of ", n);
        values[to] = r.finite() ? r.log_prob(token[to]) : NAN;
      }
    }
  });
}

char *hone_products(const hone_tensor hidden, const hone_tensor head, const int64_t *row, const int64_t *token,
                    int64_t count, double *values) {
  return guarded([&] {
    at::Tensor h = hone::on_host(of(hidden)), w = of(head);
    TORCH_CHECK(h.dim() == 2 && w.dim() == 2 && h.size(1) == w.size(1), "expected hidden [rows, n] and head [tokens, n]");
    const bool whole = hone_plain(head);
    for (int64_t i = 0; i < count; i++)
      TORCH_CHECK(row[i] >= 0 && row[i] < h.size(0) && token[i] >= 0 && token[i] < w.size(0), "row ", row[i], " of ",
                  h.size(0), ", token ", token[i], " of ", w.size(0));
    if (!whole) { // only the rows that are asked for come over
      at::Tensor index = at::from_blob(const_cast<int64_t *>(token), {count}, at::kLong).to(w.device());
      w = hone::on_host(w.index_select(0, index));
    }
    const int64_t n = h.size(1);
    const float *ph = h.const_data_ptr<float>(), *pw = w.const_data_ptr<float>();
    for (int64_t i = 0; i < count; i++) values[i] = hone::product(ph + row[i] * n, pw + (whole ? token[i] : i) * n, n);
  });
}
}
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {

// The largest of n floats; not a number only if all are.
WIDE float largest(const float *x, int64_t n) {
  v16 top = splat(-INFINITY);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) top = larger(load(x + i), top);
  float best = highest(top);
  for (; i < n; i++) best = x[i] > best ? x[i] : best;
  return best;
}

// The sum of exp((x - top) * scale) over n <= part floats; the terms go to e unless null, rounded up to 16.
WIDE double exponentials(const float *x, int64_t n, float top, float scale, float *e) {
  v16 sum = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    v16 y = exponential((load(x + i) - top) * scale);
    if (e) store(e + i, y);
    sum += y;
  }
  double rest = 0;
  if (i < n) {
    float last[16];
    store(last, exponential((load_part(x + i, n - i) - top) * scale));
    if (e) memcpy(e + i, last, sizeof last);
    for (int64_t j = 0; j < n - i; j++) rest += static_cast<double>(last[j]);
  }
  return static_cast<double>(lanes(sum)) + rest;
}

WIDE double product(const float *a, const float *b, int64_t n) {
  typedef double d4 __attribute__((vector_size(32)));
  d4 low = {}, high = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    v4f x[2], y[2];
    memcpy(x, a + i, sizeof x);
    memcpy(y, b + i, sizeof y);
    low += __builtin_convertvector(x[0], d4) * __builtin_convertvector(y[0], d4);
    high += __builtin_convertvector(x[1], d4) * __builtin_convertvector(y[1], d4);
  }
  const d4 sum = low + high;
  double total = (sum[0] + sum[2]) + (sum[1] + sum[3]);
  for (; i < n; i++) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return total;
}

} // namespace TARGET
} // namespace hone
#endif
