// Causal attention over packed sequences by libtorch's own operations, for any device and type. Sequences of about
// the same length make a group and are padded to one shape; the padding is laid out on the host once a batch, so that
// a layer neither waits for the device nor copies to it.
//
// Every row sees at least one key and what it must not see gets a large negative score in fp32: there is no row of
// -inf alone, whose softmax, and whose gradient, would not be a number.
#include "padded.h"
#include "guard.h"
#include "kernels.h"
#include "loops.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

namespace {

constexpr double hidden_score = -1e30; // e^it is 0 beside any other

struct Group {
  int64_t n, rows, keys;
  const at::Tensor &hidden;
};

// q [n, heads, rows, width], k and v [n, kv heads, keys, width] give [n, heads, rows, width]. Query head h uses KV head
// h / (heads / kv heads): a KV head's queries are multiplied with its keys as they are, without copies of the keys.
at::Tensor eager(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, const Group &g, double scale) {
  const int64_t heads = q.size(1), kv = k.size(1), width = q.size(3);
  at::Tensor flat = q.reshape({g.n * kv, heads / kv * g.rows, width});
  at::Tensor scores = at::bmm(flat, k.reshape({g.n * kv, g.keys, width}).transpose(1, 2));
  // In place: neither the product's nor the scaling's derivative asks for its result.
  at::Tensor exact = scores.scalar_type() == at::kDouble ? scores : scores.to(at::kFloat);
  exact = exact.mul_(scale).view({g.n, heads, g.rows, g.keys}).masked_fill_(g.hidden, hidden_score);
  at::Tensor p = at::softmax(exact, -1).to(q.scalar_type()).view({g.n * kv, heads / kv * g.rows, g.keys});
  return at::bmm(p, v.reshape({g.n * kv, g.keys, width})).view({g.n, heads, g.rows, width});
}

at::Tensor library(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, const Group &g, double scale) {
  const int64_t kv = k.size(1), group = q.size(1) / kv;
  auto repeated = [&](const at::Tensor &t) {
    if (group == 1) return t;
    return t.unsqueeze(2).expand({g.n, kv, group, g.keys, t.size(3)}).reshape({g.n, kv * group, g.keys, t.size(3)});
  };
  at::Tensor mask = at::zeros(g.hidden.sizes(), q.options()).masked_fill_(g.hidden, hidden_score);
  return at::scaled_dot_product_attention(q, repeated(k), repeated(v), mask, 0.0, false, scale);
}

} // namespace

extern "C" {

int hone_attention_loops(const hone_tensor q, const hone_tensor k, const hone_tensor v) {
  const at::Tensor &t = of(q);
  return plain(t) && plain(of(k)) && plain(of(v)) && t.dim() == 3 && t.size(2) % 16 == 0 && t.size(2) <= 256;
}

char *hone_hidden(hone_tensor *out, const hone_tensor positions, int64_t n, int64_t rows, int64_t keys) {
  return guarded([&] {
    at::Tensor key = at::arange(keys, of(positions).options());
    give(out, at::gt(key, of(positions).view({n, 1, rows, 1})));
  });
}

char *hone_attend_padded(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                         const hone_tensor queries, const hone_tensor keys, const hone_tensor back,
                         const hone_tensor *hidden, const int64_t *sizes, int64_t groups, double scale, int plain) {
  return guarded([&] {
    const at::Tensor &tq = of(q), &tk = of(k), &tv = of(v);
    TORCH_CHECK(tq.dim() == 3 && tk.dim() == 3 && tk.sizes() == tv.sizes() && tq.size(2) == tk.size(2) &&
                    tq.size(1) % tk.size(1) == 0,
                "expected q [rows, heads, width] and k, v [keys, kv heads, width]");
    std::vector<int64_t> rows, columns;
    for (int64_t i = 0; i < groups; i++) {
      rows.push_back(sizes[3 * i] * sizes[3 * i + 1]);
      columns.push_back(sizes[3 * i] * sizes[3 * i + 2]);
    }
    // One gather for all groups, split afterwards: its derivative is one sum and not one a group.
    std::vector<at::Tensor> gq = tq.index_select(0, of(queries)).split_with_sizes(rows);
    std::vector<at::Tensor> gk = tk.index_select(0, of(keys)).split_with_sizes(columns);
    std::vector<at::Tensor> gv = tv.index_select(0, of(keys)).split_with_sizes(columns);
    std::vector<at::Tensor> outs;
    for (int64_t i = 0; i < groups; i++) {
      Group g{sizes[3 * i], sizes[3 * i + 1], sizes[3 * i + 2], of(hidden[i])};
      auto heads = [&](const at::Tensor &t, int64_t n) { return t.view({g.n, n, t.size(1), t.size(2)}).transpose(1, 2); };
      at::Tensor hq = heads(gq[i], g.rows), hk = heads(gk[i], g.keys), hv = heads(gv[i], g.keys);
      at::Tensor o = plain ? eager(hq, hk, hv, g, scale) : library(hq, hk, hv, g, scale);
      outs.push_back(o.transpose(1, 2).reshape({rows[i], tq.size(1), tq.size(2)}));
    }
    give(out, at::cat(outs, 0).index_select(0, of(back)));
  });
}
}
