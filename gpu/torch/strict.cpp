// Has MKL, libtorch's matrix library, compute a row of a product alike wherever it stands and whatever the number of rows and
// threads: decoding rests on it, and on Intel's processors MKL promises it in its strict mode alone (Intel oneAPI MKL
// developer guide, "Conditional Numerical Reproducibility"). On a Sapphire Rapids with two threads, rows of products of 896
// to 128 columns differed without it. On other makers' processors MKL has other kernels, which did not differ, and the
// mode could cost them their instruction set.
#include <cstdlib>

namespace {

// Before main: MKL reads its environment when it is first used, and not again. Whoever has set the mode keeps it.
__attribute__((constructor)) void strict() {
  __builtin_cpu_init();
  if (!__builtin_cpu_is("intel"))
    return;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    setenv("MKL_CBWR", "AVX512,STRICT", 0);
  else if (__builtin_cpu_supports("avx2"))
    setenv("MKL_CBWR", "AVX2,STRICT", 0);
}

} // namespace
