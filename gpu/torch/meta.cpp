// Kernels for the meta device that libtorch 2.1 has in Python only. They give shapes, and refuse what is not on the
// device, as a GPU would.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace {

at::Tensor index_select(const at::Tensor &self, int64_t dim, const at::Tensor &index) {
  TORCH_CHECK(index.is_meta() && index.dim() <= 1, "index_select: the index is on ", index.device());
  std::vector<int64_t> shape = self.sizes().vec();
  shape.at(dim < 0 ? dim + self.dim() : dim) = index.numel();
  return at::empty(shape, self.options());
}

at::Tensor embedding_dense_backward(const at::Tensor &grad, const at::Tensor &indices, c10::SymInt rows, c10::SymInt,
                                    bool) {
  TORCH_CHECK(grad.is_meta() && indices.is_meta(), "embedding: gradient on ", grad.device(), ", indices on ",
              indices.device());
  return at::empty({rows.expect_int(), grad.size(-1)}, grad.options());
}

} // namespace

TORCH_LIBRARY_IMPL(aten, Meta, m) {
  m.impl("index_select", TORCH_FN(index_select));
  m.impl("embedding_dense_backward", TORCH_FN(embedding_dense_backward));
}
