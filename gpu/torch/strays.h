// C face of strays.cpp.
#ifndef HONE_STRAYS_H
#define HONE_STRAYS_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begins to look, on this thread, at what operations are given that lies on another device.
char *hone_strays_begin(const char *device, uint64_t *handle);
// Ends it. found are the operations' names, a line each; the caller frees it.
char *hone_strays_end(uint64_t handle, char **found);

#ifdef __cplusplus
}
#endif
#endif
