// Between C++ exceptions and C messages.
#pragma once
#include "shim.h"

#include <ATen/core/Tensor.h>
#include <cstring>
#include <exception>
#include <new>

template <typename F> static char *guarded(F &&f) {
  try {
    f();
    return nullptr;
  } catch (const c10::Error &e) {
    return strdup(e.what_without_backtrace());
  } catch (const std::bad_alloc &) {
    return strdup("out of memory: std::bad_alloc");
  } catch (const std::exception &e) {
    return strdup(e.what());
  } catch (...) {
    return strdup("an exception of unknown type");
  }
}

static inline const at::Tensor &of(hone_tensor t) { return *static_cast<const at::Tensor *>(t); }
static inline void give(hone_tensor *out, at::Tensor t) { *out = new at::Tensor(std::move(t)); }
