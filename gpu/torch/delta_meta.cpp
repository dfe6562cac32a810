// The triangular solve on the meta device, see meta.cpp.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace {

at::Tensor solve_triangular(const at::Tensor &a, const at::Tensor &b, bool, bool left, bool) {
  TORCH_CHECK(a.is_meta() && b.is_meta(), "solve triangular: on ", a.device(), " and ", b.device());
  TORCH_CHECK(a.dim() == b.dim() && a.size(-1) == a.size(-2) && a.size(-1) == b.size(left ? -2 : -1),
              "solve triangular of ", a.sizes(), " and ", b.sizes());
  return at::empty_like(b);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, Meta, m) {
  m.impl("linalg_solve_triangular", TORCH_FN(solve_triangular));
}
