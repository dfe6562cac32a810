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

} // namespace

TORCH_LIBRARY_IMPL(aten, Meta, m) {
  m.impl("index_select", TORCH_FN(index_select));
}
