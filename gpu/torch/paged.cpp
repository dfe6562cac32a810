// Attention over keys and values in pages.
#include "decode.h"
#include "guard.h"
#include "kernels.h"
#include "loops.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <algorithm>
#include <vector>

namespace {

// Neighbouring sequences with the same first pages, so that these are laid out and read once for all their rows. A
// cluster ends where going on would leave less than half of what it has in common. How sequences are put together
// changes no result.
struct Clusters {
  std::vector<int64_t> first{0}, shared;

  Clusters(const hone::Attention &a, int64_t sequences) {
    std::vector<int64_t> whole(sequences); // pages that all of a sequence's rows see
    for (int64_t s = 0; s < sequences; s++) {
      int64_t keys = a.q_offset[s] < a.q_offset[s + 1] ? a.position[a.q_offset[s]] + 1 : 0;
      for (int64_t i = a.q_offset[s]; i < a.q_offset[s + 1]; i++) keys = std::min(keys, a.position[i] + 1);
      whole[s] = keys / 16;
    }
    for (int64_t s = 0; s < sequences;) {
      int64_t common = whole[s], next = s + 1;
      const int64_t *mine = a.pages + a.page_start[s];
      for (; next < sequences; next++) {
        const int64_t most = std::min(common, whole[next]);
        const int64_t same = std::mismatch(mine, mine + most, a.pages + a.page_start[next]).first - mine;
        if (same < 4 || (next > s + 1 && same < common / 2)) break;
        common = same;
      }
      shared.push_back(next > s + 1 ? common : 0);
      first.push_back(next);
      s = next;
    }
  }
};

} // namespace

extern "C" int hone_plain(const hone_tensor t) {
  const at::Tensor &x = of(t);
  return plain(x) && x.is_contiguous();
}

extern "C" char *hone_attention_paged(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                                      const int64_t *q_offset, const int64_t *position, int64_t sequences,
                                      const int64_t *pages, const int64_t *page_start, double scale) {
  return guarded([&] {
    const at::Tensor &tq = of(q), &tk = of(k), &tv = of(v);
    TORCH_CHECK(hone_plain(q) && hone_plain(k) && hone_plain(v), "expected contiguous fp32 on the CPU");
    TORCH_CHECK(!at::GradMode::is_enabled(), "there is no gradient through pages");
    TORCH_CHECK(tq.dim() == 3 && tk.dim() == 3 && tk.sizes() == tv.sizes() && tq.size(2) == tk.size(2) &&
                    tq.size(1) % tk.size(1) == 0 && tq.size(2) % 16 == 0 && tq.size(2) <= 256,
                "expected q [rows, heads, width] and k, v [keys, kv heads, width], width a multiple of 16 up to 256");
    TORCH_CHECK(q_offset[0] == 0 && q_offset[sequences] == tq.size(0), "the sequences have ", q_offset[sequences],
                " rows");
    for (int64_t s = 0; s < sequences; s++) {
      const int64_t have = page_start[s + 1] - page_start[s];
      for (int64_t i = q_offset[s]; i < q_offset[s + 1]; i++)
        TORCH_CHECK(position[i] >= 0 && position[i] / 16 < have, "sequence ", s, " sees key ", position[i], " of ", have,
                    " pages");
      for (int64_t p = page_start[s]; p < page_start[s + 1]; p++)
        TORCH_CHECK(pages[p] >= 0 && 16 * pages[p] + 16 <= tk.size(0), "sequence ", s, " has page ", pages[p], " of ",
                    tk.size(0) / 16);
    }
    at::Tensor result = at::empty_like(tq);
    hone::Attention a{tq.const_data_ptr<float>(), tk.const_data_ptr<float>(), tv.const_data_ptr<float>(),
                      result.mutable_data_ptr<float>(), nullptr, q_offset, nullptr, position, tq.size(1), tk.size(1),
                      tq.size(2), static_cast<float>(scale), pages, page_start, nullptr, nullptr};
    Clusters c(a, sequences);
    a.clusters = c.first.data();
    a.shared = c.shared.data();
    const int64_t tasks = static_cast<int64_t>(c.shared.size()) * a.kv_heads;
    at::parallel_for(0, tasks, 1, [&](int64_t from, int64_t to) { hone::attention_forward(a, from, to); });
    give(out, result);
  });
}
