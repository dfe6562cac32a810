// C face of what the project adds to gotch: see shim.cpp and fused.cpp. Each function that can fail returns NULL
// or a message that the caller frees. A tensor is an at::Tensor*, as gotch hands them out.
#ifndef HONE_SHIM_H
#define HONE_SHIM_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *hone_tensor;

// Process and thread.
char *hone_open_library(const char *name);
char *hone_cuda_devices(int *count);
char *hone_cuda_versions(int64_t *runtime, int64_t *cudnn);
char *hone_use_device(const char *device);
char *hone_set_threads(int threads);
char *hone_deterministic(int on);
void hone_grad_mode(int on);
const char *hone_cpu_capability(void);
const char *hone_version(void);

// Tensors. Device: "cpu", "cuda:0", "meta".
char *hone_from_data(hone_tensor *out, const void *data, const int64_t *dims, int ndim, int dtype, const char *device);
char *hone_empty(hone_tensor *out, const int64_t *dims, int ndim, int dtype, const char *device, int zero);
char *hone_to_host(const hone_tensor t, void *data, size_t bytes);
char *hone_leaf(hone_tensor *out, const hone_tensor flat, int64_t offset, const int64_t *dims, int ndim,
                const hone_tensor grad);
char *hone_item(const hone_tensor t, double *value);
int hone_dtype(const hone_tensor t);

// Fused sequences with gradients.
char *hone_rms_norm(hone_tensor *out, const hone_tensor x, const hone_tensor weight, double eps);
char *hone_silu_mul(hone_tensor *out, const hone_tensor gate, const hone_tensor up);
char *hone_rotary(hone_tensor *out, const hone_tensor x, const hone_tensor cos, const hone_tensor sin,
                  const hone_tensor positions);
char *hone_attention(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                     const int64_t *q_offset, const int64_t *k_start, const int64_t *position, int64_t sequences,
                     double scale);

// Optimiser over one flat buffer each.
char *hone_square_sum(const hone_tensor t, double *value);
char *hone_adamw(const hone_tensor w, const hone_tensor g, const hone_tensor m, const hone_tensor v, int64_t decayed,
                 double rate, double beta1, double beta2, double eps, double decay, double correction1,
                 double correction2, double grad_scale);

#ifdef __cplusplus
}
#endif
#endif
