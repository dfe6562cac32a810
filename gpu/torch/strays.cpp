// Finds tensors that lie on another device than the work. A GPU refuses most of them; on the meta device libtorch
// looks at shapes alone, and here every operation's inputs are looked at, those of gradients too.

// at::RecordFunction has a member more in debug builds, which the library is not.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "strays.h"
#include "guard.h"

#include <ATen/record_function.h>
#include <algorithm>

namespace {

thread_local c10::DeviceType wanted = c10::DeviceType::CPU;
thread_local std::vector<std::string> found;

// What copies between devices, or says that a tensor is the same under another name.
bool may_cross(const char *name) {
  static const char *const names[] = {"aten::to", "aten::_to_copy", "aten::copy_", "aten::lift_fresh"};
  return std::any_of(std::begin(names), std::end(names), [&](const char *n) { return strcmp(n, name) == 0; });
}

// A number on the host may stand beside a GPU's tensors.
bool stray(const at::Tensor &t) { return t.defined() && t.device().type() != wanted && t.dim() > 0; }

bool stray(const c10::IValue &v) {
  if (v.isTensor()) return stray(v.toTensor());
  if (!v.isList()) return false;
  const auto list = v.toListRef();
  return std::any_of(list.begin(), list.end(), [](const c10::IValue &x) { return stray(x); });
}

std::unique_ptr<at::ObserverContext> look(const at::RecordFunction &f) {
  if (may_cross(f.name())) return nullptr;
  const auto inputs = f.inputs();
  if (std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue &v) { return stray(v); })) found.emplace_back(f.name());
  return nullptr;
}

} // namespace

extern "C" {

char *hone_strays_begin(const char *device, uint64_t *handle) {
  return guarded([&] {
    wanted = at::Device(device).type();
    found.clear();
    *handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&look).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  });
}

char *hone_strays_end(uint64_t handle, char **names) {
  return guarded([&] {
    at::removeCallback(handle);
    std::string all;
    for (const std::string &name : found) all += (all.empty() ? "" : "\n") + name;
    found.clear();
    *names = strdup(all.c_str());
  });
}
}
