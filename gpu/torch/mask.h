// Dropout as a function of seed and place alone, without libtorch; see kernels.h. Nothing has to be kept for the way
// back, and no piece of work depends on another.
#pragma once
#include <cstdint>

namespace hone {

// y[i] = x[i] / (1 - p), or 0 with probability p, for i in [from, to).
void dropout(const float *x, float *y, int64_t from, int64_t to, double p, uint64_t seed);

} // namespace hone
