// What the loops of our own ask of tensors.
#pragma once
#include <ATen/core/Tensor.h>
#include <algorithm>

// fp32 on the CPU: what a loop takes, once there are no gaps.
static inline bool plain(const at::Tensor &t) { return t.is_cpu() && t.scalar_type() == at::kFloat; }
static inline const float *in(const at::Tensor &t) { return t.const_data_ptr<float>(); }
static inline float *out_of(const at::Tensor &t) { return t.mutable_data_ptr<float>(); }

// Rows that make about 16,000 floats of work a piece; a piece never changes what is computed.
static inline int64_t grain(int64_t width) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width)); }
