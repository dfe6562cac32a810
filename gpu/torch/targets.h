// Reads the file named LOOPS once for each instruction set, as the loops of namespace TARGET: v4 for AVX-512, v3 for
// AVX2 with FMA, base for any other. CALL goes to that of this machine. A loop's numbers are the same in v3 and v4; in
// base, which adds what it has multiplied after a rounding, they are not.
#pragma once
#include "vector.h"

namespace hone {
// 2, 1 or 0: v4, v3 or base.
int instructions();
} // namespace hone

#define CALL(loop, ...)                                                                                                \
  switch (instructions()) {                                                                                            \
  case 2: return v4::loop(__VA_ARGS__);                                                                                \
  case 1: return v3::loop(__VA_ARGS__);                                                                                \
  default: return base::loop(__VA_ARGS__);                                                                             \
  }

#define TARGET base
#define TARGET_LANES 8
#define WIDE
#include LOOPS
#undef TARGET
#undef WIDE

#define TARGET v3
#define WIDE __attribute__((target("arch=x86-64-v3")))
#include LOOPS
#undef TARGET
#undef TARGET_LANES
#undef WIDE

#define TARGET v4
#define TARGET_LANES 16
#define WIDE __attribute__((target("arch=x86-64-v4")))
#include LOOPS
#undef TARGET
#undef TARGET_LANES
#undef WIDE
