// Elements in and out of tensors piece by piece, so that no second copy of a large tensor is ever held.
#include "transfer.h"
#include "guard.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

extern "C" {

void *hone_memory_of(const hone_tensor t) {
  const at::Tensor &x = of(t);
  return x.is_cpu() && x.is_contiguous() ? x.data_ptr() : nullptr;
}

char *hone_fill(const hone_tensor t, int64_t offset, int64_t count, const void *data, int dtype) {
  return guarded([&] {
    at::NoGradGuard none;
    at::Tensor from = at::from_blob(const_cast<void *>(data), {count}, at::TensorOptions(static_cast<at::ScalarType>(dtype)));
    of(t).detach().view(-1).narrow(0, offset, count).copy_(from);
  });
}

char *hone_fetch(const hone_tensor t, int64_t offset, int64_t count, void *data) {
  return guarded([&] {
    at::NoGradGuard none;
    const at::Tensor part = of(t).detach().view(-1).narrow(0, offset, count);
    at::from_blob(data, {count}, at::TensorOptions(part.scalar_type())).copy_(part);
  });
}
}
