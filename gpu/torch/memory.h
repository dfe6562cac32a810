// C face of memory.cpp: what tensors take of a device's memory.
#ifndef HONE_MEMORY_H
#define HONE_MEMORY_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t allocated, peak;                // bytes of tensors
  int64_t reserved, reserved_peak, total; // of the device, as its allocator has it; 0 where that is not known
} hone_memory;

// Count from here on. device is the calling thread's, "cpu", "cuda:0" or "meta".
char *hone_memory_watch(const char *device);
char *hone_memory_figures(const char *device, hone_memory *out);
char *hone_memory_reset_peak(const char *device);
void hone_memory_trim(void);

#ifdef __cplusplus
}
#endif
#endif
