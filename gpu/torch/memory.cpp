// How much memory tensors take. For the CPU, libtorch's allocator is replaced by one that counts; CUDA's own allocator
// reports each change to whoever listens on the thread, and autograd's threads listen for the thread that calls them.
#include "memory.h"
#include "guard.h"

#include <ATen/core/Tensor.h>
#include <array>
#include <atomic>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <dlfcn.h>
#include <malloc.h>
#include <mutex>

namespace {

struct Level {
  std::atomic<int64_t> now{0}, peak{0};

  void set(int64_t value) {
    now.store(value, std::memory_order_relaxed);
    raise(value);
  }
  void add(int64_t change) { raise(now.fetch_add(change, std::memory_order_relaxed) + change); }
  void raise(int64_t value) {
    int64_t seen = peak.load(std::memory_order_relaxed);
    while (value > seen && !peak.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  void reset() { peak.store(now.load(std::memory_order_relaxed), std::memory_order_relaxed); }
};

Level cpu;
constexpr int max_devices = 64;
std::array<Level, max_devices> allocated, reserved; // of CUDA's devices

// libtorch's own CPU allocator but for the counting. What malloc really gave is counted, so that nothing need be kept
// beside a block.
struct Counting final : at::Allocator {
  at::DataPtr allocate(size_t bytes) const override {
    void *data = nullptr;
    try {
      data = c10::alloc_cpu(bytes);
    } catch (const c10::Error &) {
      c10::profiledCPUMemoryReporter().OutOfMemory(bytes);
      TORCH_CHECK_WITH(OutOfMemoryError, false, "CPU out of memory. Tried to allocate ", bytes, " bytes");
    }
    c10::profiledCPUMemoryReporter().New(data, bytes);
    if (data != nullptr) cpu.add(static_cast<int64_t>(malloc_usable_size(data)));
    return {data, data, &release, at::Device(at::DeviceType::CPU)};
  }
  at::DeleterFnPtr raw_deleter() const override { return &release; }

  static void release(void *data) {
    if (data == nullptr) return;
    cpu.add(-static_cast<int64_t>(malloc_usable_size(data)));
    c10::profiledCPUMemoryReporter().Delete(data);
    c10::free_cpu(data);
  }
};

struct Listener final : c10::MemoryReportingInfoBase {
  void reportMemoryUsage(void *, int64_t, size_t now, size_t held, c10::Device device) override {
    if (!device.is_cuda() || device.index() < 0 || device.index() >= max_devices) return;
    allocated[device.index()].set(static_cast<int64_t>(now));
    reserved[device.index()].set(static_cast<int64_t>(held));
  }
  bool memoryProfilingEnabled() const override { return true; }
};

int index_of(const at::Device &device) {
  TORCH_CHECK(device.index() >= 0 && device.index() < max_devices, "device ", device, ": at most ", max_devices);
  return device.index();
}

// Of the device that is current on the thread; the runtime is there wherever libtorch is.
int64_t total_of_device() {
  auto info = reinterpret_cast<int (*)(size_t *, size_t *)>(dlsym(RTLD_DEFAULT, "cudaMemGetInfo"));
  size_t free = 0, total = 0;
  return info != nullptr && info(&free, &total) == 0 ? static_cast<int64_t>(total) : 0;
}

} // namespace

extern "C" {

char *hone_memory_watch(const char *device) {
  return guarded([&] {
    static std::once_flag once;
    static Counting counting;
    std::call_once(once, [] { c10::SetCPUAllocator(&counting, /*priority=*/1); });
    if (at::Device(device).is_cuda())
      c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<Listener>());
  });
}

char *hone_memory_figures(const char *device, hone_memory *out) {
  return guarded([&] {
    at::Device d(device);
    *out = {};
    if (d.is_cpu()) {
      out->allocated = cpu.now, out->peak = cpu.peak;
    } else if (d.is_cuda()) {
      const int i = index_of(d);
      *out = {allocated[i].now, allocated[i].peak, reserved[i].now, reserved[i].peak, total_of_device()};
    }
  });
}

char *hone_memory_reset_peak(const char *device) {
  return guarded([&] {
    at::Device d(device);
    if (d.is_cpu()) cpu.reset();
    if (!d.is_cuda()) return;
    allocated[index_of(d)].reset();
    reserved[index_of(d)].reset();
  });
}

void hone_memory_trim(void) { malloc_trim(0); }
}
