// Layers by libtorch's own operations, for any device and type, with derivatives written out: autograd would keep
// copies in fp32 of what goes in, and products half way, of every layer.
#pragma once
#include <ATen/core/Tensor.h>

namespace hone {

at::Tensor rms_norm_plain(const at::Tensor &x, const at::Tensor &weight, double eps);
at::Tensor silu_mul_plain(const at::Tensor &gate, const at::Tensor &up);
at::Tensor rotary_plain(const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin, const at::Tensor &positions);

} // namespace hone
