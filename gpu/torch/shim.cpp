// What gotch has no function for, or a wrong one: thread count, deterministic mode, gradient mode, CUDA
// libraries opened at run time, tensors made on a named device, leaves over a flat buffer.
#include "shim.h"
#include "guard.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>
#include <torch/version.h>

static at::TensorOptions options(int dtype, const char *device) {
  return at::TensorOptions().dtype(static_cast<at::ScalarType>(dtype)).device(at::Device(device));
}

extern "C" {

// Kernels register themselves as a library loads, so this must come before anything asks whether CUDA exists: the
// answer is kept.
char *hone_open_library(const char *name) {
  if (dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nullptr) return nullptr;
  const char *why = dlerror();
  return strdup(why != nullptr ? why : "unknown reason");
}

char *hone_cuda_devices(int *count) {
  return guarded([&] { *count = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0; });
}

char *hone_cuda_versions(int64_t *runtime, int64_t *cudnn) {
  return guarded([&] {
    const at::CUDAHooksInterface &hooks = at::detail::getCUDAHooks();
    TORCH_CHECK(hooks.hasCUDART(), "there is no CUDA runtime: its libraries are not open");
    *runtime = hooks.versionCUDART();
    *cudnn = hooks.versionCuDNN();
  });
}

// The thread's current device, for what names none.
char *hone_use_device(const char *device) {
  return guarded([&] {
    at::Device d(device);
    if (d.is_cuda()) c10::impl::getDeviceGuardImpl(d.type())->setDevice(d);
  });
}

char *hone_set_threads(int threads) {
  return guarded([&] { at::set_num_threads(threads); });
}

char *hone_deterministic(int on) {
  return guarded([&] {
    at::globalContext().setDeterministicAlgorithms(on != 0, /*warn_only=*/false);
    // CUDA's fused attention adds gradients in any order; what is left is the plain formula.
    at::globalContext().setSDPUseFlash(on == 0);
    at::globalContext().setSDPUseMemEfficient(on == 0);
    // Products in the type they are asked for, sums in fp32.
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
    at::globalContext().setBenchmarkCuDNN(false);
  });
}

void hone_grad_mode(int on) { at::GradMode::set_enabled(on != 0); }

const char *hone_cpu_capability(void) {
  static const std::string name = at::get_cpu_capability();
  return name.c_str();
}

const char *hone_version(void) { return TORCH_VERSION; }

char *hone_from_data(hone_tensor *out, const void *data, const int64_t *dims, int ndim, int dtype,
                     const char *device) {
  return guarded([&] {
    at::Device to(device);
    at::IntArrayRef shape(dims, ndim);
    at::TensorOptions o = options(dtype, "cpu");
    // Small tensors, those of a batch, go to a GPU by pinned memory, which its allocator keeps until the copy is done:
    // so the host need not wait for all that the GPU was given before.
    const bool pinned = to.is_cuda() && c10::multiply_integers(shape) * c10::elementSize(static_cast<at::ScalarType>(dtype)) <= 1 << 20;
    at::Tensor host = pinned ? at::empty(shape, o.pinned_memory(true)) : at::Tensor(at::detail::empty_cpu(shape, o));
    if (host.nbytes() > 0) memcpy(host.data_ptr(), data, host.nbytes());
    give(out, to.is_cpu() ? host : host.to(to, /*non_blocking=*/pinned));
  });
}

char *hone_empty(hone_tensor *out, const int64_t *dims, int ndim, int dtype, const char *device, int zero) {
  return guarded([&] {
    at::IntArrayRef shape(dims, ndim);
    at::TensorOptions o = options(dtype, device);
    if (zero) return give(out, at::zeros(shape, o));
    // at::empty fills with NaN where algorithms are deterministic: a pass over memory that is written anyway.
    give(out, o.device().is_cpu() ? at::Tensor(at::detail::empty_cpu(shape, o)) : at::empty(shape, o));
  });
}

char *hone_to_host(const hone_tensor t, void *data, size_t bytes) {
  return guarded([&] {
    at::Tensor host = of(t).detach().to(at::kCPU).contiguous();
    TORCH_CHECK(host.nbytes() == bytes, "the tensor has ", host.nbytes(), " bytes, the destination ", bytes);
    if (bytes > 0) memcpy(data, host.data_ptr(), bytes);
  });
}

// A parameter that lives in flat[offset:] and gathers its gradient in grad[offset:].
char *hone_leaf(hone_tensor *out, const hone_tensor flat, int64_t offset, const int64_t *dims, int ndim,
                const hone_tensor grad) {
  return guarded([&] {
    at::NoGradGuard none;
    at::IntArrayRef shape(dims, ndim);
    int64_t n = c10::multiply_integers(shape);
    at::Tensor leaf = of(flat).narrow(0, offset, n).view(shape).detach();
    leaf.set_requires_grad(true);
    leaf.mutable_grad() = of(grad).narrow(0, offset, n).view(shape);
    give(out, leaf);
  });
}

char *hone_item(const hone_tensor t, double *value) {
  return guarded([&] { *value = of(t).item().toDouble(); });
}

int hone_dtype(const hone_tensor t) { return static_cast<int>(of(t).scalar_type()); }
}
