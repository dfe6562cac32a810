// Which of the loops this machine runs.
#include <cstdlib>
#include <cstring>

namespace hone {
namespace {

// HONE_INSTRUCTIONS (v3, base) asks for fewer than the machine has: tests compare them.
int found() {
  const char *most = std::getenv("HONE_INSTRUCTIONS");
  const bool base = most && !std::strcmp(most, "base"), v3 = most && !std::strcmp(most, "v3");
  if (base || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
    return 0;
  if (v3 || !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return 1;
  return 2;
}

} // namespace

int instructions() {
  static const int those = found();
  return those;
}

} // namespace hone
